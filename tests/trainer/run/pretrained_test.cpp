// Weights leave as Hugging Face names and lays them out, and come back.

#include "core/io/safetensors.h"
#include "tests/trainer/run/run_plan.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(pretrained)

/// Trains a little and returns the folder of the last checkpoint.
fs::path trained(const std::string& name, const fs::path& folder, std::vector<std::string> words) {
  test::Recorder recorder;
  words.emplace_back("training.max_steps=3");
  const auto finished = test::run(test::load(name, words), folder, "", recorder);
  BOOST_REQUIRE((finished.outcome.code == ExitCode::kOk));
  return finished.directory.checkpoint(3);
}

// No step is taken: with a learning rate of 0 what was loaded is saved again.
BOOST_AUTO_TEST_CASE(what_was_saved_comes_back_bit_by_bit) {
  for (const char* name : {"gpt2-tiny.yaml", "llama-tiny.yaml"}) {
    for (const char* precision : {"f32", "bf16-true"}) {
      BOOST_TEST_CONTEXT(name << ' ' << precision) {
        const test::TemporaryFolder first, second;
        const std::string words = std::string("training.precision=") + precision;
        const fs::path saved = trained(name, first.path(), {words}) / "model.safetensors";
        const fs::path again =
            trained(name, second.path(),
                    {words, "model.weights=" + saved.string(), "training.optimizer.lr=0",
                     "training.optimizer.weight_decay=0"}) /
            "model.safetensors";
        BOOST_TEST((test::contents(saved) == test::contents(again)));
      }
    }
  }
}

// Files of GPT-2 on the hub leave out `transformer.`, keep causal masks and may be in shards.
BOOST_AUTO_TEST_CASE(names_of_the_hub_are_understood) {
  const test::TemporaryFolder first, hub, second;
  const fs::path saved = trained("gpt2-tiny.yaml", first.path(), {}) / "model.safetensors";
  const io::SafetensorsFile file(saved);
  std::vector<std::vector<std::byte>> data;
  std::vector<io::TensorSource> shards[2];
  for (const io::StoredTensor& tensor : file.tensors()) {
    auto& bytes = data.emplace_back(static_cast<std::size_t>(tensor.size.value()));
    file.read(tensor, bytes);
    shards[data.size() % 2].push_back(
        {.name = tensor.name.substr(std::string("transformer.").size()),
         .dtype = *tensor.dtype,
         .shape = tensor.shape,
         .data = bytes.data()});
  }
  const std::vector<float> mask(16, 1.0F);
  shards[0].push_back(
      {.name = "h.0.attn.bias", .dtype = DType::kF32, .shape = {1, 1, 4, 4}, .data = mask.data()});
  io::write_safetensors(hub.path() / "model-00001-of-00002.safetensors", shards[0]);
  io::write_safetensors(hub.path() / "model-00002-of-00002.safetensors", shards[1]);
  const fs::path again = trained("gpt2-tiny.yaml", second.path(),
                                 {"model.weights=" + hub.path().string(), "training.optimizer.lr=0",
                                  "training.optimizer.weight_decay=0"}) /
                         "model.safetensors";
  BOOST_TEST((test::contents(saved) == test::contents(again)));
}

BOOST_AUTO_TEST_CASE(weights_of_another_model_are_refused) {
  const test::TemporaryFolder first, second;
  const fs::path saved = trained("gpt2-tiny.yaml", first.path(), {}) / "model.safetensors";
  test::Recorder recorder;
  const auto load = [&](const std::string& word) {
    (void)test::run(test::load("gpt2-tiny.yaml", {"model.weights=" + saved.string(), word}),
                    second.path(), "", recorder);
  };
  const auto says = [](const std::string& words) {
    return [words](const IoError& error) {
      return std::string(error.what()).find(words) != std::string::npos;
    };
  };
  BOOST_CHECK_EXCEPTION(load("model.num_hidden_layers=4"), IoError,
                        says("tensor transformer.h.3.ln_1.weight is missing"));
  BOOST_CHECK_EXCEPTION(load("model.num_hidden_layers=2"), IoError,
                        says("the model has no tensor transformer.h.2."));
  BOOST_CHECK_EXCEPTION(load("model.vocab_size=212"), IoError,
                        says("tensor transformer.wte.weight (F32) is not the model's"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
