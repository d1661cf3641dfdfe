#include "core/describe/trace.h"

#include "core/describe/arena_plan.h"

#include <algorithm>

namespace headroom {

PlaceUsage usage(const Trace& trace, Place place) {
  PlaceUsage result;
  PerCategory<Bytes> live, allocated;
  Bytes total, allocated_total;
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    const TraceEvent& event = trace.events[e];
    const TraceTensor& tensor = trace.tensors[static_cast<std::size_t>(event.tensor)];
    if (tensor.place != place) continue;
    const std::int64_t sign = event.birth ? 1 : -1;
    live[tensor.category] += tensor.payload * sign;
    allocated[tensor.category] += tensor.allocated * sign;
    total += tensor.payload * sign;
    allocated_total += tensor.allocated * sign;
    result.allocated_peak = std::max(result.allocated_peak, allocated_total);
    if (total > result.tensors_peak) {
      result.tensors_peak = total;
      result.at_peak = live;
      result.allocated_at_peak = allocated;
      result.peak_event = static_cast<std::int64_t>(e);
      result.peak_phase = event.phase;
      result.peak_op = event.op;
    }
  }
  result.steady = live;
  return result;
}

std::vector<TimelinePoint> timeline(const Trace& trace, Place place) {
  std::vector<TimelinePoint> points;
  TimelinePoint now;
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    const TraceEvent& event = trace.events[e];
    const TraceTensor& tensor = trace.tensors[static_cast<std::size_t>(event.tensor)];
    if (tensor.place != place) continue;
    const std::int64_t sign = event.birth ? 1 : -1;
    now.total += tensor.payload * sign;
    now.by_category[tensor.category] += tensor.payload * sign;
    now.event = static_cast<std::int64_t>(e);
    now.phase = event.phase;
    now.op = event.op;
    // Births and deaths alternate at every call: a point is wanted at each turn.
    const bool turn = e + 1 == trace.events.size() || trace.events[e + 1].birth != event.birth;
    if (turn) points.push_back(now);
  }
  return points;
}

std::vector<std::int32_t> alive_after(const Trace& trace, std::int64_t event) {
  std::vector<std::int32_t> alive;
  for (std::int64_t e = 0; e <= event; ++e) {
    const TraceEvent& now = trace.events[static_cast<std::size_t>(e)];
    if (now.birth) {
      alive.push_back(now.tensor);
    } else {
      std::erase(alive, now.tensor);
    }
  }
  return alive;
}

Trace trace_of(const Step& step) {
  Trace trace;
  trace.tensors.reserve(step.tensors.size());
  for (const TensorInfo& tensor : step.tensors) {
    const Bytes payload = tensor.type.bytes();
    trace.tensors.push_back({.name = tensor.name,
                             .payload = payload,
                             .allocated = allocated_size(payload),
                             .dtype = tensor.type.dtype,
                             .category = tensor.category,
                             .place = tensor.place});
  }
  const auto event = [&](bool birth, TensorId id, Phase phase, std::string_view op) {
    trace.events.push_back({birth, id.value, phase, op});
  };
  for (std::size_t t = 0; t < step.tensors.size(); ++t) {
    if (step.tensors[t].lifetime != Lifetime::kRun) continue;
    event(true, TensorId{static_cast<std::int32_t>(t)}, Phase::kInit, "");
  }
  const auto lives = liveness(step);
  for (std::size_t s = 0; s < step.sections.size(); ++s) {
    for (std::size_t c = 0; c < step.sections[s].calls.size(); ++c) {
      const OpCall& call = step.sections[s].calls[c];
      const CallLiveness& live = lives[s][c];
      const std::string_view op = call.op->name();
      // What is overwritten in place ends before its successor begins.
      for (const InPlace& rule : call.in_place) {
        event(false, call.reads[static_cast<std::size_t>(rule.read)], call.phase, op);
      }
      for (std::size_t w = 0; w < call.writes.size(); ++w) {
        if (((live.born >> w) & 1U) != 0) event(true, call.writes[w], call.phase, op);
      }
      if (!call.workspace.none()) event(true, call.workspace, call.phase, op);
      for (TensorId id : live.dies) {
        const bool overwritten =
            std::any_of(call.in_place.begin(), call.in_place.end(), [&](const InPlace& rule) {
              return call.reads[static_cast<std::size_t>(rule.read)] == id;
            });
        if (!overwritten) event(false, id, call.phase, op);
      }
    }
  }
  return trace;
}

}  // namespace headroom
