#pragma once

#include "core/describe/step.h"

#include <vector>

namespace headroom {

/// Every tensor starts at a multiple of this: enough for 128-bit loads, cuBLASLt and cache lines.
inline constexpr std::int64_t kTensorAlignment = 256;

/// Bytes a tensor occupies once rounded up to the alignment.
[[nodiscard]] constexpr Bytes allocated_size(Bytes payload) {
  return round_up(payload, kTensorAlignment);
}

/// The memory a step needs, laid out before anything runs.
/// Three arenas: `run` holds what lives for the whole run (parameters, optimizer state, inputs,
/// scalars), `step` what is born and dies within a step, `host` the pinned staging buffers.
struct ArenaPlan {
  static constexpr std::int64_t kNoOffset = -1;
  std::vector<std::int64_t> offsets;  ///< per tensor, within its arena; kNoOffset if never used
  Bytes run_bytes, step_bytes, host_bytes;  ///< sizes of the arenas
  Bytes step_live_peak;  ///< most allocated bytes alive at once in the step arena
  /// Bytes of the step arena that no moment of the step needs: the price of fixed offsets.
  [[nodiscard]] Bytes packing_loss() const { return step_bytes - step_live_peak; }
  [[nodiscard]] Bytes device_bytes() const { return run_bytes + step_bytes; }
};

/// Lays every tensor at a fixed offset such that no two that live at once overlap, sharing
/// storage where a call works in place. Deterministic.
[[nodiscard]] ArenaPlan plan_arena(const Step& step);

}  // namespace headroom
