#include "estimator/time.h"

#include "core/describe/error.h"
#include "tests/estimator/samples.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

namespace headroom::estimator {
namespace {

using test::elementwise;
using test::product;
using test::round_gpu;

BOOST_AUTO_TEST_SUITE(time_model)

BOOST_AUTO_TEST_CASE(a_product_takes_its_flops_over_the_rate) {
  // 2 * 1000 * 2000 * 500 = 2e9 FLOPs at 1e14/s = 20 us.
  const TimeModel model(round_gpu());
  const ItemTime item = model.item(product("linear", Phase::kForward, 1000, 2000, 500));
  BOOST_TEST(item.total.typical.value() == 20e-6, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(item.total.low.value() == item.total.high.value());
  BOOST_CHECK(item.bound == Bound::kCompute);
}

BOOST_AUTO_TEST_CASE(bytes_take_over_when_they_last_longer) {
  // 50 MB at 1e12 B/s = 50 us against 20 us of arithmetic.
  const TimeModel model(round_gpu());
  const ItemTime item =
      model.item(product("linear", Phase::kForward, 1000, 2000, 500, Bytes(50'000'000)));
  BOOST_TEST(item.total.typical.value() == 50e-6, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(item.compute.value() == 20e-6, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(item.memory.value() == 50e-6, boost::test_tools::tolerance(1e-12));
  BOOST_CHECK(item.bound == Bound::kMemory);
}

BOOST_AUTO_TEST_CASE(elementwise_work_runs_at_the_f32_rate_or_the_bandwidth) {
  const TimeModel model(round_gpu());
  // 1e6 FLOPs at 1e13/s = 0.1 us; 8 MB at 1e12 B/s = 8 us.
  const ItemTime memory = model.item(elementwise("gelu", Phase::kForward, 1e6, Bytes(8'000'000)));
  BOOST_TEST(memory.total.typical.value() == 8e-6, boost::test_tools::tolerance(1e-12));
  BOOST_CHECK(memory.bound == Bound::kMemory);
  // 1e9 FLOPs at 1e13/s = 100 us.
  const ItemTime compute = model.item(elementwise("gelu", Phase::kForward, 1e9, Bytes(8'000'000)));
  BOOST_TEST(compute.total.typical.value() == 100e-6, boost::test_tools::tolerance(1e-12));
  BOOST_CHECK(compute.bound == Bound::kCompute);
}

BOOST_AUTO_TEST_CASE(launch_gaps_count_once_a_call) {
  Hardware gpu = round_gpu();
  gpu.launch.gap = exact_figure(Seconds(2e-6), Standing::kPublished, "made up");
  WorkItem item = product("linear", Phase::kForward, 1000, 2000, 500);
  item.repeat = 10;
  const ItemTime timed = TimeModel(gpu).item(item);
  BOOST_TEST(timed.total.typical.value() == 10 * 22e-6, boost::test_tools::tolerance(1e-12));
  BOOST_CHECK(timed.bound == Bound::kCompute);
  const ItemTime tiny = TimeModel(gpu).item(product("linear", Phase::kForward, 10, 10, 10));
  BOOST_CHECK(tiny.bound == Bound::kLaunch);
}

BOOST_AUTO_TEST_CASE(the_host_cannot_issue_faster_than_its_interval) {
  Hardware gpu = round_gpu();
  gpu.launch.interval = exact_figure(Seconds(5e-6), Standing::kPublished, "made up");
  WorkItem small = elementwise("add", Phase::kForward, 0, Bytes(1'000'000));  // 1 us each
  small.repeat = 100;
  WorkItem large = product("linear", Phase::kBackward, 1000, 2000, 500);  // 20 us each
  large.repeat = 10;
  const StepTime time = TimeModel(gpu).step({small, large});
  // Forward waits for 100 launches of 5 us; backward's 200 us hide its 50 us of launches.
  BOOST_TEST(time.phase(Phase::kForward).total.typical.value() == 500e-6,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(time.phase(Phase::kForward).launch_wait.value() == 400e-6,
             boost::test_tools::tolerance(1e-12));
  BOOST_CHECK(time.phase(Phase::kForward).bound == Bound::kLaunch);
  BOOST_TEST(time.phase(Phase::kBackward).total.typical.value() == 200e-6,
             boost::test_tools::tolerance(1e-12));
  BOOST_CHECK(time.phase(Phase::kBackward).bound == Bound::kCompute);
  BOOST_TEST(time.step.typical.value() == 700e-6, boost::test_tools::tolerance(1e-12));
  BOOST_CHECK(time.bound == Bound::kLaunch);
}

BOOST_AUTO_TEST_CASE(parts_by_bound_add_up_to_the_step) {
  Hardware gpu = round_gpu();
  gpu.launch.gap = exact_figure(Seconds(2e-6), Standing::kPublished, "made up");
  gpu.launch.interval = exact_figure(Seconds(6e-6), Standing::kPublished, "made up");
  WorkList work = {product("linear", Phase::kForward, 1000, 2000, 500),
                   elementwise("relu", Phase::kForward, 1, Bytes(1000)),
                   elementwise("mse", Phase::kLoss, 1, Bytes(1000)),
                   product("linear", Phase::kBackward, 100, 200, 50, Bytes(90'000'000))};
  work[1].repeat = 40;
  const StepTime time = TimeModel(gpu).step(work);
  Seconds sum(0);
  for (const Seconds part : time.by_bound) sum += part;
  BOOST_TEST(sum.value() == time.step.typical.value(), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(time.items.size() == work.size());
}

BOOST_AUTO_TEST_CASE(ranges_take_the_good_and_the_bad_end_of_every_figure) {
  Hardware gpu = round_gpu();
  gpu.matmul.default_fraction = {0.5, 0.25, 1.0, Standing::kAssumed, "made up"};
  gpu.launch.gap = {Seconds(2e-6), Seconds(1e-6), Seconds(4e-6), Standing::kAssumed, "made up"};
  const TimeRange total =
      TimeModel(gpu).item(product("linear", Phase::kForward, 1000, 2000, 500)).total;
  BOOST_TEST(total.low.value() == 21e-6, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(total.typical.value() == 42e-6, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(total.high.value() == 84e-6, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(utilisation_names_its_peak) {
  // 2e9 FLOPs in 20 us would be the whole peak; with 20 us of other work it is half of it.
  const WorkList work = {product("linear", Phase::kForward, 1000, 2000, 500),
                         elementwise("gelu", Phase::kForward, 0, Bytes(20'000'000))};
  TimeOptions options;
  options.items_per_step = 1000;
  const StepTime time = TimeModel(round_gpu()).step(work, options);
  BOOST_TEST(time.hfu.value == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(time.mfu.value == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(time.mfu.peak.value() == 100e12);
  BOOST_CHECK(time.mfu.dtype == DType::kBf16);
  BOOST_TEST(time.items_per_second == 1000 / 40e-6, boost::test_tools::tolerance(1e-12));

  options.model_flops = Flops(1e9);
  options.convention = "6NP";
  const StepTime counted = TimeModel(round_gpu()).step(work, options);
  BOOST_TEST(counted.mfu.value == 0.25, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(counted.mfu.convention == "6NP");
  BOOST_TEST(counted.hfu.value == 0.5, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(copies_from_the_host_hide_only_behind_pinned_memory) {
  Hardware gpu = round_gpu();
  gpu.host_link =
      HostLinkSpec{"PCIe", exact_figure(BytesPerSecond(20e9), Standing::kPublished, "made up"),
                   exact_figure(BytesPerSecond(5e9), Standing::kPublished, "made up")};
  const TimeModel model(gpu);
  const WorkList work = {product("linear", Phase::kForward, 1000, 2000, 500)};  // 20 us
  const auto exposed = [&](Bytes bytes, bool pinned, bool overlapped) {
    TimeOptions options;
    options.host_transfer = HostTransfer{bytes, 2, pinned, overlapped};
    return model.step(work, options).host_transfer.typical.value();
  };
  // 2 x 100 kB at 20 GB/s = 10 us, hidden behind 20 us of computing.
  BOOST_TEST(exposed(Bytes(100'000), true, true) == 0.0);
  BOOST_TEST(exposed(Bytes(100'000), true, false) == 10e-6, boost::test_tools::tolerance(1e-12));
  // 2 x 1 MB at 20 GB/s = 100 us, of which 80 stick out.
  BOOST_TEST(exposed(Bytes(1'000'000), true, true) == 80e-6, boost::test_tools::tolerance(1e-12));
  // Pageable: 2 x 100 kB at 5 GB/s = 40 us, and overlapping is not possible.
  BOOST_TEST(exposed(Bytes(100'000), false, true) == 40e-6, boost::test_tools::tolerance(1e-12));

  TimeOptions options;
  options.host_transfer = HostTransfer{Bytes(1'000'000'000), 2, true, true};
  BOOST_CHECK(model.step(work, options).bound == Bound::kHostTransfer);
}

BOOST_AUTO_TEST_CASE(a_dtype_without_a_rate_is_an_error_that_says_what_there_is) {
  Hardware gpu = round_gpu();
  gpu.unsupported = {DType::kF8e4m3};
  WorkItem fp8 = product("linear", Phase::kForward, 64, 64, 64);
  fp8.work.compute = DType::kF8e5m2;
  WorkItem tf32 = product("linear", Phase::kForward, 64, 64, 64);
  tf32.work.compute = DType::kTf32;
  try {
    (void)TimeModel(gpu).step({fp8, tf32, fp8});
    BOOST_FAIL("expected a ConfigError");
  } catch (const ConfigError& error) {
    BOOST_REQUIRE(error.problems().size() == 2u);
    BOOST_TEST(error.problems()[0].message ==
               "round-gpu has no f8e5m2 arithmetic; rates are known for f32, bf16");
    BOOST_TEST(error.problems()[1].message ==
               "round-gpu: no tf32 rate is known for it; rates are known for f32, bf16");
  }
}

BOOST_AUTO_TEST_CASE(an_empty_step_takes_no_time) {
  const StepTime time = TimeModel(round_gpu()).step({});
  BOOST_TEST(time.step.high.value() == 0.0);
  BOOST_TEST(time.mfu.value == 0.0);
}

BOOST_AUTO_TEST_CASE(runs_are_steps_in_a_row) {
  const TimeRange step{Seconds(1), Seconds(2), Seconds(4)};
  const TimeRange run = run_time(step, 1000);
  BOOST_TEST(run.low.value() == 1000.0);
  BOOST_TEST(run.typical.value() == 2000.0);
  BOOST_TEST(run.high.value() == 4000.0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(matmul_rates)

Hardware tiled_gpu() {
  Hardware gpu = round_gpu();
  gpu.matmul.units = exact_figure(100.0, Standing::kPublished, "made up");
  return gpu;
}

BOOST_AUTO_TEST_CASE(whole_waves_of_the_largest_tile_lose_nothing) {
  // 128x256 tiles: (1280/128) * (2560/256) = 100 tiles on 100 multiprocessors, one full wave.
  BOOST_TEST(shape_factor(tiled_gpu().matmul, {1280, 2560, 4096, 1}, DType::kBf16) == 1.0,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_second_wave_for_one_tile_more_costs_its_share) {
  // Tiles of 128x256: 11 x 10 = 110 fill 55% of two waves; with K cut in 4, 440 fill 88% of five.
  // Tiles of 128x128 with K cut in 4: 880 fill 97.8% of nine, at 0.95 for the tile and 0.93 for
  // the cut: 0.864, which is the best of all.
  BOOST_TEST(shape_factor(tiled_gpu().matmul, {1408, 2560, 4096, 1}, DType::kBf16) ==
                 880.0 / 900 * 0.95 * 0.93,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(short_inner_sizes_and_odd_widths_cost_more) {
  Hardware gpu = tiled_gpu();
  gpu.matmul.k_half = exact_figure(128.0, Standing::kPublished, "made up");
  const MatmulSpec& spec = gpu.matmul;
  // K/(K + 128) = 1/2; with fp8 the ramp is three times as long: 1/4; 0.82 for N off the grid.
  BOOST_TEST(shape_factor(spec, {1280, 2560, 128, 1}, DType::kBf16) == 0.5,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(shape_factor(spec, {1280, 2560, 128, 1}, DType::kF8e5m2) == 0.25,
             boost::test_tools::tolerance(1e-12));
  const double odd = shape_factor(spec, {1280, 2559, 128, 1}, DType::kBf16);
  BOOST_TEST(odd == 0.5 * 0.82 * 2559 / 2560, boost::test_tools::tolerance(1e-12));
  // f32 products do not run on matrix units.
  BOOST_TEST(shape_factor(spec, {1280, 2559, 128, 1}, DType::kF32) == 0.5 * 2559 / 2560,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(batches_fill_the_waves_too) {
  // 100 products of one tile each fill the device as one of 100 tiles does.
  BOOST_TEST(shape_factor(tiled_gpu().matmul, {128, 256, 4096, 100}, DType::kBf16) == 1.0,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(an_a100_reaches_its_published_share_at_large_sizes) {
  // Kernel tables of the A100 (108 multiprocessors): about 0.78 of 312 TFLOP/s at 8192^3.
  Hardware a100 = round_gpu();
  a100.peak[DType::kBf16] = exact_figure(FlopsPerSecond(312e12), Standing::kPublished, "datasheet");
  a100.matmul.units = exact_figure(108.0, Standing::kPublished, "datasheet");
  a100.matmul.k_half = exact_figure(120.0, Standing::kPublished, "fit");
  a100.matmul.fraction[DType::kBf16] = exact_figure(0.80, Standing::kPublished, "fit");
  const double rate = MatmulRates(a100, DType::kBf16).at({8192, 8192, 8192, 1})[1].value();
  BOOST_TEST(rate / 312e12 > 0.75);
  BOOST_TEST(rate / 312e12 < 0.80);
}

MeasuredRates bench() {
  MeasuredRates rates;
  rates.device_name = "test processor";
  rates.date = "2026-11-30";
  rates.matmul = {{DType::kF32, 256, 256, 256, FlopsPerSecond(100e9)},
                  {DType::kF32, 4096, 4096, 4096, FlopsPerSecond(400e9)},
                  {DType::kBf16, 1024, 1024, 1024, FlopsPerSecond(800e9)}};
  rates.bandwidth = BytesPerSecond(20e9);
  return rates;
}

BOOST_AUTO_TEST_CASE(measured_sizes_give_their_own_rate) {
  const Hardware cpu = with_measured(round_gpu(), bench());
  const MatmulRates rates(cpu, DType::kF32);
  BOOST_TEST(rates.measured());
  BOOST_TEST(rates.at({256, 256, 256, 1})[1].value() == 100e9, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(rates.at({4096, 4096, 4096, 1})[1].value() == 400e9,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(between_measured_sizes_the_middle_in_logarithms_is_the_middle) {
  // 1024 is half way between 256 and 4096 in logarithms, so both weigh the same: sqrt(100 * 400).
  const Hardware cpu = with_measured(round_gpu(), bench());
  const MatmulRates rates(cpu, DType::kF32);
  BOOST_TEST(rates.at({1024, 1024, 1024, 1})[1].value() == 200e9,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(far_from_every_measured_size_the_band_is_wider) {
  const Hardware cpu = with_measured(round_gpu(), bench());
  const MatmulRates rates(cpu, DType::kF32);
  const auto width = [&](const MatmulSize& size) {
    const MatmulRates::Rates at = rates.at(size);
    return at[0].value() / at[1].value() - 1;
  };
  BOOST_TEST(width({4096, 4096, 4096, 1}) == 0.08, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(width({8, 8, 65536, 1}) == 0.30, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_transposed_product_has_the_same_rate) {
  MeasuredRates table = bench();
  table.matmul.push_back({DType::kF32, 4096, 64, 512, FlopsPerSecond(50e9)});
  const MatmulRates rates(with_measured(round_gpu(), table), DType::kF32);
  BOOST_TEST(rates.at({64, 4096, 512, 1})[1].value() == 50e9, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(measured_bandwidth_replaces_the_datasheet) {
  const TimeModel model(with_measured(round_gpu(), bench()));
  // 20 MB at 20 GB/s = 1 ms, +-8%.
  const TimeRange total =
      model.item(elementwise("add", Phase::kForward, 0, Bytes(20'000'000))).total;
  BOOST_TEST(total.typical.value() == 1e-3, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(total.low.value() == 1e-3 / 1.08, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(total.high.value() == 1e-3 / 0.92, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(measuring_gives_a_peak_where_none_was_known) {
  Hardware generic = round_gpu();
  generic.peak.clear();
  generic.peak[DType::kF32] = {FlopsPerSecond(1e12), FlopsPerSecond(1e11), FlopsPerSecond(1e13),
                               Standing::kAssumed, "guess"};
  const Hardware measured = with_measured(generic, bench());
  BOOST_TEST(peak(measured, DType::kF32)->value.value() == 400e9);
  BOOST_CHECK(peak(measured, DType::kF32)->standing == Standing::kMeasured);
  BOOST_TEST(peak(measured, DType::kBf16)->value.value() == 800e9);
  // A datasheet peak stays what utilisation is divided by.
  BOOST_TEST(peak(with_measured(round_gpu(), bench()), DType::kBf16)->value.value() == 100e12);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::estimator
