#include "gui/model/report_table.h"

#include <QFont>
#include <QImage>
#include <QPainter>
#include <set>

namespace headroom::gui {

void ReportTable::setContent(TableContent content) {
  const bool same_shape = content.columns.size() == content_.columns.size() &&
                          content.rows.size() == content_.rows.size();
  if (!same_shape) {
    beginResetModel();
    content_ = std::move(content);
    endResetModel();
    return;
  }
  content_ = std::move(content);
  if (content_.rows.empty()) return;
  emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

void ReportTable::setColors(const ChartColors& colors) {
  colors_ = colors;
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

Explanation ReportTable::explanation(int row) const {
  if (row < 0 || row >= rowCount()) return {};
  return content_.rows[static_cast<std::size_t>(row)].how;
}

QString ReportTable::toTsv(const QModelIndexList& selection) const {
  std::set<int> rows;
  for (const QModelIndex& index : selection) rows.insert(index.row());
  QStringList lines, titles;
  for (const TableColumn& column : content_.columns) titles << column.title;
  lines << titles.join('\t');
  for (int r = 0; r < rowCount(); ++r) {
    if (!rows.empty() && !rows.contains(r)) continue;
    QStringList cells;
    for (int c = 0; c < columnCount(); ++c) cells << data(index(r, c)).toString();
    lines << cells.join('\t');
  }
  return lines.join('\n') + '\n';
}

int ReportTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(content_.rows.size());
}

int ReportTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(content_.columns.size());
}

QVariant ReportTable::swatch(Part part) const {
  constexpr int kSize = 12;
  QImage image(kSize, kSize, QImage::Format_RGB32);
  QPainter painter(&image);
  painter.fillRect(image.rect(), part_brush(part, colors_));
  painter.setPen(part_style(part, colors_.dark).color);
  painter.drawRect(0, 0, kSize - 1, kSize - 1);
  painter.end();
  return image;
}

QVariant ReportTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const TableRow& row = content_.rows[static_cast<std::size_t>(index.row())];
  const auto column = static_cast<std::size_t>(index.column());
  switch (role) {
    case Qt::DisplayRole:
      return column < row.cells.size() ? row.cells[column] : QString();
    case Qt::TextAlignmentRole: {
      const bool number = content_.columns[column].number;
      return QVariant::fromValue(
          Qt::Alignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    }
    case Qt::ToolTipRole:
      if (!row.problem.isEmpty()) return row.problem;
      return row.how.empty() ? QVariant() : QVariant(to_html(row.how));
    case Qt::DecorationRole:
      return index.column() == 0 && row.part ? swatch(*row.part) : QVariant();
    case Qt::FontRole: {
      if (row.kind == TableRow::Kind::kPlain || row.kind == TableRow::Kind::kNote) return {};
      QFont font;
      font.setBold(true);
      return font;
    }
    case Qt::ForegroundRole:
      if (!row.problem.isEmpty()) return colors_.bad;
      if (row.kind == TableRow::Kind::kNote) return colors_.muted_text;
      return {};
    default:
      return {};
  }
}

QVariant ReportTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const TableColumn& column = content_.columns[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue(
        Qt::Alignment((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  return {};
}

Qt::ItemFlags ReportTable::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

}  // namespace headroom::gui
