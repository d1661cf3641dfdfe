#include "gui/widgets/number_spin.h"

#include "gui/model/plan_state.h"
#include "gui/model/text.h"

#include <QLineEdit>
#include <QWheelEvent>

namespace headroom::gui {

NumberSpin::NumberSpin(const KeySpec& key, QWidget* parent)
    : QAbstractSpinBox(parent), key_(key), scale_(key) {
  setFocusPolicy(Qt::StrongFocus);
  setKeyboardTracking(false);
  lineEdit()->setPlaceholderText("not set");
  lineEdit()->setAlignment(Qt::AlignRight);
  connect(this, &QAbstractSpinBox::editingFinished, this, &NumberSpin::commit);
}

void NumberSpin::setValue(const KeyValue& value) {
  value_ = value;
  const QString text = to_qt(to_text(value));
  if (lineEdit()->text() != text) lineEdit()->setText(text);
}

void NumberSpin::stepBy(int steps) {
  emit problem({});
  emit edited(scale_.stepped(value_, steps));
}

void NumberSpin::commit() {
  const std::string text = lineEdit()->text().trimmed().toStdString();
  if (text == to_text(value_)) {
    emit problem({});
    return;
  }
  if (text.empty()) {
    emit problem({});
    emit edited({});
    return;
  }
  const TypedValue typed = typed_value(key_, text);
  emit problem(to_qt(typed.problem));
  if (typed.problem.empty()) emit edited(typed.value);
}

QAbstractSpinBox::StepEnabled NumberSpin::stepEnabled() const {
  return StepUpEnabled | StepDownEnabled;
}

QSize NumberSpin::sizeHint() const {
  constexpr int kDigits = 9, kButtons = 34;
  return {fontMetrics().horizontalAdvance(QString(kDigits, '8')) + kButtons,
          QAbstractSpinBox::sizeHint().height()};
}

void NumberSpin::wheelEvent(QWheelEvent* event) {
  // A page that is scrolled must not change the plan under the pointer.
  hasFocus() ? QAbstractSpinBox::wheelEvent(event) : event->ignore();
}

}  // namespace headroom::gui
