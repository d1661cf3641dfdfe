#pragma once

#include <QString>
#include <QStringList>

class QSettings;

namespace headroom::gui {

/// Paths opened lately, newest first, in the program's settings.
class RecentFiles {
 public:
  explicit RecentFiles(QSettings& settings) : settings_(settings) {}
  void add(const QString& path);
  /// Those that still exist.
  [[nodiscard]] QStringList list() const;
  void clear();

 private:
  QSettings& settings_;
};

}  // namespace headroom::gui
