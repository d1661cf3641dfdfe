#include "gui/model/hardware_library.h"

#include "core/describe/format.h"
#include "core/io/config_dirs.h"
#include "core/io/machine.h"
#include "core/io/yaml.h"
#include "gui/model/text.h"

namespace headroom::gui {
namespace {

HardwareChoice choice_of(const estimator::Hardware& hardware) {
  const auto bytes = estimator::capacity(hardware);
  return {.word = to_qt(hardware.name),
          .title = to_qt(hardware.display),
          .detail = bytes ? to_qt(format_bytes(bytes->value)) : QString()};
}

}  // namespace

HardwareLibrary HardwareLibrary::load() {
  std::vector<ConfigNode> files;
  for (const auto& path : io::list_configs("hardware")) files.push_back(io::read_yaml(path));
  if (files.empty()) {
    throw IoError("no hardware files were found: set HEADROOM_CONFIGS to the configs folder");
  }
  HardwareLibrary library{estimator::HardwareCatalog(files)};
  for (const estimator::Hardware& hardware : library.catalog_.all()) {
    library.choices_.push_back(choice_of(hardware));
  }
  return library;
}

estimator::Hardware HardwareLibrary::hardware_of(const Plan& plan) const {
  return estimator::hardware_of(
      plan, {.catalog = &catalog_,
             .machine_memory = io::machine_memory(),
             .read_file = [](const std::string& path) { return io::read_yaml(path); }});
}

}  // namespace headroom::gui
