#include "cli/table.h"
#include "core/describe/dtype.h"
#include "core/describe/plan_schema.h"
#include "tests/cli/run_program.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace headroom {
namespace {

using nlohmann::json;
using test::headroom;
using test::shipped;

BOOST_AUTO_TEST_CASE(estimate_train_and_compare_agree) {
  const test::TemporaryFolder folder;
  const std::string output = "output.dir=" + folder.path().string();
  const auto estimate = headroom({"estimate", shipped("cruncher.yaml"), "--json",
                                  "hardware.gpu=cpu-generic", "hardware.device=cpu"});
  BOOST_REQUIRE(estimate.code == 0);
  const json predicted = json::parse(estimate.out);

  const auto train = headroom(
      {"train", shipped("cruncher.yaml"), output, "training.max_steps=3", "hardware.device=cpu"});
  BOOST_REQUIRE(train.code == 0);
  const std::string run = train.out.substr(0, train.out.find('\n'));
  for (const char* file :
       {"plan.yaml", "run.jsonl", "summary.json", "checkpoints/step-3/state.json"}) {
    BOOST_TEST(std::filesystem::exists(std::filesystem::path(run) / file), file);
  }

  const auto compare = headroom({"compare", run, "--json"});
  BOOST_REQUIRE(compare.code == 0);
  const json measured = json::parse(compare.out);
  const json& at_peak = predicted["memory"]["devices"][0]["at_peak"];
  for (const char* list : {"categories", "allocated"}) {
    BOOST_TEST(measured[list].size() >= 4U);
    for (const json& line : measured[list]) BOOST_TEST(line["error"].get<double>() == 0.0);
  }
  for (const json& line : measured["categories"]) {
    BOOST_TEST(at_peak[line["name"].get<std::string>() + "_bytes"] == line["measured_bytes"]);
  }
  BOOST_TEST(measured["step_time"]["measured_s"].get<double>() > 0);
  BOOST_TEST(measured["loss"]["last"].is_number());
}

BOOST_AUTO_TEST_CASE(the_estimate_has_the_documented_keys) {
  const auto result =
      headroom({"estimate", shipped("cruncher.yaml"), "--json", "--timeline", "--gpu", "h100-sxm"});
  BOOST_REQUIRE(result.code == 0);
  const json estimate = json::parse(result.out);
  for (const char* path : {"/schema_version",
                           "/plan/model/dim",
                           "/model/parameters",
                           "/model/trainable_parameters",
                           "/model/non_embedding_parameters",
                           "/memory/devices/0/device",
                           "/memory/devices/0/role",
                           "/memory/devices/0/at_peak/gradients_bytes",
                           "/memory/devices/0/tensors_peak_bytes",
                           "/memory/devices/0/allocated_peak_bytes",
                           "/memory/devices/0/reserved_peak_bytes",
                           "/memory/devices/0/device_peak_bytes",
                           "/memory/devices/0/peak_phase",
                           "/memory/devices/0/peak_op",
                           "/memory/steady/parameters_bytes",
                           "/memory/textbook/total_bytes",
                           "/memory/timeline/0/total_bytes",
                           "/flops/forward",
                           "/flops/backward",
                           "/flops/step",
                           "/flops/run",
                           "/flops/six_n_p",
                           "/flops/per_sample/six_n",
                           "/time/step_s",
                           "/time/low_s",
                           "/time/high_s",
                           "/time/samples_per_s",
                           "/time/mfu",
                           "/time/hfu",
                           "/time/bound",
                           "/time/run_s",
                           "/cost/gpu_hours",
                           "/cost/usd",
                           "/verdict/fits",
                           "/verdict/capacity_bytes",
                           "/verdict/headroom_bytes",
                           "/verdict/band_bytes",
                           "/verdict/suggestions",
                           "/assumptions",
                           "/warnings"}) {
    BOOST_TEST(estimate.contains(json::json_pointer(path)), path);
  }
  // 81559 MiB is what the driver shows for an H100.
  BOOST_TEST(estimate["verdict"]["capacity_bytes"] == 81559LL << 20);
}

BOOST_AUTO_TEST_CASE(a_plan_that_does_not_fit_exits_3_only_when_asked) {
  const std::vector<std::string> huge = {"estimate", shipped("cruncher.yaml"), "--gpu", "t4",
                                         "training.micro_batch_size=400000000"};
  auto words = huge;
  BOOST_TEST(headroom(words).code == 0);
  words.emplace_back("--check");
  const auto result = headroom(words);
  BOOST_TEST(result.code == 3);
  BOOST_TEST((result.out.find("does not fit") != std::string::npos));
  BOOST_TEST((result.out.find("training.gradient_accumulation_steps=") != std::string::npos));
}

BOOST_AUTO_TEST_CASE(train_refuses_what_cannot_fit_and_leaves_nothing_behind) {
  const test::TemporaryFolder folder;
  const auto result = headroom({"train", shipped("cruncher-1024.yaml"), "hardware.device=cpu",
                                "training.micro_batch_size=2000000000", "data.synthetic=true",
                                "output.dir=" + (folder.path() / "runs").string(), "--dry-run"});
  BOOST_TEST(result.code != 0);
  BOOST_TEST(!std::filesystem::exists(folder.path() / "runs"));
}

BOOST_AUTO_TEST_CASE(data_goes_to_stdout_and_nothing_is_coloured_in_a_pipe) {
  const auto result = headroom({"list", "gpus"});
  BOOST_TEST(result.code == 0);
  BOOST_TEST(result.err.empty());
  BOOST_TEST((result.out.find('\033') == std::string::npos));
  BOOST_TEST((result.out.find("h100-sxm") != std::string::npos));
}

BOOST_AUTO_TEST_CASE(lists_and_explanations) {
  for (const char* kind : {"models", "gpus", "optimizers", "dtypes", "frameworks", "keys"}) {
    BOOST_TEST(headroom({"list", kind}).code == 0, kind);
  }
  for (const char* word :
       {"training.micro_batch_size", "batch_size", "lr", "h100-sxm", "bf16", "adamw", "textbook"}) {
    const auto result = headroom({"explain", word});
    BOOST_TEST(result.code == 0, word);
    BOOST_TEST(result.out.size() > 40U, word);
  }
  BOOST_TEST(headroom({"--version"}).out.find("headroom ") == 0U);
  BOOST_TEST(headroom({"train", "--help"}).code == 0);
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, cli::display_width(line));
  }
  return widest;
}

BOOST_AUTO_TEST_CASE(nothing_is_wider_than_the_page) {
  std::vector<std::vector<std::string>> commands = {{"--help"}};
  for (const char* name :
       {"estimate", "validate", "train", "compare", "bench", "data", "explain", "list"}) {
    commands.push_back({name, "--help"});
  }
  for (const char* kind : {"models", "gpus", "optimizers", "dtypes", "frameworks", "keys"}) {
    commands.push_back({"list", kind});
  }
  for (const auto& file :
       std::filesystem::directory_iterator(HEADROOM_SOURCE_DIR "/configs/hardware")) {
    commands.push_back({"explain", file.path().stem().string()});
  }
  for (const KeySpec& key : plan_schema()) commands.push_back({"explain", std::string(key.path)});
  for (const DTypeInfo& dtype : all_dtypes()) {
    commands.push_back({"explain", std::string(dtype.name)});
  }
  commands.push_back({"estimate", shipped("cruncher.yaml"), "--timeline"});
  commands.push_back({"estimate", shipped("mlp-odd.yaml"), "hardware.gpu=cpu-generic"});
  for (const auto& words : commands) {
    const auto result = headroom(words);
    BOOST_TEST(result.code == 0, words.back());
    BOOST_TEST(widest_line(result.out) <= 100U, words[0] + ' ' + words.back());
  }
}

BOOST_AUTO_TEST_CASE(help_of_a_command) {
  const auto asked = headroom({"estimate", "--help"});
  BOOST_TEST((asked.out.find("--timeline") != std::string::npos));
  for (const char* word : {"help", "--help"}) {
    const auto helped = headroom({word, "estimate"});
    BOOST_TEST(helped.code == 0);
    BOOST_TEST(helped.out == asked.out);
  }
  BOOST_TEST(headroom({"help", "help"}).out == headroom({"help"}).out);
}

BOOST_AUTO_TEST_CASE(a_printed_plan_says_where_its_values_are_from) {
  const std::vector<std::string> words = {"estimate", shipped("mlp-odd.yaml"), "--print-config",
                                          "training.micro_batch_size=9"};
  BOOST_TEST((headroom(words).out.find("override 1") != std::string::npos));
  auto json_words = words;
  json_words.emplace_back("--json");
  const json printed = json::parse(headroom(json_words).out);
  BOOST_TEST(printed["plan"]["training"]["micro_batch_size"] == 9);
  const auto origin = printed["origins"]["training.micro_batch_size"].get<std::string>();
  BOOST_TEST(origin.starts_with("override 1"));
  BOOST_TEST((printed["origins"]["model.type"].get<std::string>().find("mlp-odd.yaml:") !=
              std::string::npos));
}

BOOST_AUTO_TEST_CASE(the_readme_counts_the_gpus_there_are) {
  std::ifstream readme(HEADROOM_SOURCE_DIR "/README.md");
  const std::string text{std::istreambuf_iterator<char>(readme), std::istreambuf_iterator<char>()};
  const std::string out = headroom({"list", "gpus"}).out;
  const auto rows = std::count(out.begin(), out.end(), '\n') - 2;  // less heading and legend
  const std::string processors = " and 1 processor";
  BOOST_TEST((out.find(std::to_string(rows - 1) + " GPUs" + processors) != std::string::npos));
  BOOST_TEST((text.find("any of " + std::to_string(rows - 1) + " GPUs") != std::string::npos));
}

BOOST_AUTO_TEST_CASE(an_estimate_says_what_it_does_not_show) {
  const std::vector<std::string> words = {"estimate", shipped("cruncher.yaml"),
                                          "hardware.gpu=cpu-generic", "training.max_steps=1"};
  const auto shown = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string out = headroom(words).out;
  BOOST_TEST(shown(out, "headroom bench -o this-machine.yaml"));
  BOOST_TEST(shown(out, "gradients *"));
  BOOST_TEST(shown(out, "  * each gradient is freed as soon as its parameter is updated"));
  BOOST_TEST(shown(out, "1 step: "));
  auto all_at_once = words;
  all_at_once.emplace_back("training.optimizer_in_backward=false");
  BOOST_TEST(!shown(headroom(all_at_once).out, "gradients *"));
  auto gpu = words;
  gpu[2] = "hardware.gpu=h100-sxm";
  BOOST_TEST(!shown(headroom(gpu).out, "headroom bench"));
}

BOOST_AUTO_TEST_CASE(a_printed_plan_gives_the_same_estimate) {
  const test::TemporaryFolder folder;
  const auto printed = headroom(
      {"estimate", shipped("mlp-odd.yaml"), "--print-config", "training.micro_batch_size=9"});
  BOOST_REQUIRE(printed.code == 0);
  const auto path = folder.path() / "again.yaml";
  std::ofstream(path) << printed.out;
  const auto first =
      headroom({"estimate", shipped("mlp-odd.yaml"), "--json", "training.micro_batch_size=9"});
  const auto second = headroom({"estimate", path.string(), "--json"});
  BOOST_TEST(json::parse(first.out)["memory"] == json::parse(second.out)["memory"]);
}

BOOST_AUTO_TEST_CASE(several_plans_are_compared_by_what_differs) {
  const auto result =
      headroom({"compare", shipped("cruncher-adam.yaml"), shipped("cruncher-sgd.yaml")});
  BOOST_TEST(result.code == 0);
  BOOST_TEST((result.out.find("training.optimizer.name") != std::string::npos));
  BOOST_TEST((result.out.find("training.micro_batch_size") == std::string::npos));
}

}  // namespace
}  // namespace headroom
