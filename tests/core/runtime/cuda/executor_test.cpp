// Whole training steps on the CUDA device under the test double: numbers against the CPU device,
// memory against the plan, and what the device was asked for against the double's counters.

#include "core/describe/trace.h"
#include "tests/core/runtime/cuda/double.h"
#include "tests/core/runtime/cuda/training_pair.h"

namespace headroom {
namespace {

using test::Double;
using test::NamedPlan;
using test::Training;

/// Pinned memory of the device's own (see cuda_device.cpp).
constexpr std::uint64_t kBounce = std::uint64_t{4} << 20;

BOOST_FIXTURE_TEST_CASE(it_trains_as_the_cpu_does_in_f32, Double) {
  const auto device = open();
  for (const NamedPlan& named : test::training_plans()) {
    check_agreement(named, *device, DType::kF32, 3, 1e-5);
  }
}

BOOST_FIXTURE_TEST_CASE(it_trains_as_the_cpu_does_in_f64, Double) {
  const auto device = open();
  for (const NamedPlan& named : test::training_plans()) {
    check_agreement(named, *device, DType::kF64, 3, 1e-12);
  }
}

BOOST_FIXTURE_TEST_CASE(kernels_hold_as_blocks_of_lanes, Double) {
  // The lanes and barriers of a block are simulated, in the order of BlockTeam.
  configure("blocks=simulate");
  const auto device = open();
  for (const NamedPlan& named : test::training_plans()) {
    check_agreement(named, *device, DType::kF32, 1, 1e-5);
  }
}

BOOST_FIXTURE_TEST_CASE(no_legal_order_of_streams_changes_a_bit, Double) {
  const NamedPlan named = test::training_plans()[3];
  std::vector<std::vector<double>> first;
  for (const char* order : {"order=latest", "order=oldest", "order=random:1", "order=random:2"}) {
    configure(order);
    const auto device = open();
    Training training(named.plan, *device, DType::kF32);
    for (int s = 0; s < 3; ++s) training.step();
    if (first.empty()) first = training.values();
    BOOST_TEST((training.values() == first), order);
  }
}

void check_usage(const PlaceUsage& got, const PlaceUsage& expected) {
  for (Category category : all_categories()) {
    BOOST_TEST(got.at_peak[category].value() == expected.at_peak[category].value());
    BOOST_TEST(got.allocated_at_peak[category].value() ==
               expected.allocated_at_peak[category].value());
    BOOST_TEST(got.steady[category].value() == expected.steady[category].value());
  }
  BOOST_TEST(got.tensors_peak.value() == expected.tensors_peak.value());
  BOOST_TEST(got.allocated_peak.value() == expected.allocated_peak.value());
  BOOST_TEST(got.peak_op == expected.peak_op);
  BOOST_TEST((got.peak_phase == expected.peak_phase));
}

BOOST_FIXTURE_TEST_CASE(memory_is_what_the_plan_says, Double) {
  const auto device = open();
  for (const NamedPlan& named : test::training_plans()) {
    BOOST_TEST_CONTEXT(named.name) {
      Training training(named.plan, *device, DType::kF32);
      const auto counters = Double::counters();
      BOOST_TEST(counters.bytes_live ==
                 static_cast<std::uint64_t>(training.executor().reserved().value()));
      BOOST_TEST(counters.host_bytes_live ==
                 static_cast<std::uint64_t>(training.executor().host_reserved().value()) + kBounce);
      training.step();
      const Trace expected = trace_of(training.described());
      for (Place place : {Place::kDevice, Place::kHost}) {
        check_usage(usage(training.ledger().trace(), place), usage(expected, place));
      }
      // The ledger writes down every micro batch, the plan one.
      if (named.plan.training.gradient_accumulation_steps > 1) continue;
      const auto measured = timeline(training.ledger().trace());
      const auto planned = timeline(expected);
      BOOST_REQUIRE_EQUAL(measured.size(), planned.size());
      for (std::size_t i = 0; i < measured.size(); ++i) {
        BOOST_TEST(measured[i].total.value() == planned[i].total.value());
        BOOST_TEST(measured[i].op == planned[i].op);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(nothing_is_allocated_once_it_runs, Double) {
  const auto device = open();
  for (const NamedPlan& named : test::training_plans()) {
    BOOST_TEST_CONTEXT(named.name) {
      Training training(named.plan, *device, DType::kF32);
      const auto placed = Double::counters();
      training.step();
      const auto first = Double::counters();
      training.step();
      training.step();
      const auto later = Double::counters();
      BOOST_TEST(later.allocations == placed.allocations);
      BOOST_TEST(later.host_allocations == placed.host_allocations);
      BOOST_TEST(later.heuristic_queries == first.heuristic_queries);
      BOOST_TEST(later.launches > first.launches);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(batches_travel_through_pinned_memory, Double) {
  // The double refuses asynchronous copies from memory that is not pinned.
  const NamedPlan named = test::training_plans()[2];
  const auto device = open();
  Training training(named.plan, *device, DType::kF32);
  training.step();
  const Step& step = training.described();
  Bytes batch(0);
  for (TensorId id : step.input_slots[0]) batch += step.bytes(id);
  const auto before = counters();
  training.step();
  const auto after = counters();
  const auto micros = static_cast<std::uint64_t>(step.accumulation);
  BOOST_TEST(after.copies_to_device - before.copies_to_device ==
             micros * step.input_slots[0].size());
  BOOST_TEST(after.bytes_to_device - before.bytes_to_device ==
             micros * static_cast<std::uint64_t>(batch.value()));
  // What comes back is the loss.
  BOOST_TEST(after.bytes_to_host - before.bytes_to_host == sizeof(float));
}

BOOST_FIXTURE_TEST_CASE(a_model_that_does_not_fit_is_told_before_it_runs, Double) {
  configure("memory=1GiB,context=300MiB");
  const auto device = open();
  NamedPlan named = test::training_plans()[0];
  named.plan.model.family = CruncherPlan{.dim = 8192, .num_layers = 4};
  BOOST_CHECK_EXCEPTION(Training(named.plan, *device, DType::kF32), runtime::OutOfMemory,
                        [](const runtime::OutOfMemory& error) {
                          return error.code() == ExitCode::kOutOfMemory &&
                                 error.requested() > Bytes(1LL << 30);
                        });
  // The device goes on to serve what fits.
  check_agreement(test::training_plans()[1], *device, DType::kF32, 1, 1e-5);
}

BOOST_FIXTURE_TEST_CASE(a_loss_that_is_no_number_ends_the_step, Double) {
  const auto device = open();
  NamedPlan named = test::training_plans()[0];
  named.plan.training.optimizer.lr = 1e30;
  Training training(named.plan, *device, DType::kF32);
  BOOST_CHECK_EXCEPTION(
      for (int s = 0; s < 5; ++s) training.step(), runtime::Diverged,
      [](const runtime::Diverged& error) { return error.code() == ExitCode::kDiverged; });
}

}  // namespace
}  // namespace headroom
