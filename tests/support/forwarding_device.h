#pragma once

#include "core/runtime/device.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::test {

/// A device that does what another one does; tests change parts of it.
class ForwardingDevice : public runtime::Device {
 public:
  explicit ForwardingDevice(std::unique_ptr<runtime::Device> device) : device_(std::move(device)) {}
  std::string_view name() const override { return device_->name(); }
  std::string description() const override { return device_->description(); }
  const runtime::KernelTable& kernels() const override { return device_->kernels(); }
  runtime::Queue& queue() override { return device_->queue(); }
  void* allocate(Bytes n, Place place) override { return device_->allocate(n, place); }
  void release(void* m, Place place) noexcept override { device_->release(m, place); }
  void copy_to_device(void* d, const void* h, Bytes n) override {
    device_->copy_to_device(d, h, n);
  }
  void copy_to_host(void* h, const void* d, Bytes n) override { device_->copy_to_host(h, d, n); }
  void fill_zero(void* d, Bytes n) override { device_->fill_zero(d, n); }
  void synchronize() override { device_->synchronize(); }
  bool immediate() const override { return device_->immediate(); }
  bool needs_staging() const override { return device_->needs_staging(); }
  Bytes matmul_workspace_size() const override { return device_->matmul_workspace_size(); }
  void set_matmul_workspace(void* m, Bytes n) override { device_->set_matmul_workspace(m, n); }
  void upload(int slot, void* d, const void* h, Bytes n) override {
    device_->upload(slot, d, h, n);
  }
  void await_upload(int slot) override { device_->await_upload(slot); }
  void mark_consumed(int slot) override { device_->mark_consumed(slot); }
  void await_staging(int slot) override { device_->await_staging(slot); }
  runtime::DeviceMemory memory() const override { return device_->memory(); }
  std::vector<runtime::FixedPart> fixed_parts() const override { return device_->fixed_parts(); }
  void forbid(void* m, Bytes n) noexcept override { device_->forbid(m, n); }
  void permit(void* m, Bytes n) noexcept override { device_->permit(m, n); }

 protected:
  std::unique_ptr<runtime::Device> device_;
};

}  // namespace headroom::test
