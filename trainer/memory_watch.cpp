#include "trainer/memory_watch.h"

#include <algorithm>

namespace headroom::trainer {

void MemoryWatch::mark(const std::string& part, Bytes now) {
  add({.name = part, .bytes = now - last_});
  last_ = now;
  observe(now);
}

void MemoryWatch::add(const runtime::FixedPart& part) {
  for (auto& [name, bytes] : parts_) {
    if (name == part.name) return void(bytes += part.bytes);
  }
  parts_.emplace_back(part.name, part.bytes);
}

void MemoryWatch::observe(Bytes now) { peak_ = std::max(peak_, now); }

MemoryRecord MemoryWatch::record(std::int64_t step,
                                 const runtime::Ledger& ledger,
                                 const runtime::Executor& executor) const {
  const PlaceUsage device = usage(ledger.trace(), Place::kDevice);
  return {.step = step,
          .tensors = device.at_peak,
          .allocated = device.allocated_at_peak,
          .steady = device.steady,
          .tensors_peak = device.tensors_peak,
          .allocated_peak = device.allocated_peak,
          .reserved_peak = executor.reserved(),
          .host_reserved = executor.host_reserved(),
          .device_start = start_,
          .device_peak = peak_,
          .fixed_parts = parts_,
          .peak_phase = std::string(name(device.peak_phase)),
          .peak_op = std::string(device.peak_op)};
}

}  // namespace headroom::trainer
