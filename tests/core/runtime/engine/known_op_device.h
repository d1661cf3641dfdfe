#pragma once

#include "core/runtime/cpu/cpu_device.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::test {

/// A CPU device that also knows one op of a test.
class KnownOpDevice final : public runtime::Device {
 public:
  KnownOpDevice(std::string_view op,
                runtime::KernelFunction forward,
                runtime::KernelFunction backward,
                runtime::KernelFunction forward_backward = nullptr)
      : cpu_(runtime::make_cpu_device(1, false)), kernels_(cpu_->kernels()) {
    kernels_.add(op, Pass::kForward, forward);
    if (backward != nullptr) kernels_.add(op, Pass::kBackward, backward);
    if (forward_backward != nullptr) kernels_.add(op, Pass::kForwardBackward, forward_backward);
  }
  std::string_view name() const override { return "cpu"; }
  std::string description() const override { return "test"; }
  const runtime::KernelTable& kernels() const override { return kernels_; }
  runtime::Queue& queue() override { return cpu_->queue(); }
  void* allocate(Bytes size, Place place) override { return cpu_->allocate(size, place); }
  void release(void* memory, Place place) noexcept override { cpu_->release(memory, place); }
  void copy_to_device(void* d, const void* h, Bytes n) override { cpu_->copy_to_device(d, h, n); }
  void copy_to_host(void* h, const void* d, Bytes n) override { cpu_->copy_to_host(h, d, n); }
  void fill_zero(void* d, Bytes n) override { cpu_->fill_zero(d, n); }
  void synchronize() override {}
  bool immediate() const override { return true; }
  bool needs_staging() const override { return false; }
  Bytes matmul_workspace_size() const override { return Bytes(0); }
  void set_matmul_workspace(void*, Bytes) override {}
  void upload(int, void*, const void*, Bytes) override {}
  void await_upload(int) override {}
  void mark_consumed(int) override {}
  void await_staging(int) override {}
  runtime::DeviceMemory memory() const override { return cpu_->memory(); }
  std::vector<runtime::FixedPart> fixed_parts() const override { return {}; }
  void forbid(void* memory, Bytes size) noexcept override { cpu_->forbid(memory, size); }
  void permit(void* memory, Bytes size) noexcept override { cpu_->permit(memory, size); }

 private:
  std::unique_ptr<runtime::Device> cpu_;
  runtime::KernelTable kernels_;
};

}  // namespace headroom::test
