#pragma once

#include "gui/model/explanation.h"
#include "gui/model/palette.h"
#include "gui/model/part.h"

#include <QAbstractTableModel>
#include <QModelIndexList>
#include <optional>
#include <vector>

namespace headroom::gui {

struct TableColumn {
  QString title;
  bool number = false;  ///< aligned to the right
};

struct TableRow {
  enum class Kind { kPlain, kTotal, kHeading, kNote };
  std::vector<QString> cells;
  Kind kind = Kind::kPlain;
  std::optional<Part> part;  ///< its colour stands before the first cell
  Explanation how;
  QString problem;  ///< not empty: shown in the colour of errors, with this tool tip
};

struct TableContent {
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
};

/// A table of finished texts. Replacing the content keeps views and, where the shape stays the
/// same, selections.
class ReportTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  void setContent(TableContent content);
  void setColors(const ChartColors& colors);
  [[nodiscard]] const TableContent& content() const { return content_; }
  /// The explanation of a row; empty when it has none.
  [[nodiscard]] Explanation explanation(int row) const;
  /// Tab-separated text with a header line: the given cells' rows, or all rows.
  [[nodiscard]] QString toTsv(const QModelIndexList& selection = {}) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section,
                                    Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  [[nodiscard]] QVariant swatch(Part part) const;

  TableContent content_;
  ChartColors colors_;
};

}  // namespace headroom::gui
