#include "core/describe/plan_schema.h"
#include "core/io/plan_yaml.h"
#include "core/io/yaml.h"
#include "tests/support/temporary_folder.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>
#include <set>

namespace headroom::io {
namespace {

LoadedPlan load(const std::string& text) {
  return load_plan(parse_yaml(text, "plan.yaml"), "/plans");
}

/// A value within the limits of `key`, of any size that they allow.
class RandomPlans {
 public:
  explicit RandomPlans(unsigned seed) : random_(seed) {}

  /// A plan with a random part of its keys given, made good by giving up what does not fit.
  LoadedPlan next() {
    LoadedPlan loaded;
    for (const KeySpec& key : plan_schema()) {
      if (key.derived || key.loader) continue;
      const bool needed = key.required();
      if (!needed && chance() < 0.5) continue;
      key.access.set(loaded.plan, value(key));
      loaded.origins[std::string(key.path)] = {{"made", 1, 1}, false};
    }
    std::vector<Problem> problems;
    for (int round = 0; round < 40; ++round) {
      problems = resolve(loaded.plan, loaded.origins);
      if (problems.empty()) return loaded;
      for (const Problem& problem : problems) mend(loaded, problem);
    }
    throw ConfigError(problems);
  }

 private:
  double chance() { return std::uniform_real_distribution(0.0, 1.0)(random_); }

  void mend(LoadedPlan& loaded, const Problem& problem) {
    const KeySpec& key = *find_key(problem.key);
    if (loaded.origins.contains(problem.key)) {
      loaded.origins.erase(problem.key);
    } else if (key.path == "training.max_steps") {
      for (const char* other : {"training.max_tokens", "training.epochs"}) {
        loaded.origins.erase(other);
      }
      key.access.set(loaded.plan, std::int64_t{1} << 40);
      loaded.origins[problem.key] = {{"made", 1, 1}, false};
    } else if (key.required() || key.path == "data.dtype") {
      key.access.set(loaded.plan, value(key));
      loaded.origins[problem.key] = {{"made", 1, 1}, false};
    } else {
      // A default that the other keys make impossible: fewer GPUs.
      for (const char* other :
           {"parallel.data", "parallel.tensor", "parallel.pipeline", "parallel.context"}) {
        loaded.origins.erase(other);
      }
    }
  }

  KeyValue value(const KeySpec& key) {
    switch (key.kind) {
      case KeyKind::kBool:
        return chance() < 0.5;
      case KeyKind::kInteger:
        return whole(key.limits);
      case KeyKind::kReal:
        return real(key.limits);
      case KeyKind::kText:
        return text();
      case KeyKind::kWord:
        return std::string(key.choices[random_() % key.choices.size()].name);
      case KeyKind::kIntegers: {
        std::vector<std::int64_t> items(random_() % 4);
        for (std::int64_t& item : items) item = whole(key.limits);
        return items;
      }
      case KeyKind::kReals:
        return std::vector<double>{real(key.limits), real(key.limits)};
    }
    return {};
  }

  std::int64_t whole(const KeyLimits& limits) {
    const double most = std::log2(limits.max - limits.min + 1);
    return static_cast<std::int64_t>(limits.min + std::floor(std::exp2(chance() * most) - 1));
  }
  double real(const KeyLimits& limits) {
    const double most = std::isfinite(limits.max) ? limits.max : 1e6;
    const double low = std::isfinite(limits.min) ? limits.min : -1e6;
    return low + (most - low) * (1e-9 + 0.999 * std::pow(chance(), 20));
  }
  std::string text() {
    static const std::string kCharacters = "abcXYZ019 _-./:#'\"\\,[]{}&*!|>%@`~?";
    std::string result = "/";
    for (std::size_t n = random_() % 12; n > 0; --n) {
      result += kCharacters[random_() % kCharacters.size()];
    }
    return result;
  }

  std::mt19937 random_;
};

/// The paths that data keys take when loading: absolute and without dots.
void settle_paths(Plan& plan) {
  const auto settle = [](std::string& path) {
    if (!path.empty()) path = std::filesystem::path(path).lexically_normal().string();
  };
  settle(plan.data.path);
  settle(plan.model.weights);
  if (plan.hardware.gpu.find('/') != std::string::npos) settle(plan.hardware.gpu);
}

BOOST_AUTO_TEST_SUITE(plan_write)

BOOST_AUTO_TEST_CASE(random_plans_come_back_equal_from_their_yaml) {
  RandomPlans plans(20240607);
  std::set<std::string> written;
  for (int i = 0; i < 400; ++i) {
    LoadedPlan made = plans.next();
    settle_paths(made.plan);
    WriteOptions options;
    options.comments = static_cast<Comments>(i % 3);
    options.origins = &made.origins;
    options.show_origins = i % 2 == 1;
    const std::string yaml = write_plan_yaml(made.plan, options);
    try {
      const LoadedPlan back = load(yaml);
      BOOST_REQUIRE_MESSAGE(back.plan == made.plan, yaml);
      BOOST_TEST(back.notes.empty());
      for (const auto& [key, origin] : back.origins) written.insert(key);
      options.given_only = true;
      const std::string given = write_plan_yaml(made.plan, options);
      BOOST_REQUIRE_MESSAGE(load(given).plan == made.plan, given);
    } catch (const ConfigError& error) {
      BOOST_FAIL(error.what() << '\n' << yaml);
    }
  }
  for (const KeySpec& key : plan_schema()) {
    const std::string path(key.path);
    if (key.derived || key.loader) continue;
    BOOST_TEST(written.contains(path), path << " was never written and read");
  }
}

BOOST_AUTO_TEST_CASE(comments_carry_meaning_unit_and_default_within_the_page) {
  const Plan plan = load(
                        "model: {type: cruncher, dim: 8, num_layers: 2}\n"
                        "training: {micro_batch_size: 4, optimizer: adam, max_steps: 3}\n")
                        .plan;
  WriteOptions options;
  options.comments = Comments::kFull;
  const std::string full = write_plan_yaml(plan, options);
  BOOST_TEST(full.find("  # Samples B that one device takes through forward and backward at once. "
                       "Unit: samples.") != std::string::npos);
  BOOST_TEST(full.find("  # Memory: Inputs, activations and logits grow with B.\n") !=
             std::string::npos);
  std::size_t start = 0;
  for (std::size_t end = full.find('\n'); end != std::string::npos; end = full.find('\n', start)) {
    BOOST_TEST(end - start <= 100u);
    start = end + 1;
  }
  options.comments = Comments::kBrief;
  BOOST_TEST(write_plan_yaml(plan, options).find("  micro_batch_size: 4  # samples; required\n") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(origins_end_the_lines) {
  const LoadedPlan loaded = load(
      "model: {type: cruncher, dim: 8, num_layers: 2}\n"
      "training: {micro_batch_size: 4, optimizer: adam, max_steps: 3}\n");
  WriteOptions options;
  options.origins = &loaded.origins;
  options.show_origins = true;
  const std::string text = write_plan_yaml(loaded.plan, options);
  BOOST_TEST(text.find("  dim: 8  # plan.yaml:1:25\n") != std::string::npos);
  BOOST_TEST(text.find("  seed: 0  # default\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(saved_plans_keep_short_paths) {
  Plan plan = load(
                  "model: {type: cruncher, dim: 8, num_layers: 2}\n"
                  "training: {micro_batch_size: 4, optimizer: adam, max_steps: 3}\n"
                  "data: {path: sub/x.csv}\n")
                  .plan;
  WriteOptions options;
  options.relative_to = "/plans";
  BOOST_TEST(write_plan_yaml(plan, options).find("  path: sub/x.csv\n") != std::string::npos);
  options.relative_to = "/elsewhere";
  BOOST_TEST(write_plan_yaml(plan, options).find("  path: /plans/sub/x.csv\n") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(damaged_files_end_in_a_plan_or_a_message) {
  std::mt19937 random(7);
  const std::string good = test::read_file(HEADROOM_SOURCE_DIR "/configs/runs/mlp-odd.yaml") +
                           "parallel: {data: 2, zero_stage: 1}\n"
                           "hardware: &h {device: cpu}\n";
  int loaded = 0;
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = good;
    for (std::size_t edits = 1 + random() % 6; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      const char byte = random() % 3 == 0 ? static_cast<char>(random() % 256)
                                          : "{}[]:,&*!|>'\"%@`#-\n\t 0"[random() % 23];
      switch (random() % 4) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        case 2:
          text.erase(at, 1 + random() % 20);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
      }
      if (text.empty()) text = "a";
    }
    try {
      const LoadedPlan plan = load(text);
      BOOST_TEST((load(write_plan_yaml(plan.plan)).plan == plan.plan), text);
      ++loaded;
    } catch (const ConfigError& error) {
      if (error.problems().empty() || std::string(error.what()).empty()) {
        BOOST_ERROR("refused without a word:\n" << text);
      }
      ++refused;
    }
  }
  BOOST_TEST(loaded > 50);
  BOOST_TEST(refused > 500);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::io
