#include "core/io/yaml.h"
#include "estimator/hardware_catalog.h"
#include "estimator/matmul_rate.h"
#include "estimator/time.h"
#include "tests/estimator/samples.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace headroom::estimator {
namespace {

using boost::test_tools::tolerance;

const std::vector<ConfigNode>& files() {
  static const std::vector<ConfigNode> kFiles = [] {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry :
         std::filesystem::directory_iterator(HEADROOM_SOURCE_DIR "/configs/hardware")) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<ConfigNode> nodes;
    for (const auto& path : paths) nodes.push_back(io::read_yaml(path));
    return nodes;
  }();
  return kFiles;
}

const HardwareCatalog& shipped() {
  static const HardwareCatalog kCatalog(files());
  return kCatalog;
}

/// A row of the vendors' datasheets, dense: TFLOP/s (0: the sheet has none), GB and TB/s.
struct Sheet {
  const char* name;
  double half, tf32, f32, fp8, gigabytes, terabytes_per_s;
};
// Source: stas00/ml-engineering 744d01e1 compute/accelerator/README.md; V100 and A10 Lightning;
// A10G, RTX A6000 llm-analysis; RTX 3090, 4090 llm.c.
constexpr Sheet kSheets[] = {
    {"v100-sxm-16gb", 125, 0, 15.7, 0, 16, 0.90},
    {"v100-sxm-32gb", 125, 0, 15.7, 0, 32, 0.90},
    {"v100-pcie-16gb", 112, 0, 14, 0, 16, 0.90},
    {"t4", 65, 0, 8.1, 0, 16, 0.32},
    {"a10", 125, 0, 31.2, 0, 24, 0.60},
    {"a10g", 70, 0, 31.2, 0, 24, 0.60},
    {"a100-sxm-40gb", 312, 156, 19.5, 0, 40, 1.555},
    {"a100-sxm-80gb", 312, 156, 19.5, 0, 80, 2.039},
    {"a100-pcie-80gb", 312, 156, 19.5, 0, 80, 1.94},
    {"l4", 121, 0, 0, 0, 24, 0.30},
    {"l40s", 362, 183, 91.6, 733, 48, 0.86},
    {"rtx-a6000", 154.8, 0, 0, 0, 48, 0.768},
    {"rtx-3090", 71, 0, 0, 0, 24, 0.936},
    {"rtx-4090", 165.2, 0, 82.6, 330.3, 24, 1.008},
    {"rtx-5090", 209.5, 0, 105, 0, 32, 1.792},
    {"h100-sxm", 1979.0 / 2, 494.5, 67, 1979, 80, 3.35},
    {"h100-pcie", 756, 378, 51, 1513, 80, 2.00},
    {"gh200", 989, 0, 0, 0, 96, 0},
    {"h200", 989, 494.5, 67, 1979, 141, 4.8},
    {"b200", 2250, 1125, 80, 4500, 180, 8.0},
    {"gb200", 2500, 1250, 80, 5000, 186, 8.0},
    {"b300", 2250, 0, 0, 0, 288, 8.0},
    {"gb300", 2500, 0, 0, 0, 288, 8.0},
    {"mi250x", 383, 0, 47.9, 0, 128, 3.28},
    {"mi300x", 1300, 653.7, 163.4, 2610, 192, 5.3},
    {"mi325x", 1300, 653.7, 163.4, 2610, 256, 6.0},
    {"mi355x", 2500, 0, 0, 0, 288, 8.0},
};

BOOST_AUTO_TEST_SUITE(shipped_hardware)

BOOST_AUTO_TEST_CASE(every_file_is_read_and_written_back) {
  BOOST_TEST(shipped().all().size() == files().size());
  BOOST_TEST(shipped().all().size() >= 28u);
  for (const Hardware& hardware : shipped().all()) {
    const std::string text = hardware_to_yaml(hardware);
    BOOST_CHECK_MESSAGE(hardware_from_node(io::parse_yaml(text, hardware.name)) == hardware,
                        hardware.name);
  }
}

BOOST_AUTO_TEST_CASE(files_are_named_as_the_device_inside) {
  for (std::size_t i = 0; i < files().size(); ++i) {
    const std::filesystem::path path(files()[i].where.file);
    BOOST_TEST(path.stem().string() == shipped().all()[i].name);
  }
}

BOOST_AUTO_TEST_CASE(peaks_memory_and_bandwidth_are_the_datasheets) {
  for (const Sheet& sheet : kSheets) {
    const Hardware* found = shipped().find(sheet.name);
    BOOST_REQUIRE_MESSAGE(found != nullptr, sheet.name);
    const auto check = [&](DType dtype, double teraflops) {
      if (teraflops == 0) return;
      const auto top = peak(*found, dtype);
      BOOST_REQUIRE_MESSAGE(top.has_value(), sheet.name << ' ' << name(dtype));
      BOOST_TEST_CONTEXT(sheet.name << ' ' << name(dtype)) {
        // Sheets round: 989 and 989.5 (1979 halved), 105 and 104.8 are the same figure.
        BOOST_TEST(top->value.value() / 1e12 == teraflops, tolerance(0.002));
      }
    };
    check(DType::kF16, sheet.half);
    check(DType::kTf32, sheet.tf32);
    check(DType::kF32, sheet.f32);
    check(DType::kF8e4m3, sheet.fp8);
    BOOST_TEST_CONTEXT(sheet.name) {
      BOOST_TEST(static_cast<double>(found->memory.nominal->value.value()) / 1e9 ==
                 sheet.gigabytes);
      if (sheet.terabytes_per_s > 0) {
        BOOST_TEST(found->memory.bandwidth.value.value() / 1e12 == sheet.terabytes_per_s,
                   tolerance(0.005));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_lecture_s_two_peaks) {
  BOOST_TEST(peak(shipped().get("a100"), DType::kBf16)->value.value() == 312e12);
  BOOST_TEST(peak(shipped().get("h100"), DType::kBf16)->value.value() == 1979e12 / 2);
}

// Totals that nvidia-smi prints, in MiB. Source: modal-labs/modal-client PR 2797.
BOOST_AUTO_TEST_CASE(usable_memory_is_what_the_driver_shows) {
  const std::vector<std::pair<const char*, std::int64_t>> totals = {
      {"h100-sxm", 81559}, {"a100-sxm-80gb", 81920}, {"a100-sxm-40gb", 40960},
      {"l4", 23034},       {"a10", 23028},           {"t4", 15360}};
  for (const auto& [name, mebibytes] : totals) {
    BOOST_TEST(capacity(shipped().get(name))->value.value() == mebibytes << 20);
  }
}

BOOST_AUTO_TEST_CASE(what_a_device_lacks_is_said) {
  for (const char* name : {"v100-sxm-16gb", "t4"}) {
    const Hardware& hardware = shipped().get(name);
    BOOST_TEST(!MatmulRates::known(hardware, DType::kBf16));
    BOOST_TEST(missing_rate_message(hardware, DType::kBf16).find("has no bf16") !=
               std::string::npos);
  }
  BOOST_TEST(!MatmulRates::known(shipped().get("a100"), DType::kF8e4m3));
  BOOST_TEST(missing_rate_message(shipped().get("mi355x"), DType::kF8e4m3)
                 .find("no f8e4m3 rate is known") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_figure_has_a_source_and_prices_a_date) {
  for (const Hardware& hardware : shipped().all()) {
    BOOST_TEST_CONTEXT(hardware.name) {
      for (const auto& [dtype, figure] : hardware.peak) BOOST_TEST(!figure.source.empty());
      BOOST_TEST(!hardware.memory.bandwidth.source.empty());
      if (hardware.price) {
        BOOST_TEST(hardware.price->date.rfind("202", 0) == 0u);
        BOOST_TEST(!hardware.price->source.empty());
        BOOST_TEST(hardware.price->low.value() > 0);
      }
      if (hardware.kind == HardwareKind::kGpu) {
        BOOST_TEST(capacity(hardware).has_value());
        BOOST_TEST(hardware.host_link.has_value());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(people_s_names_for_gpus_are_known) {
  const std::vector<std::pair<const char*, const char*>> names = {
      {"h100-sxm", "h100-sxm"},       {"H100 SXM", "h100-sxm"},
      {"h100", "h100-sxm"},           {"NVIDIA H100 80GB HBM3", "h100-sxm"},
      {"a100-80gb", "a100-sxm-80gb"}, {"RTX 4090", "rtx-4090"},
      {"4090", "rtx-4090"},           {"NVIDIA GeForce RTX 4090", "rtx-4090"},
      {"MI300X", "mi300x"},           {"Tesla V100-SXM2-16GB", "v100-sxm-16gb"}};
  for (const auto& [alias, expected] : names) {
    BOOST_TEST(shipped().get(alias).name == expected);
  }
  const auto near = shipped().suggestions("h10");
  BOOST_TEST(!near.empty());
}

BOOST_AUTO_TEST_CASE(a_large_product_runs_on_every_device_within_its_burst_rate) {
  for (const Hardware& hardware : shipped().all()) {
    const TimeModel model(hardware);
    for (const auto& [dtype, figure] : hardware.peak) {
      WorkItem item = test::product("linear", Phase::kForward, 8192, 8192, 8192);
      item.work.compute = dtype;
      const TimeRange total = model.item(item).total;
      BOOST_TEST_CONTEXT(hardware.name << ' ' << name(dtype)) {
        BOOST_TEST(total.low.value() <= total.typical.value());
        BOOST_TEST(total.typical.value() <= total.high.value());
        const double share =
            item.work.matmul_flops.value() / total.typical.value() / figure.value.value();
        BOOST_TEST(share > 0.2);
        BOOST_TEST(share < 1.0);
      }
    }
  }
}

// Best rates that were measured for large bf16 products (MAMF), TFLOP/s. Source: stas00/ml-
// engineering 744d01e1. They are bursts, so they lie between the typical and the best case.
BOOST_AUTO_TEST_CASE(burst_rates_lie_in_the_upper_half_of_the_range) {
  const std::vector<std::pair<const char*, double>> bursts = {
      {"a100-sxm-80gb", 271.2}, {"a100-pcie-80gb", 252.9}, {"h100-sxm", 794.5}, {"gh200", 828.6},
      {"b200", 1745},           {"gb200", 1822},           {"b300", 1769},      {"mi300x", 668.4},
      {"mi325x", 784.9},        {"mi355x", 1565}};
  for (const auto& [name, teraflops] : bursts) {
    const Hardware& hardware = shipped().get(name);
    const Figure<double>& fraction = hardware.matmul.fraction.at(DType::kBf16);
    const double burst = teraflops * 1e12 / peak(hardware, DType::kBf16)->value.value();
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(burst > fraction.value);
      BOOST_TEST(burst < fraction.high * 1.01);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::estimator
