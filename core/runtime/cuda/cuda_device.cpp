#include "core/runtime/cuda/cuda_device.h"

#include "core/describe/device_traits.h"
#include "core/runtime/cuda/cuda_availability.h"
#include "core/runtime/cuda/cuda_error.h"
#include "core/runtime/cuda/cuda_handles.h"
#include "core/runtime/cuda/cuda_kernels.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace headroom::runtime {
namespace {

/// Copies between the device and ordinary host memory go through a pinned buffer of this size: a
/// large model takes few turns, and the buffer stays small beside pinned batches.
constexpr std::size_t kBounceBytes = std::size_t{4} << 20;
/// Side of the warm-up product: the first one makes cuBLASLt load its code.
constexpr std::int64_t kWarmUpSize = 64;

std::size_t size_of(Bytes bytes) { return static_cast<std::size_t>(bytes.value()); }

/// Makes the GPU current for this thread, which also creates its context.
int select(int index) {
  check(cudaSetDevice(index), "cudaSetDevice");
  return index;
}

std::string describe_device(int index) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  int driver = 0;
  int runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return std::string(properties.name) + ", compute capability " + std::to_string(properties.major) +
         "." + std::to_string(properties.minor) + ", " +
         std::to_string(properties.multiProcessorCount) + " multiprocessors, CUDA runtime " +
         cuda_version(runtime) + ", driver for CUDA " + cuda_version(driver);
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index)
      : index_(select(index)),
        description_(describe_device(index)),
        context_(used()),
        compute_(make_stream()),
        copies_(make_stream()),
        bounce_(make_pinned(kBounceBytes)),
        backend_(make_cuda_backend(compute_.get())),
        kernels_(cuda_kernels()) {
    warm_up();
    libraries_ = used() - context_;
  }
  // Nothing may still be running when streams, events and buffers go.
  ~CudaDevice() override { static_cast<void>(wait()); }

  std::string_view name() const override { return "cuda"; }
  std::string description() const override { return description_; }
  const KernelTable& kernels() const override { return kernels_; }
  Queue& queue() override { return *backend_; }

  void* allocate(Bytes size, Place place) override;
  void release(void* memory, Place place) noexcept override;
  void copy_to_device(void* device, const void* host, Bytes size) override;
  void copy_to_host(void* host, const void* device, Bytes size) override;
  void fill_zero(void* device, Bytes size) override {
    check(cudaMemsetAsync(device, 0, size_of(size), compute_.get()), "cudaMemsetAsync");
  }
  void synchronize() override { check(wait(), "waiting for the GPU"); }

  bool immediate() const override { return false; }
  bool needs_staging() const override { return kCudaTraits.staged_inputs; }
  Bytes matmul_workspace_size() const override { return kCudaTraits.matmul_workspace; }
  void set_matmul_workspace(void* memory, Bytes size) override {
    backend_->set_matmul_workspace(memory, size);
  }

  void upload(int slot, void* device, const void* staging, Bytes size) override;
  void await_upload(int slot) override;
  void mark_consumed(int slot) override;
  void await_staging(int slot) override;

  DeviceMemory memory() const override;
  std::vector<FixedPart> fixed_parts() const override {
    return {{.name = "CUDA context, and whatever else was using the GPU", .bytes = context_},
            {.name = "cuBLASLt and kernels", .bytes = libraries_}};
  }

 private:
  /// One batch buffer on the device and its staging buffer.
  struct Slot {
    CudaEvent uploaded = make_event();
    CudaEvent consumed = make_event();
  };

  [[nodiscard]] Bytes used() const { return memory().used; }
  [[nodiscard]] Slot& slot(int number);
  cudaError_t wait() const noexcept;
  void warm_up();

  int index_;
  std::string description_;
  Bytes context_, libraries_;
  CudaStream compute_, copies_;
  PinnedMemory bounce_;
  std::vector<Slot> slots_;
  std::unique_ptr<CudaQueue> backend_;
  KernelTable kernels_;
};

void* CudaDevice::allocate(Bytes size, Place place) {
  select(index_);
  void* memory = nullptr;
  const bool pinned = place == Place::kHost;
  const cudaError_t code = pinned ? cudaHostAlloc(&memory, size_of(size), cudaHostAllocDefault)
                                  : cudaMalloc(&memory, size_of(size));
  if (code == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    if (!pinned) throw OutOfMemory("cuda", size, this->memory());
    const std::int64_t page = ::sysconf(_SC_PAGESIZE);
    const Bytes capacity(::sysconf(_SC_PHYS_PAGES) * page);
    const Bytes free(::sysconf(_SC_AVPHYS_PAGES) * page);
    throw OutOfMemory("the host (pinned memory)", size,
                      {.used = capacity - free, .capacity = capacity});
  }
  check(code, pinned ? "cudaHostAlloc" : "cudaMalloc");
  return memory;
}

void CudaDevice::release(void* memory, Place place) noexcept {
  // An error here belongs to work issued before; there is nobody to tell, and nothing left to do.
  static_cast<void>(wait());
  static_cast<void>(place == Place::kHost ? cudaFreeHost(memory) : cudaFree(memory));
  static_cast<void>(cudaGetLastError());
}

void CudaDevice::copy_to_device(void* device, const void* host, Bytes size) {
  select(index_);
  for (std::size_t done = 0; done < size_of(size); done += kBounceBytes) {
    const std::size_t part = std::min(kBounceBytes, size_of(size) - done);
    std::memcpy(bounce_.get(), static_cast<const std::byte*>(host) + done, part);
    check(cudaMemcpyAsync(static_cast<std::byte*>(device) + done, bounce_.get(), part,
                          cudaMemcpyHostToDevice, compute_.get()),
          "cudaMemcpyAsync to the device");
    check(cudaStreamSynchronize(compute_.get()), "copying to the device");
  }
}

void CudaDevice::copy_to_host(void* host, const void* device, Bytes size) {
  select(index_);
  for (std::size_t done = 0; done < size_of(size); done += kBounceBytes) {
    const std::size_t part = std::min(kBounceBytes, size_of(size) - done);
    check(cudaMemcpyAsync(bounce_.get(), static_cast<const std::byte*>(device) + done, part,
                          cudaMemcpyDeviceToHost, compute_.get()),
          "cudaMemcpyAsync to the host");
    check(cudaStreamSynchronize(compute_.get()), "copying to the host");
    std::memcpy(static_cast<std::byte*>(host) + done, bounce_.get(), part);
  }
}

CudaDevice::Slot& CudaDevice::slot(int number) {
  select(index_);
  while (slots_.size() <= static_cast<std::size_t>(number)) slots_.emplace_back();
  return slots_[static_cast<std::size_t>(number)];
}

void CudaDevice::upload(int number, void* device, const void* staging, Bytes size) {
  const Slot& s = slot(number);
  // Waits for nothing as long as the slot was never consumed.
  check(cudaStreamWaitEvent(copies_.get(), s.consumed.get(), 0), "cudaStreamWaitEvent (consumed)");
  check(cudaMemcpyAsync(device, staging, size_of(size), cudaMemcpyHostToDevice, copies_.get()),
        "cudaMemcpyAsync of a batch");
  check(cudaEventRecord(s.uploaded.get(), copies_.get()), "cudaEventRecord (uploaded)");
}

void CudaDevice::await_upload(int number) {
  check(cudaStreamWaitEvent(compute_.get(), slot(number).uploaded.get(), 0),
        "cudaStreamWaitEvent (uploaded)");
}

void CudaDevice::mark_consumed(int number) {
  check(cudaEventRecord(slot(number).consumed.get(), compute_.get()), "cudaEventRecord (consumed)");
}

void CudaDevice::await_staging(int number) {
  check(cudaEventSynchronize(slot(number).uploaded.get()), "waiting for a batch to be uploaded");
}

DeviceMemory CudaDevice::memory() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaSetDevice(index_), "cudaSetDevice");
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return {.used = Bytes(static_cast<std::int64_t>(total - free)),
          .capacity = Bytes(static_cast<std::int64_t>(total))};
}

cudaError_t CudaDevice::wait() const noexcept {
  const cudaError_t selected = cudaSetDevice(index_);
  if (selected != cudaSuccess) return selected;
  const cudaError_t computed = cudaStreamSynchronize(compute_.get());
  const cudaError_t copied = cudaStreamSynchronize(copies_.get());
  return computed != cudaSuccess ? computed : copied;
}

void CudaDevice::warm_up() {
  const std::size_t bytes = sizeof(float) * kWarmUpSize * kWarmUpSize;
  const DeviceBuffer operand = make_device_buffer(bytes);
  const DeviceBuffer result = make_device_buffer(bytes);
  fill_zero(operand.get(), Bytes(static_cast<std::int64_t>(bytes)));
  backend_->matmul({.m = kWarmUpSize,
                    .n = kWarmUpSize,
                    .k = kWarmUpSize,
                    .a = operand.get(),
                    .b = operand.get(),
                    .c = result.get(),
                    .lda = kWarmUpSize,
                    .ldb = kWarmUpSize,
                    .ldc = kWarmUpSize});
  synchronize();
}

}  // namespace

std::unique_ptr<Device> make_cuda_device(int index) { return std::make_unique<CudaDevice>(index); }

}  // namespace headroom::runtime
