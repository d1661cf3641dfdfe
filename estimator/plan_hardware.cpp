#include "estimator/plan_hardware.h"

#include "core/describe/error.h"

namespace headroom::estimator {
namespace {

constexpr const char* kGenericProcessor = "cpu-generic";

bool names_file(const std::string& name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

}  // namespace

Hardware hardware_of(const Plan& plan, const HardwareSources& sources) {
  const std::string& name = plan.hardware.gpu;
  Hardware hardware;
  if (names_file(name)) {
    hardware = hardware_from_node(sources.read_file(name));
  } else if (name.empty() && plan.hardware.device == DeviceKind::kCuda) {
    throw ConfigError({{.where = {},
                        .key = "hardware.gpu",
                        .message = "which GPU? hardware.device is cuda",
                        .hint = "give hardware.gpu; `headroom list gpus` shows all names"}});
  } else {
    hardware = sources.catalog->get(name.empty() ? kGenericProcessor : name);
  }
  if (hardware.kind == HardwareKind::kCpu && !capacity(hardware)) {
    hardware.memory.usable = exact_figure(sources.machine_memory, Standing::kMeasured,
                                          "physical memory of this machine");
  }
  return hardware;
}

Plan as_run_on(Plan plan, const std::string& device) {
  if (device != "cpu") return plan;
  plan.hardware.device = DeviceKind::kCpu;
  const bool own_file = names_file(plan.hardware.gpu);
  if (!own_file) plan.hardware.gpu.clear();
  return plan;
}

}  // namespace headroom::estimator
