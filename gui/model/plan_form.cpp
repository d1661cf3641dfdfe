#include "gui/model/plan_form.h"

#include "gui/model/text.h"

#include <algorithm>
#include <array>

namespace headroom::gui {
namespace {

struct Heading {
  const char* path;
  const char* title;
  bool open;
};

/// What decides most comes first.
constexpr std::array kHeadings = {
    Heading{"model", "Model", true},
    Heading{"training", "Training", true},
    Heading{"training.optimizer", "Optimizer", true},
    Heading{"hardware", "Hardware", true},
    Heading{"training.lr_schedule", "Learning rate schedule", false},
    Heading{"parallel", "Parallelism", false},
    Heading{"data", "Data", false},
    Heading{"output", "Output", false},
};

/// The section whose heading a key goes under: the longest that its path begins with; keys at the
/// top of the file go with the hardware, which is what an estimate is made for.
QString heading_of(const KeySpec& key) {
  const Heading* best = nullptr;
  for (const Heading& heading : kHeadings) {
    const bool inside = key.path.starts_with(std::string(heading.path) + '.');
    const bool longer = best == nullptr ||
                        std::string_view(heading.path).size() > std::string_view(best->path).size();
    if (inside && longer) best = &heading;
  }
  return QString::fromLatin1(best == nullptr ? "hardware" : best->path);
}

QString help_of(const KeySpec& key) {
  QString text = "<b>" + to_qt(key.path) + "</b><p>" + to_qt(key.meaning).toHtmlEscaped() + "</p>";
  const auto line = [&](const char* title, std::string_view content) {
    if (content.empty()) return;
    text += QStringLiteral("<br/><i>%1:</i> %2").arg(title, to_qt(content).toHtmlEscaped());
  };
  line("Memory", key.memory);
  line("Time", key.time);
  line("Unit", key.unit);
  if (key.kind == KeyKind::kWord) {
    for (const Choice& choice : key.choices) {
      text += QStringLiteral("<br/><tt>%1</tt>: %2")
                  .arg(to_qt(choice.name), to_qt(choice.meaning).toHtmlEscaped());
    }
  } else {
    line("Range", range_text(key));
  }
  line("Default", key.default_text);
  return text;
}

QString label_of(const KeySpec& key) {
  if (key.path == "training.activation_checkpointing.every")
    return QStringLiteral("every k layers");
  if (key.leaf() == "lr") return QStringLiteral("learning rate");
  if (key.leaf() == "gpu") return QStringLiteral("GPU");
  if (key.leaf() == "count") return QStringLiteral("GPU count");
  return words(key.leaf());
}

/// `num layers` needs no unit `layers`.
QString unit_of(const KeySpec& key) {
  const QString unit = to_qt(key.unit);
  return label_of(key).contains(unit) ? QString() : unit;
}

}  // namespace

QString problem_text(const Problem& problem) {
  QString text = to_qt(problem.message);
  if (!problem.hint.empty()) text += " (" + to_qt(problem.hint) + ")";
  return text;
}

std::vector<FormSection> form_of(const PlanState& state) {
  std::vector<FormSection> form;
  for (const Heading& heading : kHeadings) {
    const SectionSpec* section = find_section(heading.path);
    form.push_back({.path = QString::fromLatin1(heading.path),
                    .title = QString::fromLatin1(heading.title),
                    .meaning = section == nullptr ? QString() : to_qt(section->meaning),
                    .open = heading.open,
                    .fields = {}});
  }
  for (const KeySpec& key : plan_schema()) {
    if (key.loader || key.derived || !key.applies_to(state.plan)) continue;
    const QString path = heading_of(key);
    const auto section = std::find_if(form.begin(), form.end(),
                                      [&](const FormSection& s) { return s.path == path; });
    FormField field{.key = &key,
                    .label = label_of(key),
                    .unit = unit_of(key),
                    .help = help_of(key),
                    .value = key.access.get(state.plan),
                    .given = state.given.contains(key.path),
                    .problem = {}};
    for (const Problem& problem : state.problems) {
      if (problem.key != key.path) continue;
      if (!field.problem.isEmpty()) field.problem += '\n';
      field.problem += problem_text(problem);
    }
    section->fields.push_back(std::move(field));
  }
  std::erase_if(form, [](const FormSection& section) { return section.fields.empty(); });
  return form;
}

std::vector<QString> problems_without_field(const std::vector<Problem>& problems,
                                            const std::vector<FormSection>& form) {
  std::vector<QString> lines;
  for (const Problem& problem : problems) {
    const bool shown = std::any_of(form.begin(), form.end(), [&](const FormSection& section) {
      return std::any_of(section.fields.begin(), section.fields.end(),
                         [&](const FormField& field) { return field.key->path == problem.key; });
    });
    if (!shown) lines.push_back(to_qt(to_string(problem)));
  }
  return lines;
}

}  // namespace headroom::gui
