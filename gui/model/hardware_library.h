#pragma once

#include "core/describe/plan.h"
#include "estimator/hardware_catalog.h"
#include "estimator/plan_hardware.h"

#include <QString>
#include <vector>

namespace headroom::gui {

/// An entry of the GPU picker.
struct HardwareChoice {
  QString word;    ///< what the plan says: `h100-sxm`; empty for this machine's processor
  QString title;   ///< `H100 SXM`
  QString detail;  ///< `79.6 GiB`
};

/// The hardware files that ship with the program, read once.
class HardwareLibrary {
 public:
  /// Reads configs/hardware of every configuration folder.
  /// Errors: IoError, ConfigError.
  static HardwareLibrary load();
  explicit HardwareLibrary(estimator::HardwareCatalog catalog) : catalog_(std::move(catalog)) {}

  /// Errors: ConfigError with the nearest names; IoError for plans that name a file.
  [[nodiscard]] estimator::Hardware hardware_of(const Plan& plan) const;
  [[nodiscard]] const std::vector<HardwareChoice>& choices() const { return choices_; }

 private:
  estimator::HardwareCatalog catalog_;
  std::vector<HardwareChoice> choices_;
};

}  // namespace headroom::gui
