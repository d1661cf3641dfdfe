#include "tests/doubles/cuda/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

namespace headroom::cuda_double {
namespace {

constexpr std::size_t kGap = 64 << 10;
constexpr std::size_t kDeviceAlignment = 256;
constexpr unsigned char kSlack = 0xFD;
constexpr std::size_t kPatternBytes = std::size_t{16} << 20;
constexpr std::size_t kPatternThreshold = std::size_t{4} << 20;
constexpr std::size_t kRememberedFrees = 4096;

// Kernel arguments are scanned for pointers. So that two packed 32-bit sizes, or a size beside
// stale padding, are not mistaken for one, upper halves are odd numbers (14940, 11118) and the
// first lower halves are large.
constexpr std::uintptr_t kDeviceHint = 0x3A5C'8000'0000;
constexpr std::uintptr_t kPinnedHint = 0x2B6E'8000'0000;
constexpr std::size_t kRangeBytes = std::size_t{1} << 40;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

char* at(std::uintptr_t address) { return reinterpret_cast<char*>(address); }

}  // namespace

std::string to_string(const Allocation& allocation) {
  const char* kind = allocation.registered                ? "registered host range #"
                     : allocation.space == Space::kDevice ? "device allocation #"
                                                          : "pinned allocation #";
  return kind + std::to_string(allocation.id) + " (" + std::to_string(allocation.bytes) + " bytes)";
}

AddressRange::AddressRange(std::uintptr_t hint, std::size_t bytes) : bytes_(bytes) {
  void* base = mmap(at(hint), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  begin_ = reinterpret_cast<std::uintptr_t>(base);
  cursor_ = begin_;
}

AddressRange::~AddressRange() { munmap(at(begin_), bytes_); }

std::uintptr_t AddressRange::place(std::size_t page_bytes,
                                   const std::map<std::uintptr_t, Allocation>& live) {
  if (page_bytes + 2 * kGap > bytes_) return 0;
  for (int wraps = 0; wraps < 2;) {
    if (cursor_ + page_bytes + 2 * kGap > begin_ + bytes_) {
      cursor_ = begin_;
      ++wraps;
    }
    const std::uintptr_t end = cursor_ + page_bytes + 2 * kGap;
    // The last live allocation that starts before `end` is the only one that can be in the way.
    auto next = live.lower_bound(end);
    if (next != live.begin()) {
      const Allocation& before = std::prev(next)->second;
      const std::uintptr_t taken = before.pages + before.page_bytes;
      if (contains(before.base) && taken > cursor_) {
        cursor_ = taken;
        continue;
      }
    }
    const std::uintptr_t start = cursor_ + kGap;
    cursor_ = start + page_bytes;
    return start;
  }
  return 0;
}

Memory::Memory(const Config& config)
    : config_(config),
      device_range_(kDeviceHint, kRangeBytes),
      pinned_range_(kPinnedHint, kRangeBytes) {}

Memory::~Memory() {
  if (pattern_file_ >= 0) close(pattern_file_);
}

// Large ranges are private views of one poisoned file, so that 80 GiB of poison costs only what is
// written to.
bool Memory::map_pattern(std::uintptr_t begin, std::size_t bytes) {
  if (pattern_file_ < 0) {
    const int file = memfd_create("cuda_double_poison", MFD_CLOEXEC);
    if (file < 0) return false;
    const std::vector<unsigned char> pattern(kPatternBytes, config_.poison);
    std::size_t written = 0;
    while (written < kPatternBytes) {
      const ssize_t count = write(file, pattern.data() + written, kPatternBytes - written);
      if (count <= 0) {
        close(file);
        return false;
      }
      written += static_cast<std::size_t>(count);
    }
    pattern_file_ = file;
  }
  for (std::size_t done = 0; done < bytes; done += kPatternBytes) {
    const std::size_t part = std::min(kPatternBytes, bytes - done);
    if (mmap(at(begin + done), part, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pattern_file_, 0) == MAP_FAILED) {
      return false;
    }
  }
  return true;
}

// The range ends as close to a page's end as its alignment allows, so that running past it faults.
std::uintptr_t Memory::map_pages(AddressRange& range, std::size_t bytes, Allocation& allocation) {
  const std::size_t aligned = round_up(bytes, kDeviceAlignment);
  allocation.page_bytes = round_up(aligned, page_size());
  allocation.pages = range.place(allocation.page_bytes, live_);
  if (allocation.pages == 0) return 0;
  const bool mapped =
      allocation.page_bytes >= kPatternThreshold
          ? map_pattern(allocation.pages, allocation.page_bytes)
          : mprotect(at(allocation.pages), allocation.page_bytes, PROT_READ | PROT_WRITE) == 0;
  if (!mapped) return 0;
  allocation.base = allocation.pages + allocation.page_bytes - aligned;
  allocation.bytes = bytes;
  allocation.id = next_id_++;
  poison(allocation);
  return allocation.base;
}

void Memory::poison(const Allocation& allocation) {
  if (allocation.page_bytes < kPatternThreshold) {
    std::memset(at(allocation.base), config_.poison, allocation.bytes);
  }
  std::memset(at(allocation.pages), kSlack, allocation.base - allocation.pages);
  std::memset(at(allocation.end()), kSlack,
              allocation.pages + allocation.page_bytes - allocation.end());
}

std::string Memory::slack_problem(const Allocation& allocation) const {
  const auto touched = [](std::uintptr_t begin, std::uintptr_t end) {
    const char* const first = at(begin);
    return std::any_of(first, first + (end - begin),
                       [](char byte) { return static_cast<unsigned char>(byte) != kSlack; });
  };
  if (touched(allocation.end(), allocation.pages + allocation.page_bytes)) {
    return "something wrote past the end of " + to_string(allocation);
  }
  if (touched(allocation.pages, allocation.base)) {
    return "something wrote before the start of " + to_string(allocation);
  }
  return {};
}

void Memory::protect(const Allocation& allocation, bool open) const {
  mprotect(at(allocation.pages), allocation.page_bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void* Memory::allocate_device(std::size_t bytes, int device) {
  if (bytes > config_.memory || used_with(device, bytes) > config_.memory) return nullptr;
  Allocation allocation;
  allocation.device = device;
  if (map_pages(device_range_, bytes, allocation) == 0) return nullptr;
  if (config_.host_guard && open_depth_ == 0) protect(allocation, false);
  live_.emplace(allocation.base, allocation);
  return at(allocation.base);
}

void* Memory::allocate_pinned(std::size_t bytes) {
  Allocation allocation;
  allocation.space = Space::kPinned;
  if (map_pages(pinned_range_, bytes, allocation) == 0) return nullptr;
  live_.emplace(allocation.base, allocation);
  return at(allocation.base);
}

bool Memory::register_host(void* pointer, std::size_t bytes) {
  Allocation allocation;
  allocation.base = reinterpret_cast<std::uintptr_t>(pointer);
  allocation.bytes = bytes;
  allocation.space = Space::kPinned;
  allocation.registered = true;
  allocation.pages = allocation.base;
  allocation.page_bytes = bytes;
  auto next = live_.lower_bound(allocation.base);
  if (next != live_.end() && next->second.base < allocation.end()) return false;
  if (next != live_.begin() && std::prev(next)->second.end() > allocation.base) return false;
  allocation.id = next_id_++;
  live_.emplace(allocation.base, allocation);
  return true;
}

std::string Memory::release(std::uintptr_t base) {
  const auto position = live_.find(base);
  const Allocation allocation = position->second;
  if (allocation.space == Space::kDevice) protect(allocation, true);
  std::string problem = slack_problem(allocation);
  // A fresh mapping gives the pages back; the address stays taken and inaccessible.
  mmap(at(allocation.pages), allocation.page_bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  live_.erase(position);
  freed_.push_back(allocation);
  if (freed_.size() > kRememberedFrees) freed_.pop_front();
  return problem;
}

void Memory::unregister_host(std::uintptr_t base) { live_.erase(base); }

const Allocation* Memory::find(const void* pointer) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto next = live_.upper_bound(address);
  if (next == live_.begin()) return nullptr;
  const Allocation& allocation = std::prev(next)->second;
  return address < allocation.end() ? &allocation : nullptr;
}

Allocation* Memory::find_base(const void* pointer) {
  const auto position = live_.find(reinterpret_cast<std::uintptr_t>(pointer));
  return position == live_.end() ? nullptr : &position->second;
}

bool Memory::in_device_range(std::uintptr_t address) const {
  return device_range_.contains(address);
}

bool Memory::in_pinned_range(std::uintptr_t address) const {
  return pinned_range_.contains(address);
}

Space Memory::space(const void* pointer) const {
  if (const Allocation* allocation = find(pointer)) return allocation->space;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return in_device_range(address) || in_pinned_range(address) ? Space::kDead : Space::kPageable;
}

const Allocation* Memory::find_freed(const void* pointer) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto found = std::find_if(freed_.rbegin(), freed_.rend(), [&](const Allocation& freed) {
    return address >= freed.base && address < freed.end();
  });
  return found == freed_.rend() ? nullptr : &*found;
}

std::string Memory::describe(const void* pointer) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (pointer == nullptr) return "a null pointer";
  if (const Allocation* allocation = find(pointer)) {
    return "byte " + std::to_string(address - allocation->base) + " of " + to_string(*allocation);
  }
  if (!in_device_range(address) && !in_pinned_range(address)) return "pageable host memory";
  if (const Allocation* freed = find_freed(pointer)) {
    return "byte " + std::to_string(address - freed->base) + " of freed " + to_string(*freed);
  }
  auto next = live_.upper_bound(address);
  if (next != live_.begin() && address - std::prev(next)->second.end() < kGap) {
    const Allocation& before = std::prev(next)->second;
    return std::to_string(address - before.end()) + " bytes past the end of " + to_string(before);
  }
  return in_device_range(address) ? "device memory that was never allocated"
                                  : "pinned memory that was never allocated";
}

std::string Memory::range_problem(const void* pointer, std::size_t bytes) const {
  const Allocation* allocation = find(pointer);
  if (allocation == nullptr) return "points to " + describe(pointer);
  if (allocation->release_queued) {
    return "points to " + describe(pointer) + ", which cudaFreeAsync already released";
  }
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (bytes > allocation->end() - address) {
    return "starts at " + describe(pointer) + " and runs " +
           std::to_string(bytes - (allocation->end() - address)) + " bytes past its end";
  }
  return {};
}

std::size_t Memory::used_with(int device, std::size_t extra) const {
  // Small allocations share blocks as in the driver; large ones take whole blocks of their own.
  const std::size_t block = config_.granularity;
  const std::size_t unit = std::min<std::size_t>(512, block);
  std::size_t small = 0;
  std::size_t large = 0;
  const auto count = [&](std::size_t bytes) {
    if (bytes < block / 2) {
      small += round_up(bytes, unit);
    } else {
      large += round_up(bytes, block);
    }
  };
  for (const auto& [base, allocation] : live_) {
    if (allocation.space == Space::kDevice && allocation.device == device) count(allocation.bytes);
  }
  count(extra);
  return config_.context + round_up(small, block) + large;
}

std::size_t Memory::used_bytes(int device) const { return used_with(device, 0); }

void Memory::reconfigure(const Config& next) {
  if (next.poison != config_.poison && pattern_file_ >= 0) {
    close(pattern_file_);
    pattern_file_ = -1;
  }
  if (next.host_guard == config_.host_guard) return;
  for (const auto& [base, allocation] : live_) {
    if (allocation.space == Space::kDevice) protect(allocation, !next.host_guard);
  }
}

void Memory::unlock() {
  if (open_depth_++ > 0 || !config_.host_guard) return;
  for (const auto& [base, allocation] : live_) {
    if (allocation.space == Space::kDevice) protect(allocation, true);
  }
}

void Memory::lock() {
  if (--open_depth_ > 0 || !config_.host_guard) return;
  for (const auto& [base, allocation] : live_) {
    if (allocation.space == Space::kDevice) protect(allocation, false);
  }
}

}  // namespace headroom::cuda_double
