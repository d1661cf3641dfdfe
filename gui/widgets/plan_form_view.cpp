#include "gui/widgets/plan_form_view.h"

#include <QToolButton>
#include <QVBoxLayout>
#include <set>

namespace headroom::gui {

PlanFormView::PlanFormView(std::vector<HardwareChoice> hardware, QWidget* parent)
    : QScrollArea(parent), hardware_(std::move(hardware)) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName("Plan");
  auto* page = new QWidget;
  column_ = new QVBoxLayout(page);
  column_->setContentsMargins(8, 8, 10, 8);
  column_->setSpacing(4);
  column_->addStretch(1);
  setWidget(page);
}

PlanFormView::Section& PlanFormView::section(const FormSection& form) {
  const auto [found, fresh] = sections_.try_emplace(form.path);
  Section& section = found->second;
  if (!fresh) return section;
  section.box = new QWidget(widget());
  auto* column = new QVBoxLayout(section.box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  section.header = new QToolButton(section.box);
  section.header->setText(form.title);
  section.header->setToolTip(form.meaning);
  section.header->setCheckable(true);
  section.header->setAutoRaise(true);
  section.header->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  section.header->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  QFont bold = section.header->font();
  bold.setBold(true);
  section.header->setFont(bold);
  column->addWidget(section.header);
  auto* body = new QWidget(section.box);
  section.rows = new QVBoxLayout(body);
  section.rows->setContentsMargins(8, 0, 0, 8);
  section.rows->setSpacing(7);
  column->addWidget(body);
  const auto fold = [header = section.header, body](bool open) {
    header->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    body->setVisible(open);
  };
  connect(section.header, &QToolButton::toggled, this, fold);
  section.header->setChecked(form.open);
  fold(form.open);
  column_->insertWidget(column_->count() - 1, section.box);
  return section;
}

FieldRow* PlanFormView::makeRow(const FormField& field, QWidget* parent) {
  auto* row = new FieldRow(field, hardware_, parent);
  connect(row, &FieldRow::edited, this, &PlanFormView::edited);
  connect(row, &FieldRow::gestureBegan, this, &PlanFormView::gestureBegan);
  connect(row, &FieldRow::gestureEnded, this, &PlanFormView::gestureEnded);
  return row;
}

void PlanFormView::setForm(const std::vector<FormSection>& form) {
  std::set<std::string, std::less<>> keys;
  std::set<QString> paths;
  for (const FormSection& part : form) {
    paths.insert(part.path);
    Section& section = this->section(part);
    for (std::size_t i = 0; i < part.fields.size(); ++i) {
      const FormField& field = part.fields[i];
      keys.emplace(field.key->path);
      const auto [found, fresh] = rows_.try_emplace(std::string(field.key->path));
      if (fresh) {
        found->second = makeRow(field, section.rows->parentWidget());
        section.rows->insertWidget(static_cast<int>(i), found->second);
      } else {
        found->second->setField(field);
      }
    }
  }
  for (auto row = rows_.begin(); row != rows_.end();) {
    if (keys.contains(row->first)) {
      ++row;
      continue;
    }
    // It may be the sender of this very change.
    row->second->hide();
    row->second->parentWidget()->layout()->removeWidget(row->second);
    row->second->deleteLater();
    row = rows_.erase(row);
  }
  for (auto& [path, section] : sections_) section.box->setVisible(paths.contains(path));
}

FieldRow* PlanFormView::row(const std::string& path) const {
  const auto found = rows_.find(path);
  return found == rows_.end() ? nullptr : found->second;
}

void PlanFormView::reveal(const std::string& path) {
  FieldRow* target = row(path);
  if (target == nullptr) return;
  for (auto& [name, section] : sections_) {
    if (section.rows->indexOf(target) >= 0) section.header->setChecked(true);
  }
  ensureWidgetVisible(target);
  target->focusEditor();
}

}  // namespace headroom::gui
