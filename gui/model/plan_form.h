#pragma once

#include "gui/model/plan_state.h"

#include <QString>
#include <vector>

namespace headroom::gui {

/// One key of the plan as a form shows it.
struct FormField {
  const KeySpec* key = nullptr;
  QString label;       ///< `micro batch size`
  QString unit;        ///< `samples`; may be empty
  QString help;        ///< rich text: meaning, effects, range, default, path in the file
  KeyValue value;      ///< monostate: not set
  bool given = false;  ///< by the plan's author; otherwise the value is the default
  QString problem;     ///< what is wrong with it; empty when nothing is
};

/// The keys of one mapping of the plan file.
struct FormSection {
  QString path;   ///< `training.optimizer`
  QString title;  ///< `Optimizer`
  QString meaning;
  bool open = true;  ///< shown unfolded at first
  std::vector<FormField> fields;
};

/// Everything that can be set in this plan, from the schema; keys without meaning in it are left
/// out.
[[nodiscard]] std::vector<FormSection> form_of(const PlanState& state);

/// Message and hint of the problems that no field shows, one line each.
[[nodiscard]] std::vector<QString> problems_without_field(const std::vector<Problem>& problems,
                                                          const std::vector<FormSection>& form);

/// `message (hint)`.
[[nodiscard]] QString problem_text(const Problem& problem);

}  // namespace headroom::gui
