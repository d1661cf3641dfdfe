#include "core/io/safetensors.h"
#include "core/models/training_step.h"
#include "core/runtime/cpu/cpu_device.h"
#include "tests/support/temporary_folder.h"
#include "trainer/checkpoint.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

// "torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, ...)"
BOOST_AUTO_TEST_CASE(a_checkpoint_holds_model_and_optimizer) {
  Plan plan;
  plan.model.family = CruncherPlan{.dim = 5, .num_layers = 2};
  plan.training.micro_batch_size = 3;
  plan.training.optimizer = {.name = OptimizerKind::kAdam, .beta1 = 0.9, .beta2 = 0.999};
  const Step step = models::training_step(plan, kCpuTraits);
  const auto device = runtime::make_cpu_device(1, false);
  runtime::Ledger ledger(step);
  runtime::Executor executor(step, plan_arena(step), *device, ledger);
  executor.initialise(1);
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "step-7";
  trainer::save_checkpoint(path, executor, {.step = 7, .seed = 1});

  const io::SafetensorsFile model(path / "model.safetensors");
  BOOST_TEST(model.tensors().size() == 3U);
  BOOST_TEST((model.at("layers.1.weight").shape == std::vector<std::int64_t>{5, 5}));
  BOOST_TEST((model.at("final.weight").shape == std::vector<std::int64_t>{5, 1}));
  const io::SafetensorsFile optimizer(path / "optimizer.safetensors");
  BOOST_TEST(optimizer.tensors().size() == 6U);
  BOOST_TEST(optimizer.find("layers.0.weight.exp_avg") != nullptr);

  runtime::Ledger other_ledger(step);
  runtime::Executor other(step, plan_arena(step), *device, other_ledger);
  other.initialise(2);
  BOOST_TEST(trainer::load_checkpoint(path, other).step == 7);
  for (TensorId id : step.parameters) {
    const auto size = static_cast<std::size_t>(step.bytes(id).value());
    std::vector<std::byte> a(size), b(size);
    executor.read_tensor(id, 0, a);
    other.read_tensor(id, 0, b);
    BOOST_TEST((a == b));
  }
}

}  // namespace
}  // namespace headroom
