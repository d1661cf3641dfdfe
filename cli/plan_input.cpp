#include "cli/plan_input.h"

#include <filesystem>
#include <iostream>

#include <unistd.h>

#include "cli/terminal.h"
#include "core/io/config_dirs.h"
#include "core/io/plan_yaml.h"
#include "core/io/yaml.h"

#if HEADROOM_HAS_ENGINE
#include "trainer/data/batch.h"
#include "trainer/data/open_dataset.h"
#endif

namespace headroom::cli {
namespace {

constexpr const char* kGenericProcessor = "cpu-generic";
/// Stands in for a GPU that the plan does not name: its memory is counted right, its time is not.
constexpr const char* kFallbackGpu = "h100-sxm";

/// A generic processor has the memory of the machine we run on.
void add_machine_memory(estimator::Hardware& hardware) {
  if (hardware.kind != estimator::HardwareKind::kCpu || estimator::capacity(hardware)) return;
  const std::int64_t bytes = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE);
  hardware.memory.usable = estimator::exact_figure(
      Bytes(bytes), estimator::Standing::kMeasured, "physical memory of this machine");
}

}  // namespace

estimator::HardwareCatalog load_hardware_catalog() {
  std::vector<ConfigNode> files;
  for (const auto& path : io::list_configs("hardware")) files.push_back(io::read_yaml(path));
  if (files.empty()) {
    throw IoError("no hardware files were found: set HEADROOM_CONFIGS to the configs folder");
  }
  return estimator::HardwareCatalog(files);
}

estimator::Hardware hardware_of(const Plan& plan) {
  const std::string& name = plan.hardware.gpu;
  estimator::Hardware hardware;
  if (name.ends_with(".yaml") || name.ends_with(".yml")) {
    hardware = estimator::hardware_from_node(io::read_yaml(name));
  } else if (name.empty() && plan.hardware.device == DeviceKind::kCuda) {
    throw ConfigError({{.where = {},
                        .key = "hardware.gpu",
                        .message = "which GPU? hardware.device is cuda",
                        .hint = "add --gpu NAME; `headroom list gpus` shows all names"}});
  } else {
    hardware = load_hardware_catalog().get(name.empty() ? kGenericProcessor : name);
  }
  add_machine_memory(hardware);
  return hardware;
}

estimator::Hardware hardware_for_run(const Plan& plan, std::string_view device) {
  const auto wanted =
      device == "cpu" ? estimator::HardwareKind::kCpu : estimator::HardwareKind::kGpu;
  if (!plan.hardware.gpu.empty()) {
    estimator::Hardware named = hardware_of(plan);
    if (named.kind == wanted) return named;
  }
  Plan local = plan;
  local.hardware.gpu = device == "cpu" ? kGenericProcessor : kFallbackGpu;
  return hardware_of(local);
}

LoadedPlan load_plan_with_notes(const PlanWords& words) {
  LoadedPlan loaded = io::load_plan(words.path, words.overrides);
  for (const Problem& note : loaded.notes) {
    std::cerr << paint("note", Colour::kDim, Stream::kErr) << ": " << to_string(note) << '\n';
  }
  return loaded;
}

std::optional<std::int64_t> dataset_items(const Plan& plan) {
#if HEADROOM_HAS_ENGINE
  if (plan.data.path.empty() || !std::filesystem::exists(plan.data.path)) return std::nullopt;
  const trainer::BatchSpec spec = trainer::batch_spec(plan);
  return trainer::open_dataset(plan.data, &spec, plan.training.seed)->info().items;
#else
  (void)plan;
  return std::nullopt;
#endif
}

estimator::Estimate estimate_plan(const Plan& plan, const estimator::Hardware& hardware) {
  estimator::EstimateOptions options;
  if (plan.training.epochs) options.dataset_items = dataset_items(plan);
  return estimator::estimate(plan, hardware, options);
}

}  // namespace headroom::cli
