#pragma once

#include "core/runtime/rows/collective.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace headroom::runtime::rows {

/// In which order a simulated block runs its lanes between two barriers. A program whose result
/// depends on it has a race.
enum class LaneOrder : std::uint8_t { kReverse, kForward, kShuffled };

/// The lanes of one simulated GPU block: each runs the same function on its own stack, one after
/// another from barrier to barrier. What a lane writes is seen at once by the lanes after it and
/// not by those before it, so a missing barrier shows as a wrong result.
/// Threads: runs on the calling thread; one object per thread.
class SimBlock {
 public:
  SimBlock(int lanes, LaneOrder order);
  ~SimBlock();
  SimBlock(const SimBlock&) = delete;
  SimBlock& operator=(const SimBlock&) = delete;

  /// Runs `lane_body(lane)` for every lane until all have returned.
  /// Errors: Error if lanes reach different collectives, or some end while others wait; what a lane
  /// throws is thrown on.
  void run(const std::function<void(int)>& lane_body);

  /// For a lane: returns when every lane has called it, all with the same `where`.
  void barrier(Collective where);

  /// Shared memory of the block for `count` values, the same for every lane.
  template <class V>
  [[nodiscard]] V* shared(std::size_t count) {
    return reinterpret_cast<V*>(shared_bytes(count * sizeof(V)));
  }
  /// One cell per lane, for the values of a reduction.
  template <class V>
  [[nodiscard]] V* cells() {
    static_assert(sizeof(V) <= kCellBytes);
    return reinterpret_cast<V*>(cells_.get());
  }
  /// Whether cell 0 holds the result of the reduction rather than a lane's value.
  [[nodiscard]] bool reduced() const { return reduced_; }
  void set_reduced(bool reduced) { reduced_ = reduced; }

 private:
  class Lanes;
  static constexpr std::size_t kCellBytes = 16;
  [[nodiscard]] std::byte* shared_bytes(std::size_t bytes);

  std::unique_ptr<Lanes> lanes_;
  std::unique_ptr<std::byte[]> cells_;
  std::unique_ptr<std::byte[]> shared_;
  std::size_t shared_size_ = 0;
  bool reduced_ = false;
};

}  // namespace headroom::runtime::rows
