#pragma once

#include "core/describe/error.h"
#include "core/describe/tensor.h"
#include "core/describe/units.h"
#include "core/runtime/kernel_table.h"
#include "core/runtime/matmul.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::runtime {

/// What kernels are handed to start work on a device. Each backend's own class adds
/// `rows(program, count)`, which is a template; matrix products go through the interface.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void matmul(const Matmul& product) = 0;
  /// Copies within the device.
  virtual void copy(void* to, const void* from, Bytes size) = 0;
};

/// Memory as the operating system or the driver counts it, beside what we allocated ourselves.
struct DeviceMemory {
  Bytes used;      ///< CPU: resident anonymous memory of this process; CUDA: used on the device
  Bytes capacity;  ///< all there is
};

/// A part of the process's memory that is no tensor, named and measured (BLAS buffers, context).
struct FixedPart {
  std::string name;
  Bytes bytes;
};

/// One computing device: memory, transfers, order of work, and its kernels.
/// Work is issued in order; `synchronize` waits for all of it. Not thread safe.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;    ///< "cpu" or "cuda"
  [[nodiscard]] virtual std::string description() const = 0;  ///< e.g. the processor's name
  [[nodiscard]] virtual const KernelTable& kernels() const = 0;
  [[nodiscard]] virtual Queue& queue() = 0;

  /// Throws OutOfMemory. Place::kHost is pinned memory. Contents are undefined.
  [[nodiscard]] virtual void* allocate(Bytes size, Place place) = 0;
  virtual void release(void* memory, Place place) noexcept = 0;
  virtual void copy_to_device(void* device, const void* host, Bytes size) = 0;
  virtual void copy_to_host(void* host, const void* device, Bytes size) = 0;
  virtual void fill_zero(void* device, Bytes size) = 0;
  virtual void synchronize() = 0;

  /// True when a call has finished once it returns (CPU).
  [[nodiscard]] virtual bool immediate() const = 0;
  /// True when batches must be staged in pinned host memory and copied over.
  [[nodiscard]] virtual bool needs_staging() const = 0;
  /// Scratch that all matrix products share; becomes a tensor of the step.
  [[nodiscard]] virtual Bytes matmul_workspace_size() const = 0;
  virtual void set_matmul_workspace(void* memory, Bytes size) = 0;

  /// Starts copying a staged batch for `slot`; it overlaps with the work already issued.
  virtual void upload(int slot, void* device, const void* staging, Bytes size) = 0;
  /// Work issued from here on waits until the slot's uploads have arrived.
  virtual void await_upload(int slot) = 0;
  /// The work issued so far is the last that reads the slot.
  virtual void mark_consumed(int slot) = 0;
  /// Blocks until the slot's staging buffers may be overwritten by the host.
  virtual void await_staging(int slot) = 0;

  [[nodiscard]] virtual DeviceMemory memory() const = 0;
  /// Memory taken by the device's libraries before any tensor exists.
  [[nodiscard]] virtual std::vector<FixedPart> fixed_parts() const = 0;

  /// Marks memory as outside / inside a tensor's life, where a sanitizer can watch it.
  virtual void forbid(void* /*memory*/, Bytes /*size*/) noexcept {}
  virtual void permit(void* /*memory*/, Bytes /*size*/) noexcept {}
};

/// A tensor buffer could not be had.
class OutOfMemory : public Error {
 public:
  OutOfMemory(std::string_view device, Bytes requested, DeviceMemory memory);
  [[nodiscard]] Bytes requested() const noexcept { return requested_; }
  [[nodiscard]] DeviceMemory memory() const noexcept { return memory_; }

 private:
  Bytes requested_;
  DeviceMemory memory_;
};

}  // namespace headroom::runtime
