#include "cli/arguments.h"
#include "cli/json_parts.h"
#include "cli/plan_input.h"
#include "cli/table.h"
#include "core/describe/format.h"
#include "core/io/atomic_file.h"
#include "estimator/hardware.h"
#include "trainer/make_device.h"
#include "trainer/measure/measure_device.h"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <ctime>
#include <iostream>

namespace headroom::cli {
namespace {

namespace po = boost::program_options;

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

estimator::MeasuredRates rates_of(const runtime::Device& device,
                                  const trainer::DeviceMeasurement& measured) {
  estimator::MeasuredRates rates{.device_name = device.description(),
                                 .date = today(),
                                 .conditions = "headroom bench, medians, machine as it was",
                                 .bandwidth = measured.bandwidth,
                                 .memory_total = device.memory().capacity};
  for (const trainer::MeasuredProduct& product : measured.products) {
    rates.matmul.push_back({.dtype = product.dtype,
                            .m = product.m,
                            .n = product.n,
                            .k = product.k,
                            .rate = product.rate});
  }
  return rates;
}

std::string bench_text(const runtime::Device& device, const trainer::DeviceMeasurement& measured) {
  Table table({Table::Align::kLeft, Table::Align::kRight, Table::Align::kRight,
               Table::Align::kRight, Table::Align::kRight});
  table.add({"dtype", "m", "n", "k", "rate"});
  for (const trainer::MeasuredProduct& product : measured.products) {
    table.add({std::string(name(product.dtype)), std::to_string(product.m),
               std::to_string(product.n), std::to_string(product.k), format_rate(product.rate)});
  }
  return device.description() + '\n' + table.text() +
         fmt::format("  copy: {:.3g} GB/s read + written\n", measured.bandwidth.value() / 1e9);
}

std::string bench_json(const runtime::Device& device, const trainer::DeviceMeasurement& measured) {
  Json json;
  json["schema_version"] = kJsonSchemaVersion;
  json["device"] = device.name();
  json["device_name"] = device.description();
  json["date"] = today();
  for (const trainer::MeasuredProduct& product : measured.products) {
    json["matmul"].push_back({{"dtype", name(product.dtype)},
                              {"m", product.m},
                              {"n", product.n},
                              {"k", product.k},
                              {"flops_per_s", product.rate.value()}});
  }
  json["bandwidth_bytes_per_s"] = measured.bandwidth.value();
  return json.dump(2) + "\n";
}

}  // namespace

ExitCode run_bench(std::span<const std::string> words) {
  po::options_description options;
  options.add_options()("device", po::value<std::string>()->default_value("auto"),
                        "auto, cpu or cuda");
  options.add_options()("threads", po::value<int>()->default_value(0),
                        "CPU threads; 0 = all cores");
  options.add_options()("json", po::bool_switch(), "one JSON document instead of text");
  options.add_options()("output,o", po::value<std::string>(),
                        "write a hardware file for hardware.gpu=FILE");
  const Arguments arguments = parse("bench", words, options);
  if (arguments.help) return ExitCode::kOk;
  refuse_more_words("bench", arguments.words, 0);
  const auto kind = from_name<DeviceKind>(arguments.text("device"));
  if (!kind)
    throw Error("--device: auto, cpu or cuda, not " + arguments.text("device"), ExitCode::kUsage);
  Plan plan;
  plan.hardware.device = *kind;
  plan.training.threads = arguments.options["threads"].as<int>();
  const auto device = trainer::make_device(plan);
  const auto measured = trainer::measure_device(
      *device, {.large = device->name() == "cuda"},
      [](const std::string& what) { std::cerr << "timing " << what << '\n'; });
  if (arguments.has("output")) {
    Plan local;
    if (device->name() == "cuda") local.hardware.gpu = "h100-sxm";
    estimator::Hardware hardware =
        estimator::with_measured(hardware_of(local), rates_of(*device, measured));
    hardware.name = "this-" + std::string(device->name());
    hardware.display = device->description();
    hardware.aliases.clear();
    io::write_atomically(arguments.text("output"), estimator::hardware_to_yaml(hardware));
    std::cerr << "wrote " << arguments.text("output")
              << "; use it with hardware.gpu=" << arguments.text("output") << '\n';
  }
  std::cout << (arguments.has("json") ? bench_json(*device, measured)
                                      : bench_text(*device, measured));
  return ExitCode::kOk;
}

}  // namespace headroom::cli
