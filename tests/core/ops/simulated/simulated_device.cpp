#include "tests/core/ops/simulated/simulated_device.h"

#include "core/ops/kernels.h"
#include "core/optim/kernels.h"
#include "core/runtime/cpu/cpu_device.h"
#include "tests/support/forwarding_device.h"

namespace headroom::test {
namespace {

class SimulatedDevice final : public ForwardingDevice {
 public:
  explicit SimulatedDevice(bool forward)
      : ForwardingDevice(runtime::make_cpu_device(1, true)), backend_(device_->queue(), forward) {
    ops::test_kernels::register_activation(kernels_);
    ops::test_kernels::register_cast(kernels_);
    ops::test_kernels::register_attention(kernels_);
    ops::test_kernels::register_cross_entropy(kernels_);
    ops::test_kernels::register_dropout(kernels_);
    ops::test_kernels::register_einsum(kernels_);
    ops::test_kernels::register_elementwise(kernels_);
    ops::test_kernels::register_head_cross_entropy(kernels_);
    ops::test_kernels::register_embedding(kernels_);
    ops::test_kernels::register_layer_norm(kernels_);
    ops::test_kernels::register_linear(kernels_);
    ops::test_kernels::register_mse(kernels_);
    ops::test_kernels::register_reduce(kernels_);
    ops::test_kernels::register_rms_norm(kernels_);
    ops::test_kernels::register_swiglu(kernels_);
    ops::test_kernels::register_rope(kernels_);
    optim::test_kernels::register_adagrad(kernels_);
    optim::test_kernels::register_adam(kernels_);
    optim::test_kernels::register_adamw(kernels_);
    optim::test_kernels::register_rmsprop(kernels_);
    optim::test_kernels::register_sgd(kernels_);
    optim::test_kernels::register_squared_norm(kernels_);
  }
  const runtime::KernelTable& kernels() const override { return kernels_; }
  runtime::Queue& queue() override { return backend_; }

 private:
  runtime::KernelTable kernels_;
  runtime::TestBackend backend_;
};

}  // namespace

std::unique_ptr<runtime::Device> make_simulated_device(bool forward) {
  return std::make_unique<SimulatedDevice>(forward);
}

}  // namespace headroom::test
