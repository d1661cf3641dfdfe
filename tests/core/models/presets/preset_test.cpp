#define BOOST_TEST_MODULE presets
#include "core/io/config_dirs.h"
#include "core/io/plan_yaml.h"
#include "core/io/yaml.h"
#include "core/models/build.h"

#include <boost/test/unit_test.hpp>

#include <map>

namespace headroom::test {
namespace {

/// What the model cards on huggingface.co count (the link is in each file of configs/models/).
const std::map<std::string, std::int64_t> kPublished = {
    {"gpt2", 124439808},          {"gpt2-medium", 354823168},     {"gpt2-large", 774030080},
    {"gpt2-xl", 1557611200},      {"tinyllama-1.1b", 1100048384}, {"smollm2-135m", 134515008},
    {"smollm2-360m", 361821120},  {"smollm2-1.7b", 1711376384},   {"llama-2-7b", 6738415616},
    {"llama-2-13b", 13015864320}, {"llama-2-70b", 68976648192},   {"llama-3-8b", 8030261248},
    {"llama-3.1-8b", 8030261248}, {"llama-3-70b", 70553706496},   {"llama-3.1-405b", 405853388800},
    {"llama-3.2-1b", 1235814400}, {"llama-3.2-3b", 3212749824},   {"mistral-7b", 7241732096},
    {"qwen2.5-0.5b", 494032768},  {"qwen2.5-1.5b", 1543714304},   {"qwen2.5-3b", 3085938688},
    {"qwen2.5-7b", 7615616512},   {"qwen2.5-14b", 14770033664},   {"qwen2.5-32b", 32763876352},
    {"qwen2.5-72b", 72706203648}, {"qwen3-0.6b", 596049920},      {"qwen3-1.7b", 1720574976},
    {"qwen3-4b", 4022468096},     {"qwen3-8b", 8190735360},       {"qwen3-14b", 14768307200},
    {"qwen3-32b", 32762123264},
};

ConfigNode plan_for(const std::string& preset) {
  return io::parse_yaml("model: {config: " + preset +
                            "}\ntraining: {micro_batch_size: 1, seq_len: 8, optimizer: adamw, "
                            "max_steps: 1}\ndata: {synthetic: true}\n",
                        "test");
}

BOOST_AUTO_TEST_CASE(every_preset_has_the_published_number_of_parameters) {
  std::size_t seen = 0;
  for (const auto& path : io::list_configs("models")) {
    const std::string name = path.stem().string();
    BOOST_TEST_CONTEXT(name) {
      const Plan plan = io::load_plan(plan_for(name), ".").plan;
      if (std::get<TransformerPlan>(plan.model.family).kind == TransformerKind::kMoe) continue;
      BOOST_REQUIRE(kPublished.contains(name));
      BOOST_CHECK_EQUAL(models::build_graph(plan).parameter_count(), kPublished.at(name));
      ++seen;
    }
  }
  BOOST_CHECK_EQUAL(seen, kPublished.size());
}

}  // namespace
}  // namespace headroom::test
