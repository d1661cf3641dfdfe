#include "cli/arguments.h"
#include "cli/table.h"
#include "core/describe/plan.h"
#include "trainer/data/open_dataset.h"

#include <boost/program_options.hpp>

#include <iostream>

namespace headroom::cli {

ExitCode run_data(std::span<const std::string> words) {
  boost::program_options::options_description options;
  options.add_options()("dtype", boost::program_options::value<std::string>(),
                        "dtype of a raw file that does not say it: u8, u16, i32, f32");
  const Arguments arguments = parse("data", words, options);
  if (arguments.help) return ExitCode::kOk;
  if (arguments.words.size() < 2 || arguments.words[0] != "info") {
    throw Error("data what? headroom data info FILE", ExitCode::kUsage);
  }
  refuse_more_words("data", arguments.words, 2);
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
  return ExitCode::kOk;
}

}  // namespace headroom::cli
