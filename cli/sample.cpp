#include "cli/arguments.h"
#include "core/io/plan_yaml.h"
#include "trainer/data/byte_tokens.h"
#include "trainer/make_device.h"
#include "trainer/run_directory.h"
#include "trainer/text_generator.h"

#include <boost/program_options.hpp>

#include <iostream>

namespace headroom::cli {
namespace {

namespace po = boost::program_options;

po::options_description sample_options() {
  po::options_description options;
  auto add = options.add_options();
  add("prompt", po::value<std::string>()->default_value("\n"), "text to continue");
  add("tokens", po::value<std::int64_t>()->default_value(200), "how many tokens to write");
  add("temperature", po::value<double>()->default_value(0.8), "0: always the likeliest token");
  add("top-k", po::value<std::int64_t>()->default_value(0), "only the k likeliest; 0: all");
  add("seed", po::value<std::uint64_t>()->default_value(0), "of the draws");
  return options;
}

}  // namespace

ExitCode run_sample(std::span<const std::string> words) {
  const Arguments arguments = parse("sample", words, sample_options());
  if (arguments.help) return ExitCode::kOk;
  if (arguments.words.empty()) {
    throw Error("sample what? headroom sample RUN_DIR --prompt TEXT", ExitCode::kUsage);
  }
  refuse_more_words("sample", arguments.words, 1);
  const trainer::DrawOptions draw{.temperature = arguments.options["temperature"].as<double>(),
                                  .top_k = arguments.options["top-k"].as<std::int64_t>(),
                                  .seed = arguments.options["seed"].as<std::uint64_t>()};
  if (!(draw.temperature >= 0) || draw.top_k < 0) {
    throw Error("--temperature and --top-k must not be negative", ExitCode::kUsage);
  }
  const auto directory = trainer::RunDirectory::open(arguments.words[0]);
  const auto steps = directory.checkpoints();
  if (steps.empty()) throw IoError(directory.path().string() + " has no checkpoint");
  const Plan plan = io::load_plan(directory.plan()).plan;
  const auto device = trainer::make_device(plan);
  trainer::TextGenerator generator(plan, directory.checkpoint(steps.back()), *device);
  const auto* model = std::get_if<TransformerPlan>(&plan.model.family);
  if (model == nullptr || model->vocab_size != trainer::kByteVocabulary) {
    throw Error("this version writes text of models with one token per byte (vocab_size 256) only",
                ExitCode::kUsage);
  }
  const std::string prompt = arguments.text("prompt");
  std::vector<std::int32_t> tokens = trainer::bytes_to_tokens(prompt);
  std::cout << prompt << std::flush;
  const std::int64_t count = arguments.options["tokens"].as<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    tokens.push_back(generator.next(tokens, draw));
    std::cout << static_cast<char>(tokens.back()) << std::flush;
  }
  std::cout << '\n';
  return ExitCode::kOk;
}

}  // namespace headroom::cli
