#include "gui/widgets/field_row.h"

#include "gui/model/palette.h"
#include "gui/model/text.h"
#include "gui/widgets/number_spin.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSlider>
#include <QVBoxLayout>
#include <QWheelEvent>

namespace headroom::gui {
namespace {

/// Lets the wheel scroll the form unless the editor was chosen first.
template <class Base>
class Calm : public Base {
 public:
  using Base::Base;

 protected:
  void wheelEvent(QWheelEvent* event) override {
    this->hasFocus() ? Base::wheelEvent(event) : event->ignore();
  }
};

QString text_of(const KeyValue& value) { return to_qt(to_text(value)); }

}  // namespace

FieldRow::FieldRow(const FormField& field,
                   const std::vector<HardwareChoice>& hardware,
                   QWidget* parent)
    : QWidget(parent), key_(*field.key) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(1);
  label_ = new QLabel(this);
  auto* line = new QWidget(this);
  auto* row = new QHBoxLayout(line);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);

  if (key_.path == "hardware.gpu") {
    buildHardware(hardware, line);
  } else if (key_.kind == KeyKind::kBool) {
    buildBool();
    row->addWidget(editor_);
    row->addStretch(1);
  } else if (key_.kind == KeyKind::kWord) {
    buildWord(line);
  } else if (key_.kind == KeyKind::kInteger || key_.kind == KeyKind::kReal) {
    buildNumber(field, line);
  } else {
    buildText(line);
  }
  reset_ = new QToolButton(line);
  reset_->setText(QStringLiteral("\u21BA"));
  reset_->setAutoRaise(true);
  reset_->setToolTip("Back to the default: " + to_qt(key_.default_text));
  reset_->setAccessibleName("Reset " + field.label);
  connect(reset_, &QToolButton::clicked, this, [this] {
    setTypedProblem({});
    send({});
  });
  row->addWidget(reset_);

  problem_ = new QLabel(this);
  problem_->setWordWrap(true);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_->setObjectName("problem");
  auto* unit = new QLabel(field.unit, this);
  unit->setForegroundRole(QPalette::PlaceholderText);
  auto* heading = new QHBoxLayout;
  heading->setSpacing(6);
  heading->addWidget(label_);
  heading->addWidget(unit, 1);
  if (key_.kind == KeyKind::kBool) {
    label_->hide();
    unit->hide();
  } else {
    column->addLayout(heading);
  }
  column->addWidget(line);
  column->addWidget(problem_);
  label_->setBuddy(editor_);
  setToolTip(field.help);
  setObjectName(to_qt(key_.path));
  editor_->setAccessibleName(field.label);
  editor_->setAccessibleDescription(to_qt(key_.meaning));
  setField(field);
}

void FieldRow::buildNumber(const FormField& field, QWidget* line) {
  const SliderScale scale(key_);
  auto* spin = new NumberSpin(key_, line);
  editor_ = spin;
  QSlider* slider = nullptr;
  if (scale.usable()) {
    slider = new Calm<QSlider>(Qt::Horizontal, line);
    slider->setRange(0, scale.last_position());
    slider->setPageStep(1);
    slider->setAccessibleName(field.label + " slider");
    slider->setMinimumWidth(90);
    line->layout()->addWidget(slider);
    connect(slider, &QSlider::sliderPressed, this, &FieldRow::gestureBegan);
    connect(slider, &QSlider::sliderReleased, this, &FieldRow::gestureEnded);
    connect(slider, &QSlider::valueChanged, this, [this, scale](int position) {
      setTypedProblem({});
      send(scale.value_at(position));
    });
  } else {
    static_cast<QHBoxLayout*>(line->layout())->addStretch(1);
  }
  line->layout()->addWidget(spin);
  connect(spin, &NumberSpin::edited, this, &FieldRow::send);
  connect(spin, &NumberSpin::problem, this, &FieldRow::setTypedProblem);
  show_value_ = [spin, slider, scale](const KeyValue& value) {
    spin->setValue(value);
    if (slider == nullptr) return;
    const QSignalBlocker quiet(slider);
    slider->setValue(scale.position_of(value));
  };
}

void FieldRow::buildWord(QWidget* line) {
  auto* combo = new Calm<QComboBox>(line);
  combo->setFocusPolicy(Qt::StrongFocus);
  const bool optional =
      key_.fallback != nullptr && std::holds_alternative<std::monostate>(key_.fallback(Plan{}));
  if (optional) combo->addItem("not set", QString());
  for (const Choice& choice : key_.choices) {
    combo->addItem(to_qt(choice.name), to_qt(choice.name));
    combo->setItemData(combo->count() - 1, to_qt(choice.meaning), Qt::ToolTipRole);
  }
  editor_ = combo;
  static_cast<QHBoxLayout*>(line->layout())->addWidget(combo, 1);
  connect(combo, &QComboBox::activated, this, [this, combo] {
    const std::string word = combo->currentData().toString().toStdString();
    send(word.empty() ? KeyValue() : KeyValue(word));
  });
  show_value_ = [combo](const KeyValue& value) {
    combo->setCurrentIndex(combo->findData(text_of(value)));
  };
}

void FieldRow::buildBool() {
  auto* check = new QCheckBox(words(key_.leaf()), this);
  editor_ = check;
  connect(check, &QCheckBox::clicked, this, [this](bool on) { send(on); });
  show_value_ = [check](const KeyValue& value) { check->setChecked(value == KeyValue(true)); };
}

void FieldRow::buildText(QWidget* line) {
  auto* edit = new QLineEdit(line);
  edit->setPlaceholderText("not set");
  editor_ = edit;
  static_cast<QHBoxLayout*>(line->layout())->addWidget(edit, 1);
  connect(edit, &QLineEdit::editingFinished, this, [this, edit] { sendText(edit->text()); });
  show_value_ = [edit](const KeyValue& value) {
    const QString text = text_of(value);
    if (edit->text() != text) edit->setText(text);
    edit->setCursorPosition(0);
  };
}

void FieldRow::buildHardware(const std::vector<HardwareChoice>& hardware, QWidget* line) {
  auto* combo = new Calm<QComboBox>(line);
  combo->setFocusPolicy(Qt::StrongFocus);
  combo->setMinimumContentsLength(12);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  for (const HardwareChoice& choice : hardware) {
    const QString detail = choice.detail.isEmpty() ? QString() : ", " + choice.detail;
    combo->addItem(choice.title + detail, choice.word);
  }
  editor_ = combo;
  static_cast<QHBoxLayout*>(line->layout())->addWidget(combo, 1);
  connect(combo, &QComboBox::activated, this,
          [this, combo] { send(combo->currentData().toString().toStdString()); });
  show_value_ = [combo](const KeyValue& value) {
    const QString word = text_of(value);
    int index = combo->findData(word.isEmpty() ? QStringLiteral("cpu-generic") : word);
    if (index < 0) {
      // A hardware file, or another spelling of a name.
      combo->addItem(word, word);
      index = combo->count() - 1;
    }
    combo->setCurrentIndex(index);
  };
}

void FieldRow::setField(const FormField& field) {
  label_->setText(field.label);
  show_value_(field.value);
  reset_->setEnabled(field.given && !key_.required());
  // Space for the arrow is kept, so that editors line up.
  plan_problem_ = field.problem;
  updateProblem();
}

QString FieldRow::problem() const { return problem_->text(); }

void FieldRow::focusEditor() { editor_->setFocus(Qt::OtherFocusReason); }

void FieldRow::send(const KeyValue& value) { emit edited(std::string(key_.path), value); }

void FieldRow::sendText(const QString& text) {
  const TypedValue typed = typed_value(key_, text.trimmed().toStdString());
  setTypedProblem(to_qt(typed.problem));
  if (typed.problem.empty()) send(typed.value);
}

void FieldRow::setTypedProblem(const QString& problem) {
  typed_problem_ = problem;
  updateProblem();
}

void FieldRow::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) updateProblem();
}

void FieldRow::updateProblem() {
  if (problem_ == nullptr) return;

  problem_->setText(typed_problem_.isEmpty() ? plan_problem_ : typed_problem_);
  problem_->setVisible(!problem_->text().isEmpty());
  QPalette shown = palette();
  shown.setColor(QPalette::WindowText, chart_colors(shown).bad);
  problem_->setPalette(shown);
}

}  // namespace headroom::gui
