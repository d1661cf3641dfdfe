// The trace that the ledger wrote while ops ran against the one derived from the description.

#include "tests/core/runtime/engine/run_step.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <tuple>

namespace headroom {
namespace {

using Event = std::tuple<bool, std::string, std::int64_t, std::string_view, std::string_view>;

/// Events in order, those between two turns of birth and death sorted: within one call the order
/// in which a kernel asks for its operands means nothing.
std::vector<Event> canonical(const Trace& trace) {
  std::vector<Event> events;
  std::size_t run_begin = 0;
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    const TraceEvent& event = trace.events[e];
    const TraceTensor& tensor = trace.tensors[static_cast<std::size_t>(event.tensor)];
    if (e > 0 && trace.events[e - 1].birth != event.birth) {
      std::sort(events.begin() + static_cast<std::ptrdiff_t>(run_begin), events.end());
      run_begin = e;
    }
    events.emplace_back(event.birth, to_string(tensor.name), tensor.payload.value(),
                        name(event.phase), event.op);
  }
  std::sort(events.begin() + static_cast<std::ptrdiff_t>(run_begin), events.end());
  return events;
}

void check(const Plan& plan) {
  test::Engine engine(plan, 2, false);
  engine.clip = plan.training.grad_clip_norm;
  (void)engine.run(1);
  const auto measured = canonical(engine.ledger.trace());
  const auto predicted = canonical(trace_of(engine.step));
  BOOST_TEST(measured.size() == predicted.size());
  const auto [m, p] = std::mismatch(measured.begin(), measured.end(), predicted.begin());
  BOOST_TEST((m == measured.end()));
  if (m != measured.end()) {
    BOOST_TEST_MESSAGE("first difference: measured " << std::get<1>(*m) << ", predicted "
                                                     << std::get<1>(*p));
  }
  (void)engine.run(2);
  BOOST_TEST(engine.ledger.step_peak(Place::kDevice).value() ==
             usage(trace_of(engine.step)).tensors_peak.value());
}

// Up to two micro batches every event appears in both; with more, repetitions are folded.
BOOST_AUTO_TEST_CASE(every_event_of_a_step_was_predicted) {
  for (std::int64_t accumulation : {1, 2}) {
    for (bool in_backward : {true, false}) {
      for (double clip : {0.0, 0.5}) {
        for (Plan plan : {test::cruncher_plan(16, 3, 5), test::cruncher_plan(1, 1, 1),
                          test::mlp_plan(ActivationKind::kRelu, LossKind::kCrossEntropy, 7),
                          test::mlp_plan(ActivationKind::kGelu, LossKind::kMse, 7)}) {
          plan.training.gradient_accumulation_steps = accumulation;
          plan.training.grad_clip_norm = clip;
          plan.training.optimizer_in_backward = in_backward && clip == 0;
          check(plan);
        }
      }
    }
  }
}

}  // namespace
}  // namespace headroom
