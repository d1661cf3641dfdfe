#pragma once

#include "core/describe/step.h"
#include "core/describe/trace.h"

#include <cstdint>
#include <vector>

namespace headroom::runtime {

/// Writes down every tensor's birth and death as it happens in a run. It knows names and
/// categories from the step, but sizes and moments only from those who call it, so that what it
/// says is a measurement. After the recorded steps it keeps counters only and allocates nothing.
class Ledger {
 public:
  explicit Ledger(const Step& step);

  void birth(TensorId id, Bytes payload, Bytes allocated, Phase phase, std::string_view op);
  void death(TensorId id, Phase phase, std::string_view op);
  /// Ends the recording of events; counters go on.
  void stop_recording() { recording_ = false; }
  /// Starts a new step for the per-step peak.
  void begin_step();

  /// Everything recorded: what init laid out and the first step.
  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] Bytes live(Place place) const { return live_[index(place)]; }
  /// Most payload alive since begin_step.
  [[nodiscard]] Bytes step_peak(Place place) const { return step_peak_[index(place)]; }
  [[nodiscard]] bool alive(TensorId id) const { return entry_[id.at()] >= 0; }

 private:
  static std::size_t index(Place place) { return place == Place::kHost ? 1 : 0; }

  const Step& step_;
  Trace trace_;
  std::vector<std::int32_t> entry_;  ///< per tensor: its line in trace_.tensors while alive
  std::vector<std::int32_t> known_;  ///< per tensor: the line last used for it
  std::array<Bytes, 2> live_{}, step_peak_{};
  bool recording_ = true;
};

}  // namespace headroom::runtime
