#include "trainer/make_device.h"

#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/cuda/cuda_loader.h"

namespace headroom::trainer {

std::unique_ptr<runtime::Device> make_device(const Plan& plan) {
  if (plan.hardware.device != DeviceKind::kCpu) {
    runtime::CudaAttempt attempt = runtime::open_cuda_device(0);
    if (attempt.device != nullptr) return std::move(attempt.device);
    if (plan.hardware.device == DeviceKind::kCuda) {
      throw Error("hardware.device is cuda, but no GPU can be used: " + attempt.reason);
    }
  }
  return runtime::make_cpu_device(plan.training.threads,
                                  plan.training.deterministic == Determinism::kStrict);
}

}  // namespace headroom::trainer
