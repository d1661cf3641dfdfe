#pragma once

#include "tests/doubles/cuda/config.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace headroom::cuda_double {

/// What kind of memory a pointer points to. kDead: once or never allocated, inside our ranges.
enum class Space { kPageable, kDevice, kPinned, kDead };

/// One live range that the double knows.
struct Allocation {
  std::uint64_t id = 0;
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  Space space = Space::kDevice;
  bool registered = false;  ///< cudaHostRegister: memory of the program, not ours
  int device = 0;
  std::uintptr_t pages = 0;  ///< start of the mapped pages around it
  std::size_t page_bytes = 0;
  bool release_queued = false;  ///< cudaFreeAsync was called and has not run

  [[nodiscard]] std::uintptr_t end() const { return base + bytes; }
};

/// `device allocation #3 (4096 bytes)`
std::string to_string(const Allocation& allocation);

/// A reserved stretch of addresses handed out page by page, with gaps, and reused as late as
/// possible so that stale pointers keep faulting.
class AddressRange {
 public:
  AddressRange(std::uintptr_t hint, std::size_t bytes);
  ~AddressRange();
  AddressRange(const AddressRange&) = delete;
  AddressRange& operator=(const AddressRange&) = delete;

  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return address >= begin_ && address < begin_ + bytes_;
  }
  /// Start of `page_bytes` unmapped bytes with a gap on both sides, or 0 when none is left.
  std::uintptr_t place(std::size_t page_bytes, const std::map<std::uintptr_t, Allocation>& live);

 private:
  std::uintptr_t begin_ = 0;
  std::size_t bytes_ = 0;
  std::uintptr_t cursor_ = 0;
};

/// Device and pinned memory: allocation, poison, accounting and the question "what is this
/// pointer". Not synchronised; callers hold the runtime's lock.
class Memory {
 public:
  explicit Memory(const Config& config);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Null when the device is full, or when the process is out of address space.
  void* allocate_device(std::size_t bytes, int device);
  void* allocate_pinned(std::size_t bytes);
  bool register_host(void* pointer, std::size_t bytes);

  /// Unmaps; returns what was wrong with the slack around the range, or "".
  std::string release(std::uintptr_t base);
  void unregister_host(std::uintptr_t base);

  /// The live allocation that holds `pointer`, or null.
  [[nodiscard]] const Allocation* find(const void* pointer) const;
  /// The latest freed allocation that held `pointer`, if it is remembered.
  [[nodiscard]] const Allocation* find_freed(const void* pointer) const;
  [[nodiscard]] Allocation* find_base(const void* pointer);
  [[nodiscard]] Space space(const void* pointer) const;
  [[nodiscard]] bool in_device_range(std::uintptr_t address) const;
  [[nodiscard]] bool in_pinned_range(std::uintptr_t address) const;
  /// Where a pointer lies, in words, for messages.
  [[nodiscard]] std::string describe(const void* pointer) const;
  /// "" when [pointer, pointer + bytes) lies inside one live allocation, else why not.
  [[nodiscard]] std::string range_problem(const void* pointer, std::size_t bytes) const;

  /// Bytes of the device in use as the driver would count them, context included.
  [[nodiscard]] std::size_t used_bytes(int device) const;
  [[nodiscard]] const std::map<std::uintptr_t, Allocation>& live() const { return live_; }

  /// Makes a coming change of the poison byte or of the host guard take effect.
  void reconfigure(const Config& next);

  /// Opens device memory to the CPU while work runs; nests.
  void unlock();
  void lock();

 private:
  std::uintptr_t map_pages(AddressRange& range, std::size_t bytes, Allocation& allocation);
  void poison(const Allocation& allocation);
  void protect(const Allocation& allocation, bool open) const;
  bool map_pattern(std::uintptr_t begin, std::size_t bytes);
  [[nodiscard]] std::size_t used_with(int device, std::size_t extra) const;
  [[nodiscard]] std::string slack_problem(const Allocation& allocation) const;

  const Config& config_;
  AddressRange device_range_;
  AddressRange pinned_range_;
  std::map<std::uintptr_t, Allocation> live_;
  std::deque<Allocation> freed_;  ///< the latest freed ones, for messages
  std::uint64_t next_id_ = 1;
  int open_depth_ = 0;
  int pattern_file_ = -1;
};

/// Opens device memory for a scope.
class DeviceAccess {
 public:
  explicit DeviceAccess(Memory& memory) : memory_(memory) { memory_.unlock(); }
  ~DeviceAccess() { memory_.lock(); }
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;

 private:
  Memory& memory_;
};

}  // namespace headroom::cuda_double
