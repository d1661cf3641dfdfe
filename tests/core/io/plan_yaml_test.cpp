#include "core/io/plan_yaml.h"

#include "core/describe/plan_schema.h"
#include "core/io/config_dirs.h"
#include "core/io/yaml.h"
#include "tests/support/temporary_folder.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>

namespace headroom::io {
namespace {

namespace fs = std::filesystem;

const std::string kCruncher =
    "model:\n"
    "  type: cruncher\n"
    "  dim: 64\n"
    "  num_layers: 4\n"
    "training:\n"
    "  micro_batch_size: 32\n"
    "  optimizer: {name: adamw, lr: 3e-4}\n"
    "  max_steps: 100\n";

LoadedPlan load(const std::string& text, std::vector<std::string> words = {}) {
  return load_plan(parse_yaml(text, "plan.yaml"), "/plans", words);
}

std::string complaint(const std::string& text, std::vector<std::string> words = {}) {
  try {
    static_cast<void>(load(text, std::move(words)));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no complaint";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::vector<std::string> notes_of(const std::string& text) {
  std::vector<std::string> notes;
  for (const Problem& note : load(text).notes) notes.push_back(to_string(note));
  return notes;
}

BOOST_AUTO_TEST_SUITE(plan_yaml)

BOOST_AUTO_TEST_CASE(a_small_plan) {
  const LoadedPlan loaded = load(kCruncher);
  BOOST_TEST((loaded.plan.model.family == FamilyPlan(CruncherPlan{64, 4})));
  BOOST_TEST(loaded.plan.training.micro_batch_size == 32);
  BOOST_TEST((loaded.plan.training.optimizer.name == OptimizerKind::kAdamw));
  BOOST_TEST(loaded.plan.training.optimizer.lr == 3e-4);
  BOOST_TEST(loaded.plan.training.max_steps.value() == 100);
  BOOST_TEST(loaded.notes.empty());
  BOOST_TEST(origin_text(loaded.origins, "training.optimizer.lr") == "plan.yaml:7:28");
  BOOST_TEST(origin_text(loaded.origins, "training.seed") == "default");
}

BOOST_AUTO_TEST_CASE(three_unknown_keys_are_told_at_once_with_their_places) {
  const std::string text =
      "model:\n"
      "  type: cruncher\n"
      "  dim: 64\n"
      "  num_layesr: 4\n"
      "training:\n"
      "  micro_bacth_size: 32\n"
      "  optimizer: {name: adamw, quux: 3e-4}\n"
      "  max_steps: 100\n";
  BOOST_TEST(complaint(text) ==
             "plan.yaml:4:3: model.num_layesr: unknown key (did you mean model.num_layers?)\n"
             "plan.yaml:6:3: training.micro_bacth_size: unknown key (did you mean "
             "training.micro_batch_size?)\n"
             "plan.yaml:7:28: training.optimizer.quux: unknown key (`headroom list keys` shows "
             "every key)");
}

BOOST_AUTO_TEST_CASE(an_unknown_section_is_one_problem) {
  const std::string text = replaced(kCruncher, "training:", "trianing:");
  BOOST_TEST(complaint(text) == "plan.yaml:5:1: trianing: unknown key (did you mean training?)");
}

BOOST_AUTO_TEST_CASE(wrong_types_are_shown) {
  BOOST_TEST(complaint(replaced(kCruncher, "dim: 64", "dim: big")) ==
             "plan.yaml:3:8: model.dim: expected a whole number, got 'big'");
  BOOST_TEST(complaint(replaced(kCruncher, "dim: 64", "dim: [64]")) ==
             "plan.yaml:3:8: model.dim: expected a whole number, got a list");
  BOOST_TEST(complaint(replaced(kCruncher, "dim: 64", "dim:")).find("model.dim: has no value") !=
             std::string::npos);
  BOOST_TEST(complaint("model: 5\n" + kCruncher.substr(kCruncher.find("training:"))) ==
             "plan.yaml:1:8: model: expected keys under it, got a single value or a list (write "
             "its keys on the lines below, two spaces further in)");
  BOOST_TEST(complaint("- a\n- b\n").find("plan.yaml:1:1: a plan is a mapping") == 0u);
  BOOST_TEST(complaint("just text\n").find("plan.yaml:1:1: a plan is a mapping") == 0u);
}

BOOST_AUTO_TEST_CASE(values_out_of_range) {
  BOOST_TEST(complaint(replaced(kCruncher, "dim: 64", "dim: -64")) ==
             "plan.yaml:3:8: model.dim: -64 is too small: must be at least 1");
  BOOST_TEST(complaint(replaced(kCruncher, "32", "0")) ==
             "plan.yaml:6:21: training.micro_batch_size: 0 is too small: must be at least 1");
  BOOST_TEST(complaint(replaced(kCruncher, "dim: 64", "dim: 1000000000000000000")) ==
             "plan.yaml:3:8: model.dim: 1000000000000000000 is too large: must be at most 2^40");
  BOOST_TEST(complaint(replaced(kCruncher, "adamw", "adammw")) ==
             "plan.yaml:7:21: training.optimizer.name: 'adammw' is not known: must be one of sgd, "
             "adagrad, rmsprop, adam, adamw (did you mean adamw?)");
}

BOOST_AUTO_TEST_CASE(repeated_keys) {
  BOOST_TEST(complaint(replaced(kCruncher, "  dim: 64\n", "  dim: 64\n  dim: 65\n")) ==
             "plan.yaml:4:3: model.dim: is given twice, first at line 3 (keep one of them)");
  BOOST_TEST(complaint(kCruncher + "model:\n  init: xavier_normal\n")
                 .find("plan.yaml:9:1: model: is given twice, first at line 1") == 0u);
  BOOST_TEST(complaint(kCruncher + "batch_size: 5\n") ==
             "plan.yaml:9:1: batch_size: means the same as training.micro_batch_size at line 6 "
             "(keep only training.micro_batch_size)");
}

BOOST_AUTO_TEST_CASE(missing_keys_are_placed_at_their_section) {
  BOOST_TEST(complaint(replaced(kCruncher, "  dim: 64\n", "")) ==
             "plan.yaml:1:1: model.dim: is missing (Width D of every layer and of the input; at "
             "least 1, at most 2^40)");
  const std::string empty_plan = complaint("output: {keep: 1}\n");
  for (const char* key : {"model.type", "training.micro_batch_size", "training.optimizer.name",
                          "training.max_steps"}) {
    BOOST_TEST(
        empty_plan.find("plan.yaml: " + std::string(key) + ": is missing") != std::string::npos,
        empty_plan);
  }
}

BOOST_AUTO_TEST_CASE(keys_of_other_models) {
  BOOST_TEST(complaint(replaced(kCruncher, "  dim: 64\n", "  dim: 64\n  bias: true\n")) ==
             "plan.yaml:4:3: model.bias: does not apply here: only models of type mlp have it; "
             "this one is cruncher (remove it)");
}

BOOST_AUTO_TEST_CASE(all_kinds_of_problems_come_together) {
  const std::string text =
      "model:\n"
      "  type: cruncher\n"
      "  dim: -1\n"
      "training:\n"
      "  optimizer: {name: adamw, lr: fast}\n"
      "  micro_batch_size: 32\n"
      "  max_steps: 5\n"
      "  epochs: 2\n"
      "colour: red\n";
  const std::string all = complaint(text);
  BOOST_TEST(std::count(all.begin(), all.end(), '\n') == 4, all);
  for (const char* part :
       {"plan.yaml:1:1: model.num_layers: is missing", "plan.yaml:3:8: model.dim: -1",
        "plan.yaml:5:32: training.optimizer.lr: expected a number, got 'fast'",
        "plan.yaml:8:3: training.epochs: cannot be given together with training.max_steps",
        "plan.yaml:9:1: colour: unknown key"}) {
    BOOST_TEST(all.find(part) != std::string::npos, part);
  }
}

BOOST_AUTO_TEST_CASE(familiar_flat_files_are_understood_with_notes) {
  const std::string text =
      "model: {type: cruncher, dim: 8, n_layers: 2}\n"
      "batch_size: 16\n"
      "optimizer: adamw\n"
      "learning_rate: 1e-3\n"
      "max_norm: 1.0\n"
      "gradient_checkpointing: true\n"
      "bf16: auto\n"
      "lr_scheduler: cosine\n"
      "warmup_ratio: 0.1\n"
      "max_steps: 50\n"
      "output_dir: out\n"
      "seed: 3\n";
  const Plan plan = load(text).plan;
  BOOST_TEST(plan.training.micro_batch_size == 16);
  BOOST_TEST(plan.training.optimizer.lr == 1e-3);
  BOOST_TEST(plan.training.grad_clip_norm == 1.0);
  BOOST_TEST((plan.training.activation_checkpointing.policy == RecomputePolicy::kFull));
  BOOST_TEST((plan.training.precision == Precision::kBf16Mixed));
  BOOST_TEST((plan.training.lr_schedule.name == LrSchedule::kCosine));
  BOOST_TEST(plan.training.lr_schedule.warmup_steps == 5);
  BOOST_TEST(plan.output.dir == "out");
  BOOST_TEST(plan.training.seed == 3u);
  const std::vector<std::string> notes = notes_of(text);
  const auto has = [&](const std::string& note) {
    return std::find(notes.begin(), notes.end(), note) != notes.end();
  };
  BOOST_TEST(notes.size() == 12u);
  BOOST_TEST(has("plan.yaml:2:1: batch_size: is read as training.micro_batch_size: 16"));
  BOOST_TEST(has("plan.yaml:1:33: model.n_layers: is read as model.num_layers: 2"));
  BOOST_TEST(
      has("plan.yaml:6:1: gradient_checkpointing: is read as "
          "training.activation_checkpointing: full"));
  BOOST_TEST(has("plan.yaml:9:1: warmup_ratio: is read as training.lr_schedule.warmup_steps: 5"));
}

BOOST_AUTO_TEST_CASE(switches_that_are_off_change_nothing) {
  BOOST_TEST((load(kCruncher + "bf16: false\n").plan == load(kCruncher).plan));
  BOOST_TEST((load(kCruncher + "gradient_checkpointing: false\n").plan == load(kCruncher).plan));
}

BOOST_AUTO_TEST_CASE(warmup_ratio_needs_steps) {
  const std::string text = replaced(kCruncher, "max_steps: 100", "epochs: 2\n  warmup_ratio: 0.1");
  BOOST_TEST(complaint(text).find("training.warmup_ratio: is a fraction of training.max_steps, "
                                  "which is not given") != std::string::npos);
  BOOST_TEST(complaint(kCruncher + "warmup_ratio: 1.5\n").find("from 0 to 1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_k_layers) {
  const std::string text = kCruncher + "activation_checkpointing: {every: 3}\n";
  BOOST_TEST((load(text).plan.training.activation_checkpointing ==
              RecomputePlan{RecomputePolicy::kEvery, 3}));
  BOOST_TEST(complaint(kCruncher + "activation_checkpointing: {evry: 3}\n")
                 .find("did you mean training.activation_checkpointing.every?") !=
             std::string::npos);
  BOOST_TEST(
      complaint(kCruncher + "activation_checkpointing: {every: 0}\n").find("0 is too small") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_stated_global_batch_must_agree) {
  BOOST_TEST(complaint(kCruncher + "global_batch_size: 32\n") == "no complaint");
  BOOST_TEST(complaint(kCruncher + "global_batch_size: 64\n") ==
             "plan.yaml:9:20: global_batch_size: 64 does not agree with the other keys, which give "
             "32 (it is micro_batch_size x gradient_accumulation_steps x parallel.data)");
}

BOOST_AUTO_TEST_CASE(overrides_and_file_problems_come_together) {
  const std::string all = complaint(replaced(kCruncher, "dim: 64", "dim: x"), {"trainning.seed=1"});
  BOOST_TEST(all.find("override 1 'trainning.seed=1': trainning.seed: unknown key (did you mean "
                      "training.seed?)") != std::string::npos);
  BOOST_TEST(all.find("plan.yaml:3:8: model.dim") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(paths_are_relative_to_the_file_and_of_words_to_here) {
  const std::string text = kCruncher + "data: {path: ../data/digits.csv}\n";
  BOOST_TEST(load(text).plan.data.path == "/data/digits.csv");
  BOOST_TEST(load(text, {"data.path=x/y.csv"}).plan.data.path ==
             (fs::current_path() / "x/y.csv").string());
  BOOST_TEST(load(text, {"data.path=/abs.csv"}).plan.data.path == "/abs.csv");
  BOOST_TEST(load(text, {"gpu=h100-sxm"}).plan.hardware.gpu == "h100-sxm");
  BOOST_TEST(load(text + "gpu: mine.yaml\n").plan.hardware.gpu == "/plans/mine.yaml");
}

BOOST_AUTO_TEST_CASE(model_presets_lie_under_the_plan) {
  const test::TemporaryFolder folder;
  folder.write("small.yaml", "model: {type: cruncher, dim: 8, num_layers: 2}\n");
  folder.write("bare.json", "{\"type\": \"cruncher\", \"dim\": 9, \"num_layers\": 3}\n");
  folder.write("gpt.json", "{\n  \"model_type\": \"gpt9\",\n  \"n_embd\": 768\n}\n");
  folder.write("broken.yaml", "model: {type: cruncher, dim: big, num_layers: 2}\n");
  const std::string rest = kCruncher.substr(kCruncher.find("training:"));
  const auto open = [&](const std::string& model) {
    return load_plan(folder.write("plan.yaml", "model: " + model + "\n" + rest)).plan.model.family;
  };
  BOOST_TEST((open("{config: small.yaml}") == FamilyPlan(CruncherPlan{8, 2})));
  BOOST_TEST((open("{config: small, n_layers: 5}") == FamilyPlan(CruncherPlan{8, 5})));
  BOOST_TEST((open("{config: bare.json, dim: 10}") == FamilyPlan(CruncherPlan{10, 3})));
  const auto fail = [&](const std::string& model) -> std::string {
    try {
      static_cast<void>(open(model));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no complaint";
  };
  const std::string plan = (folder.path() / "plan.yaml").string();
  BOOST_TEST(fail("{config: absent.yaml}") ==
             plan +
                 ":1:17: model.config: there is no file 'absent.yaml' (give a path relative to "
                 "the plan file, or a name of configs/models/)");
  BOOST_TEST(fail("{config: gpt.json}").find("gpt.json:2:17: model_type: 'gpt9' is not a family") !=
             std::string::npos);
  BOOST_TEST(fail("{config: broken.yaml}")
                 .find("broken.yaml:1:30: model.dim: expected a whole "
                       "number, got 'big'") != std::string::npos);
  BOOST_TEST(fail("{config: [a]}").find("expected the name of a file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(missing_files) {
  const test::TemporaryFolder folder;
  // A wrong path is the user's to mend, as a wrong plan is; a run that lost its plan is damage.
  BOOST_CHECK_THROW(static_cast<void>(load_plan("/nowhere/plan.yaml")), ConfigError);
  BOOST_CHECK_THROW(static_cast<void>(load_plan(folder.path())), ConfigError);
  BOOST_CHECK_EXCEPTION(
      static_cast<void>(load_run_plan(folder.path())), IoError, [&](const IoError& error) {
        return std::string(error.what())
                   .find((folder.path() / "plan.yaml").string() + " is missing") == 0;
      });
}

BOOST_AUTO_TEST_CASE(every_shipped_plan_loads_without_notes_and_its_data_exists) {
  int plans = 0;
  for (const fs::path& file : list_configs("runs")) {
    BOOST_TEST_CONTEXT(file) {
      try {
        const LoadedPlan loaded = load_plan(file);
        BOOST_TEST(loaded.notes.empty());
        BOOST_TEST(problems_before_training(loaded.plan).empty());
        // The text is the reader's own: `headroom data text` makes the file.
        const bool made = file.stem() == "gpt2-text";
        if (!loaded.plan.data.path.empty() && !made) BOOST_TEST(fs::exists(loaded.plan.data.path));
        BOOST_TEST((load(write_plan_yaml(loaded.plan)).plan == loaded.plan));
      } catch (const Error& error) {
        BOOST_ERROR(error.what());
      }
    }
    ++plans;
  }
  BOOST_TEST(plans >= 14);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::io
