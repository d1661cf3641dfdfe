#include "cli/arguments.h"
#include "cli/table.h"
#include "core/describe/plan.h"
#include "trainer/data/byte_tokens.h"
#include "trainer/data/open_dataset.h"

#include <boost/program_options.hpp>

#include <filesystem>
#include <iostream>

namespace headroom::cli {

namespace {

void show(const Arguments& arguments) {
  refuse_more_words("data info", arguments.words, 2);
  DataPlan plan;
  plan.path = arguments.words[1];
  if (arguments.has("dtype")) {
    plan.dtype = dtype_from_name(arguments.text("dtype"));
    if (!plan.dtype)
      throw Error("--dtype: unknown dtype " + arguments.text("dtype"), ExitCode::kUsage);
  }
  const auto dataset = trainer::open_dataset(plan);
  Table table({Table::Align::kLeft, Table::Align::kLeft});
  for (const trainer::DatasetFact& fact : dataset->describe()) table.add({fact.name, fact.value});
  std::cout << table.text(0);
}

void write_text(const Arguments& arguments) {
  if (!arguments.has("output")) throw Error("data text: give -o FILE.bin", ExitCode::kUsage);
  const std::vector<std::filesystem::path> files(arguments.words.begin() + 1,
                                                 arguments.words.end());
  const std::string output = arguments.text("output");
  const std::int64_t tokens = trainer::write_byte_tokens(files, output);
  std::cout << output << ": " << tokens << " tokens, one per byte (model.vocab_size "
            << trainer::kByteVocabulary << ")\n";
}

}  // namespace

ExitCode run_data(std::span<const std::string> words) {
  boost::program_options::options_description options;
  auto add = options.add_options();
  add("dtype", boost::program_options::value<std::string>(),
      "info: dtype of a raw file that does not say it: u8, u16, i32, f32");
  add("output,o", boost::program_options::value<std::string>(),
      "text: the token file to write, 16 bits a token");
  const Arguments arguments = parse("data", words, options);
  if (arguments.help) return ExitCode::kOk;
  const std::string what = arguments.words.empty() ? "" : arguments.words[0];
  if ((what != "info" && what != "text") || arguments.words.size() < 2) {
    throw Error("data what? headroom data info FILE, or headroom data text FILE ... -o FILE.bin",
                ExitCode::kUsage);
  }
  what == "info" ? show(arguments) : write_text(arguments);
  return ExitCode::kOk;
}

}  // namespace headroom::cli
