#pragma once

#include "core/describe/step.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headroom {

/// A tensor as a trace knows it.
struct TraceTensor {
  TensorName name;
  Bytes payload;    ///< bytes of its values
  Bytes allocated;  ///< after the allocator's rounding
  DType dtype = DType::kF32;
  Category category = Category::kActivations;
  Place place = Place::kDevice;
};

/// A birth or a death. `op` is the operation that caused it ("" for what init lays out).
struct TraceEvent {
  bool birth = true;
  std::int32_t tensor = 0;  ///< index into Trace::tensors
  Phase phase = Phase::kInit;
  std::string_view op;
};

/// The ordered births and deaths of a run's tensors up to the end of one step. The estimator
/// derives one from a plan; the ledger writes one as ops run; both have this form.
struct Trace {
  std::vector<TraceTensor> tensors;
  std::vector<TraceEvent> events;
};

/// What a trace says about one place (the device, or pinned host memory).
struct PlaceUsage {
  PerCategory<Bytes> at_peak;            ///< payload per category when most payload is alive
  PerCategory<Bytes> allocated_at_peak;  ///< rounded bytes per category at the same moment
  PerCategory<Bytes> steady;             ///< payload alive when the trace ends
  Bytes tensors_peak;                    ///< = at_peak.total()
  Bytes allocated_peak;                  ///< most rounded bytes alive at once
  std::int64_t peak_event = -1;          ///< index of the event that reached tensors_peak
  Phase peak_phase = Phase::kInit;
  std::string_view peak_op;
};
[[nodiscard]] PlaceUsage usage(const Trace& trace, Place place = Place::kDevice);

/// One point of the timeline: what is alive after an event.
struct TimelinePoint {
  std::int64_t event = 0;
  Phase phase = Phase::kInit;
  std::string_view op;
  Bytes total;
  PerCategory<Bytes> by_category;
};
/// Payload alive after the last event of every call, in order.
[[nodiscard]] std::vector<TimelinePoint> timeline(const Trace& trace, Place place = Place::kDevice);
/// Indices of the tensors alive right after an event.
[[nodiscard]] std::vector<std::int32_t> alive_after(const Trace& trace, std::int64_t event);

/// The trace a step will have under our own engine: run tensors first, then call by call.
/// A section that repeats appears once, since every repetition is the same.
[[nodiscard]] Trace trace_of(const Step& step);

}  // namespace headroom
