#include "gui/widgets/about.h"

#include <QtGlobal>

namespace headroom::gui {

QString about_text() {
  return QStringLiteral(
             "<h3>Headroom %1</h3>"
             "<p>What a training run needs before it starts, the run itself, and both side by "
             "side.</p>"
             "<p>Headroom's own code is licensed under the Apache License 2.0.</p>"
             "<p>This window links Qt %2. Qt Charts is licensed under the GNU General Public "
             "License, version 3, so the program <tt>headroom-gui</tt> as a whole is distributed "
             "under GPLv3. The command line does not link it.</p>"
             "<p>It reads and writes files on this machine and makes no network connection.</p>")
      .arg(QStringLiteral(HEADROOM_VERSION), QString::fromLatin1(qVersion()));
}

}  // namespace headroom::gui
