#include "tests/doubles/cuda/races.h"

#include <algorithm>

namespace headroom::cuda_double {
namespace {

bool conflict(const Access& a, const Access& b) {
  using Kind = Access::Kind;
  // What a kernel does with its pointer is unknown, so only a certain write on the other side
  // counts.
  if (a.kind == Kind::kArgument && b.kind == Kind::kArgument) return false;
  if (a.kind != Kind::kWrite && b.kind != Kind::kWrite) return false;
  return overlap(a.extent, b.extent);
}

}  // namespace

bool Clock::covers(std::uint32_t stream, std::uint64_t operation) const {
  const auto position = latest_.find(stream);
  return position != latest_.end() && position->second >= operation;
}

void Clock::advance(std::uint32_t stream, std::uint64_t operation) {
  auto& latest = latest_[stream];
  latest = std::max(latest, operation);
}

void Clock::join(const Clock& other) {
  for (const auto& [stream, operation] : other.latest_) advance(stream, operation);
}

Extent contiguous(const void* pointer, std::size_t bytes) {
  return {reinterpret_cast<std::uintptr_t>(pointer), bytes, bytes, 1};
}

bool overlap(const Extent& a, const Extent& b) {
  if (a.row_bytes == 0 || b.row_bytes == 0) return false;
  if (a.end() <= b.base || b.end() <= a.base) return false;
  if (a.rows == 1 && b.rows == 1) return true;
  const Extent& wide = a.rows > 1 ? a : b;
  const Extent& other = a.rows > 1 ? b : a;
  if (other.rows > 1 && other.pitch != wide.pitch) return true;
  if (wide.row_bytes >= wide.pitch || other.row_bytes >= wide.pitch) return true;
  // Both repeat with one pitch (or `other` is one piece shorter than it): compare within a period.
  const std::uintptr_t low = std::min(wide.base, other.base);
  const std::size_t first = (wide.base - low) % wide.pitch;
  const std::size_t second = (other.base - low) % wide.pitch;
  const std::size_t forward = (second + wide.pitch - first) % wide.pitch;
  const std::size_t backward = (first + wide.pitch - second) % wide.pitch;
  return forward < wide.row_bytes || backward < other.row_bytes;
}

std::vector<std::string> RaceDetector::issue(std::uint32_t stream,
                                             std::uint64_t operation,
                                             const Clock& clock,
                                             const std::string& what,
                                             const std::vector<Access>& accesses) {
  std::vector<std::string> races;
  if (accesses.empty()) return races;
  for (const Past& past : past_) {
    if (past.stream == stream || clock.covers(past.stream, past.operation)) continue;
    const bool conflicting =
        std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
          return std::any_of(past.accesses.begin(), past.accesses.end(),
                             [&](const Access& other) { return conflict(access, other); });
        });
    if (conflicting) {
      races.push_back("race: " + what + " on stream " + std::to_string(stream) +
                      " is not ordered after " + past.what + " on stream " +
                      std::to_string(past.stream) + " and touches the same bytes");
    }
  }
  past_.push_back({stream, operation, what, accesses});
  return races;
}

void RaceDetector::forget(const Clock& host) {
  std::erase_if(past_, [&](const Past& past) { return host.covers(past.stream, past.operation); });
}

}  // namespace headroom::cuda_double
