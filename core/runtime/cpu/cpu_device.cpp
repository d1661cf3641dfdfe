#include "core/runtime/cpu/cpu_device.h"

#include "core/describe/format.h"
#include "core/runtime/cpu/cpu_kernels.h"

#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace headroom::runtime {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

/// Side of the warm-up product: large enough that every thread packs into its own buffers.
constexpr std::int64_t kWarmUpSize = 512;

class CpuDevice final : public Device {
 public:
  CpuDevice(int threads, bool strict)
      : backend_({.threads = threads, .strict = strict}), kernels_(cpu_kernels()) {
    omp_set_num_threads(threads);
    const Bytes before = resident_anonymous_memory();
    warm_up();
    libraries_ = resident_anonymous_memory() - before;
    processor_ = processor_name();
  }

  std::string_view name() const override { return "cpu"; }
  std::string description() const override {
    return processor_ + ", " + format_counted(backend_.threading().threads, "thread");
  }
  const KernelTable& kernels() const override { return kernels_; }
  Queue& queue() override { return backend_; }

  void* allocate(Bytes size, Place /*place*/) override {
    void* memory = ::mmap(nullptr, static_cast<std::size_t>(size.value()), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw OutOfMemory("cpu", size, this->memory());
    sizes_.push_back({memory, size});
    return memory;
  }
  void release(void* memory, Place /*place*/) noexcept override {
    std::erase_if(sizes_, [&](const auto& entry) {
      if (entry.first != memory) return false;
      ::munmap(memory, static_cast<std::size_t>(entry.second.value()));
      return true;
    });
  }
  void copy_to_device(void* device, const void* host, Bytes size) override {
    std::memcpy(device, host, static_cast<std::size_t>(size.value()));
  }
  void copy_to_host(void* host, const void* device, Bytes size) override {
    std::memcpy(host, device, static_cast<std::size_t>(size.value()));
  }
  void fill_zero(void* device, Bytes size) override {
    std::memset(device, 0, static_cast<std::size_t>(size.value()));
  }
  void synchronize() override {}

  bool immediate() const override { return true; }
  bool needs_staging() const override { return false; }
  Bytes matmul_workspace_size() const override { return Bytes(0); }
  void set_matmul_workspace(void*, Bytes) override {}
  void upload(int, void*, const void*, Bytes) override {}
  void await_upload(int) override {}
  void mark_consumed(int) override {}
  void await_staging(int) override {}

  DeviceMemory memory() const override {
    const auto page = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
    return {.used = resident_anonymous_memory(),
            .capacity = Bytes(::sysconf(_SC_PHYS_PAGES) * page)};
  }
  std::vector<FixedPart> fixed_parts() const override {
    std::vector<FixedPart> parts{{.name = "threads and OpenBLAS buffers", .bytes = libraries_}};
    const Bytes widening = backend_.widening_buffers();
    if (widening.value() > 0) {
      parts.push_back({.name = "buffers that 16-bit products are widened in", .bytes = widening});
    }
    return parts;
  }

#if defined(__SANITIZE_ADDRESS__)
  void forbid(void* memory, Bytes size) noexcept override {
    __asan_poison_memory_region(memory, static_cast<std::size_t>(size.value()));
  }
  void permit(void* memory, Bytes size) noexcept override {
    __asan_unpoison_memory_region(memory, static_cast<std::size_t>(size.value()));
  }
#endif

 private:
  void warm_up() {
    const std::vector<float> a(kWarmUpSize * kWarmUpSize, 1.0F);
    std::vector<float> c(a.size());
    backend_.matmul({.m = kWarmUpSize,
                     .n = kWarmUpSize,
                     .k = kWarmUpSize,
                     .a = a.data(),
                     .b = a.data(),
                     .c = c.data(),
                     .lda = kWarmUpSize,
                     .ldb = kWarmUpSize,
                     .ldc = kWarmUpSize});
  }

  CpuBackend backend_;
  KernelTable kernels_;
  std::string processor_;
  Bytes libraries_;
  std::vector<std::pair<void*, Bytes>> sizes_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(int threads, bool strict) {
  return std::make_unique<CpuDevice>(threads > 0 ? threads : omp_get_num_procs(), strict);
}

}  // namespace headroom::runtime
