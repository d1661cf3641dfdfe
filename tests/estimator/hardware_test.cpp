#include "estimator/hardware.h"

#include "core/describe/error.h"
#include "core/io/yaml.h"
#include "estimator/hardware_catalog.h"
#include "estimator/node_reader.h"
#include "tests/estimator/samples.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace headroom::estimator {
namespace {

constexpr const char* kSmall = R"(name: small-gpu
kind: gpu
aliases: [small]
memory:
  nominal_bytes: {value: 8 GB, source: a page}
  usable_bytes: {value: 7680 MiB, low: 7600 MiB, status: measured, source: "a log, read once"}
  bandwidth_bytes_per_s: {value: 0.5 TB/s, source: a page}
  bandwidth_fraction: {value: 80%, low: 0.7, high: 0.9, status: assumed, source: a page}
peak_flops_per_s:
  f32: {value: 10 TFLOP/s, source: a page}
  fp8: {value: 4e13, source: a page}
unsupported: [bf16]
matmul:
  fraction:
    default: {value: 0.7, source: a page}
launch:
  gap_s: {value: 1.5 us, source: a page}
  interval_s: {value: 0, source: a page}
)";

Hardware read(const std::string& text) {
  return hardware_from_node(io::parse_yaml(text, "small.yaml"));
}

std::vector<std::string> problems_of(const std::string& text) {
  try {
    (void)read(text);
  } catch (const ConfigError& error) {
    std::vector<std::string> lines;
    for (const Problem& problem : error.problems()) lines.push_back(to_string(problem));
    return lines;
  }
  return {};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

BOOST_AUTO_TEST_SUITE(quantities)

BOOST_AUTO_TEST_CASE(units_multiply) {
  BOOST_TEST(*parse_quantity("81559 MiB", Dimension::kBytes) == 85520809984.0);
  BOOST_TEST(*parse_quantity("3.35 TB/s", Dimension::kBytesPerSecond) == 3.35e12);
  BOOST_TEST(*parse_quantity("989.5TFLOP/s", Dimension::kFlopsPerSecond) == 989.5e12);
  BOOST_TEST(*parse_quantity("1.5 us", Dimension::kSeconds) == 1.5e-6);
  BOOST_TEST(*parse_quantity("12.5%", Dimension::kPlain) == 0.125);
  BOOST_TEST(*parse_quantity("2e9", Dimension::kBytes) == 2e9);
}

BOOST_AUTO_TEST_CASE(what_is_not_a_quantity) {
  for (const char* text : {"", "fast", "3 TB/s", "nan", "inf", "1e999", "5 Mib", "1 2"}) {
    BOOST_TEST(!parse_quantity(text, Dimension::kBytes).has_value(), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hardware_file)

BOOST_AUTO_TEST_CASE(a_small_file_is_read) {
  const Hardware gpu = read(kSmall);
  BOOST_TEST(gpu.name == "small-gpu");
  BOOST_TEST(gpu.display == "small-gpu");
  BOOST_TEST(gpu.memory.nominal->value.value() == 8'000'000'000);
  BOOST_TEST(gpu.memory.usable->value.value() == 7680LL << 20);
  BOOST_TEST(gpu.memory.usable->low.value() == 7600LL << 20);
  BOOST_TEST(gpu.memory.usable->high.value() == 7680LL << 20);
  BOOST_CHECK(gpu.memory.usable->standing == Standing::kMeasured);
  BOOST_TEST(gpu.memory.bandwidth_fraction.value == 0.8);
  BOOST_TEST(peak(gpu, DType::kF8e5m2)->value.value() == 4e13);
  BOOST_TEST(!peak(gpu, DType::kBf16).has_value());
  BOOST_TEST(missing_rate_message(gpu, DType::kBf16) ==
             "small-gpu has no bf16 arithmetic; rates are known for f32, fp8");
  BOOST_TEST(capacity(gpu)->value.value() == 7680LL << 20);
  BOOST_TEST(!gpu.price.has_value());
}

BOOST_AUTO_TEST_CASE(all_problems_are_told_at_once_with_their_place) {
  const std::vector<std::string> lines = problems_of(R"(name: small-gpu
kind: tpu
memroy: {}
memory:
  nominal_bytes: 8 GB
  usable_bytes: {value: lots, source: a page}
  bandwidth_bytes_per_s: {value: -1, source: a page}
  bandwidth_fraction: {value: 0.8, low: 0.9, source: a page}
peak_flops_per_s:
  bf17: {value: 1, source: a page}
  f32: {value: 1 TFLOP/s}
matmul:
  fraction: {}
launch:
  gap_s: {value: 1 us, status: guessed, source: a page}
  interval_s: {value: 1 us, source: pge}
sources: {page: a page of the vendor}
price_per_hour_usd: {low: 3, typical: 2, high: 1, date: "2026", source: page}
measured:
  device_name: x
  date: "2026-11-30"
  matmul: [{dtype: f32, m: 0, n: 2.5, k: 4, flops_per_s: 1e9}]
)");
  const std::vector<std::string> expected = {
      "small.yaml:2:7: kind: 'tpu' is not a kind (gpu or cpu)",
      "small.yaml:5:18: memory.nominal_bytes: a bare number says nothing of where it is from "
      "(write {value: 8 GB, source: \"...\"})",
      "small.yaml:6:25: memory.usable_bytes.value: 'lots' is not a number (units: B, kB, MB, GB, "
      "TB, KiB, MiB, GiB, TiB)",
      "small.yaml:7:34: memory.bandwidth_bytes_per_s.value: must be greater than 0",
      "small.yaml:8:23: memory.bandwidth_fraction: the range must hold the value: 0 <= low <= "
      "value <= high",
      "small.yaml:10:3: peak_flops_per_s.bf17: is not a dtype (f32, tf32, bf16, f16, fp8 or f64)",
      "small.yaml:11:8: peak_flops_per_s.f32.source: is missing",
      "small.yaml:13:13: matmul.fraction.default: is missing",
      "small.yaml:15:32: launch.gap_s.status: 'guessed' is not a status (published, measured, "
      "derived, assumed or unchecked)",
      "small.yaml:16:37: launch.interval_s.source: 'pge' is not named under sources (did you mean "
      "'page'?)",
      "small.yaml:18:21: price_per_hour_usd: must have 0 <= low <= typical <= high",
      "small.yaml:22:28: measured.matmul[0].m: must be a whole number of at least 1",
      "small.yaml:22:34: measured.matmul[0].n: must be a whole number of at least 1",
      "small.yaml:3:1: memroy: unknown key (did you mean 'memory'?)",
  };
  BOOST_CHECK_EQUAL_COLLECTIONS(lines.begin(), lines.end(), expected.begin(), expected.end());
}

BOOST_AUTO_TEST_CASE(missing_parts_are_named) {
  const std::vector<std::string> lines = problems_of("name: x\nkind: gpu\n");
  for (const char* key : {"memory", "peak_flops_per_s", "matmul", "launch"}) {
    const std::string text = std::string(key) + ": is missing";
    BOOST_TEST(
        std::any_of(lines.begin(), lines.end(),
                    [&](const std::string& line) { return line.find(text) != std::string::npos; }),
        text);
  }
}

BOOST_AUTO_TEST_CASE(a_gpu_must_say_its_memory_and_a_processor_need_not) {
  const std::string without =
      replaced(replaced(kSmall, "  nominal_bytes: {value: 8 GB, source: a page}\n", ""),
               "  usable_bytes: {value: 7680 MiB, low: 7600 MiB, status: "
               "measured, source: \"a log, read once\"}\n",
               "");
  BOOST_TEST(problems_of(without).size() == 2u);
  const Hardware cpu = read(replaced(without, "kind: gpu", "kind: cpu"));
  BOOST_TEST(!capacity(cpu).has_value());
}

BOOST_AUTO_TEST_CASE(something_that_is_not_a_map) {
  BOOST_TEST(!problems_of("- 1\n- 2\n").empty());
  BOOST_TEST(!problems_of("just words\n").empty());
  BOOST_TEST(!problems_of(replaced(kSmall, "aliases: [small]", "aliases: {a: b}")).empty());
}

BOOST_AUTO_TEST_CASE(sizes_beyond_every_machine) {
  const std::vector<std::string> lines =
      problems_of(replaced(replaced(kSmall, "{value: 8 GB,", "{value: 1e30,"),
                           "value: 7680 MiB, low: 7600 MiB", "value: 1 GB, high: 1e19"));
  BOOST_REQUIRE(lines.size() == 2u);
  for (const std::string& line : lines) {
    BOOST_TEST(line.find("is more than any device has (expected 1 to 1e18 B)") !=
               std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(rates_that_no_device_has_are_named_with_their_place) {
  const auto expect = [](const std::string& text, const std::string& line) {
    const std::vector<std::string> lines = problems_of(text);
    BOOST_TEST_CONTEXT(line) {
      BOOST_REQUIRE(lines.size() == 1u);
      BOOST_TEST(lines[0] == line);
    }
  };
  expect(replaced(kSmall, "{value: 0.5 TB/s", "{value: 1e300"),
         "small.yaml:7:34: memory.bandwidth_bytes_per_s.value: 1e+300 is more than any device has "
         "(expected 1 MB/s to 10,000 TB/s)");
  expect(replaced(kSmall, "{value: 0.5 TB/s", "{value: 0.5"),
         "small.yaml:7:34: memory.bandwidth_bytes_per_s.value: 0.5 is less than any device has "
         "(expected 1 MB/s to 10,000 TB/s)");
  expect(replaced(kSmall, "{value: 10 TFLOP/s", "{value: 10 PFLOP/s, high: 1e40"),
         "small.yaml:10:34: peak_flops_per_s.f32.high: 1e+40 is more than any device has "
         "(expected 1 MFLOP/s to 10,000 PFLOP/s)");
  expect(replaced(kSmall, "{value: 80%, low: 0.7, high: 0.9", "{value: 80%, high: 2.5"),
         "small.yaml:8:42: memory.bandwidth_fraction.high: 2.5 is more than any device has "
         "(expected a share of at most 2)");
  expect(replaced(kSmall, "{value: 4e13", "{value: 0"),
         "small.yaml:11:16: peak_flops_per_s.fp8.value: must be greater than 0");
  // The unit takes it past what a number can hold.
  expect(replaced(kSmall, "{value: 0.5 TB/s", "{value: 1e300 TB/s"),
         "small.yaml:7:34: memory.bandwidth_bytes_per_s.value: '1e300 TB/s' is not a number "
         "(units: B/s, kB/s, MB/s, GB/s, TB/s)");
  const std::string measured = std::string(kSmall) + R"(measured:
  device_name: x
  date: "2026-11-30"
  bandwidth_bytes_per_s: -5e9
  matmul: [{dtype: f32, m: 4, n: 4, k: 4, flops_per_s: 1e30}]
)";
  const std::vector<std::string> lines = problems_of(measured);
  BOOST_REQUIRE(lines.size() == 2u);
  BOOST_TEST(lines[0] ==
             "small.yaml:22:26: measured.bandwidth_bytes_per_s: must be greater than 0");
  BOOST_TEST(lines[1] ==
             "small.yaml:23:56: measured.matmul[0].flops_per_s: 1e+30 is more than any device has "
             "(expected 1 MFLOP/s to 10,000 PFLOP/s)");
}

BOOST_AUTO_TEST_CASE(a_key_given_twice_and_a_dtype_that_both_is_and_is_not) {
  BOOST_TEST(problems_of(std::string(kSmall) + "unsupported: [f32]\n").size() == 2u);
}

BOOST_AUTO_TEST_CASE(writing_and_reading_back_changes_nothing) {
  Hardware hardware = read(kSmall);
  hardware.display = "Small \"GPU\" \\ 1: #2";
  hardware.vendor = "Nobody";
  hardware.memory.context = exact_figure(Bytes(123456789), Standing::kUnchecked, "a: b, {c}");
  hardware.matmul.fraction[DType::kF32] = {1.0 / 3, 0.1, 0.7, Standing::kDerived, "thirds # no"};
  hardware.matmul.units = exact_figure(132.0, Standing::kPublished, "a page");
  hardware.matmul.k_half = exact_figure(180.0, Standing::kPublished, "a page");
  const auto rate = exact_figure(BytesPerSecond(1.0e10 / 3), Standing::kAssumed, "a page");
  hardware.host_link = HostLinkSpec{"PCIe 5.0 x16", rate, rate};
  hardware.interconnect.gpu_link = rate;
  hardware.price = Price{Usd(0.1), Usd(0.2), Usd(0.3), "2026-05", Standing::kDerived, "a page"};
  hardware.launch.gap.source = "datasheet";  // a single word, as a program may set it
  hardware.notes = {"one", "two: with a colon", "tab\there"};
  MeasuredRates rates;
  rates.device_name = "the device";
  rates.date = "2026-11-30";
  rates.conditions = "2 threads";
  rates.bandwidth = BytesPerSecond(1.7e10);
  rates.launch_gap = Seconds(1.0 / 300000);
  rates.pinned = BytesPerSecond(2e10);
  rates.pageable = BytesPerSecond(5e9);
  rates.memory_total = Bytes(8254390272);
  rates.matmul = {{DType::kF32, 1024, 1024, 1024, FlopsPerSecond(1.765432198e11)},
                  {DType::kF8e4m3, 8192, 8192, 8192, FlopsPerSecond(1.4e15)}};
  hardware.measured = rates;
  const std::string text = hardware_to_yaml(hardware);
  BOOST_TEST_MESSAGE(text);
  BOOST_CHECK(read(text) == hardware);
  BOOST_TEST(capacity(hardware)->value.value() == 8254390272);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(catalog)

HardwareCatalog two() {
  return HardwareCatalog(
      {io::parse_yaml(kSmall, "small.yaml"),
       io::parse_yaml(replaced(replaced(kSmall, "small-gpu", "large-gpu"), "[small]", "[Large 1]"),
                      "large.yaml")});
}

BOOST_AUTO_TEST_CASE(names_and_aliases_in_any_spelling) {
  const HardwareCatalog catalog = two();
  for (const char* name : {"small-gpu", "Small GPU", "SMALL_GPU", "small"}) {
    BOOST_REQUIRE_MESSAGE(catalog.find(name) != nullptr, name);
    BOOST_TEST(catalog.find(name)->name == "small-gpu");
  }
  BOOST_TEST(catalog.get("large-1").name == "large-gpu");
  BOOST_TEST(catalog.find("gpu") == nullptr);
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_answered_with_the_nearest) {
  const HardwareCatalog catalog = two();
  try {
    (void)catalog.get("smal-gpu", {"plan.yaml", 7, 8});
    BOOST_FAIL("expected a ConfigError");
  } catch (const ConfigError& error) {
    BOOST_TEST(std::string(error.what()) ==
               "plan.yaml:7:8: hardware.gpu: no hardware file is named 'smal-gpu' (did you mean "
               "small-gpu?)");
  }
  BOOST_TEST(catalog.suggestions("gpu").size() == 2u);
  try {
    (void)catalog.get("quantum");
    BOOST_FAIL("expected a ConfigError");
  } catch (const ConfigError& error) {
    BOOST_TEST(error.problems()[0].hint.find("headroom list gpus") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(two_files_cannot_claim_one_name) {
  const std::string other = replaced(kSmall, "small-gpu", "other");
  BOOST_CHECK_THROW(
      HardwareCatalog({io::parse_yaml(kSmall, "a.yaml"), io::parse_yaml(other, "b.yaml")}),
      ConfigError);
}

BOOST_AUTO_TEST_CASE(problems_of_all_files_come_together) {
  try {
    HardwareCatalog({io::parse_yaml(replaced(kSmall, "kind: gpu", "kind: a"), "a.yaml"),
                     io::parse_yaml(replaced(kSmall, "kind: gpu", "kind: b"), "b.yaml")});
    BOOST_FAIL("expected a ConfigError");
  } catch (const ConfigError& error) {
    BOOST_REQUIRE(error.problems().size() == 2u);
    BOOST_TEST(error.problems()[0].where.file == "a.yaml");
    BOOST_TEST(error.problems()[1].where.file == "b.yaml");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::estimator
