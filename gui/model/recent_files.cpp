#include "gui/model/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace headroom::gui {
namespace {
const QString kKey = QStringLiteral("recent");
constexpr int kMost = 10;
}  // namespace

void RecentFiles::add(const QString& path) {
  QStringList paths = settings_.value(kKey).toStringList();
  paths.removeAll(path);
  paths.prepend(path);
  while (paths.size() > kMost) paths.removeLast();
  settings_.setValue(kKey, paths);
}

QStringList RecentFiles::list() const {
  QStringList paths = settings_.value(kKey).toStringList();
  paths.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
  return paths;
}

void RecentFiles::clear() { settings_.remove(kKey); }

}  // namespace headroom::gui
