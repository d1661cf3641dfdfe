#pragma once

#include "gui/model/slider_scale.h"

#include <QAbstractSpinBox>

namespace headroom::gui {

/// A spin box for any number a plan can hold: 64-bit integers, reals without a fixed number of
/// digits, and "not set". Steps follow the key's slider.
class NumberSpin : public QAbstractSpinBox {
  Q_OBJECT
 public:
  explicit NumberSpin(const KeySpec& key, QWidget* parent = nullptr);

  void setValue(const KeyValue& value);
  [[nodiscard]] const KeyValue& value() const { return value_; }
  void stepBy(int steps) override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
  void edited(const headroom::KeyValue& value);
  /// The text cannot be read; empty once it can.
  void problem(const QString& text);

 protected:
  [[nodiscard]] StepEnabled stepEnabled() const override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  void commit();

  const KeySpec& key_;
  SliderScale scale_;
  KeyValue value_;
};

}  // namespace headroom::gui
