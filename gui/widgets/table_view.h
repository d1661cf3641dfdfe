#pragma once

#include "gui/model/report_table.h"

#include <QTableView>

namespace headroom::gui {

/// A report table as tall as its rows. Ctrl+C copies the selected rows, or all, with headers.
class TableView : public QTableView {
  Q_OBJECT
 public:
  /// `stretched` is the column that takes the remaining width.
  explicit TableView(int stretched, QWidget* parent = nullptr);
  void setContent(TableContent content);
  [[nodiscard]] const ReportTable& table() const { return table_; }
  void copy() const;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  /// The row the person looks at has this explanation.
  void explained(const headroom::gui::Explanation& how);

 protected:
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void fit();
  int stretched_;
  ReportTable table_;
};

}  // namespace headroom::gui
