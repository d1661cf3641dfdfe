#include "cli/plan_input.h"

#include "cli/terminal.h"
#include "core/io/config_dirs.h"
#include "core/io/machine.h"
#include "core/io/plan_yaml.h"
#include "core/io/yaml.h"
#include "estimator/plan_hardware.h"

#include <filesystem>
#include <iostream>

#if HEADROOM_HAS_ENGINE
#include "trainer/data/batch.h"
#include "trainer/data/open_dataset.h"
#endif

namespace headroom::cli {
namespace {

constexpr const char* kGenericProcessor = "cpu-generic";
/// Stands in for a GPU that the plan does not name: its memory is counted right, its time is not.
constexpr const char* kFallbackGpu = "h100-sxm";

/// The one file of that name, or all files when there is none: aliases and suggestions need them.
estimator::HardwareCatalog catalog_for(const std::string& name) {
  const auto file = io::find_config("hardware", name.empty() ? kGenericProcessor : name, {});
  return file ? estimator::HardwareCatalog({io::read_yaml(*file)}) : load_hardware_catalog();
}

void print_notes(const LoadedPlan& loaded) {
  for (const Problem& note : loaded.notes) {
    std::cerr << paint("note", Colour::kDim, Stream::kErr) << ": " << to_string(note) << '\n';
  }
}

ConfigNode read_hardware_file(const std::string& path) {
  if (!std::filesystem::exists(path)) {
    throw ConfigError({{.where = {},
                        .key = "hardware.gpu",
                        .message = "there is no hardware file " + path,
                        .hint = "`headroom bench -o FILE.yaml` writes one for this machine; "
                                "`headroom list gpus` shows the names that need no file"}});
  }
  return io::read_yaml(path);
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
  const estimator::HardwareCatalog catalog = catalog_for(plan.hardware.gpu);
  return estimator::hardware_of(plan, {.catalog = &catalog,
                                       .machine_memory = io::machine_memory(),
                                       .read_file = read_hardware_file});
}

estimator::Hardware hardware_for_run(const Plan& plan, std::string_view device) {
  Plan local = estimator::as_run_on(plan, std::string(device));
  if (device == "cuda" && local.hardware.gpu.empty()) local.hardware.gpu = kFallbackGpu;
  return hardware_of(local);
}

LoadedPlan load_plan_with_notes(const PlanWords& words) {
  LoadedPlan loaded = io::load_plan(words.path, words.overrides);
  print_notes(loaded);
  return loaded;
}

LoadedPlan load_run_plan_with_notes(const std::filesystem::path& run,
                                    const std::vector<std::string>& overrides) {
  LoadedPlan loaded = io::load_run_plan(run, overrides);
  print_notes(loaded);
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
