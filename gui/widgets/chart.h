#pragma once

#include "gui/model/part.h"

#include <QImage>
#include <QString>
#include <optional>
#include <vector>

class QWidget;

namespace headroom::gui {

/// What every chart of the window can do, whatever draws it.
class Chart {
 public:
  Chart() = default;
  Chart(const Chart&) = delete;
  Chart& operator=(const Chart&) = delete;
  virtual ~Chart() = default;

  [[nodiscard]] virtual QString chartTitle() const = 0;
  /// The parts that are drawn, for a legend beside the picture; empty when the chart says
  /// everything itself.
  [[nodiscard]] virtual std::vector<std::pair<Part, QString>> legend() const { return {}; }
};

/// The chart in its present size and colours with title, caption and legend, `scale` times as many
/// pixels each way.
[[nodiscard]] QImage chart_image(QWidget& widget,
                                 const Chart& chart,
                                 const QString& caption,
                                 int scale = 2);

}  // namespace headroom::gui
