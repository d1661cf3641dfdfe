#include "gui/widgets/screenshots.h"

#include "core/describe/error.h"
#include "gui/model/text.h"
#include "gui/widgets/main_window.h"
#include "gui/widgets/plan_page.h"
#include "gui/widgets/run_page.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <unordered_map>
#include <vector>

namespace headroom::gui {
namespace {

/// Lets layouts, timers and animations come to rest.
void settle() {
  constexpr int kRest = 250;  // ms
  QElapsedTimer clock;
  clock.start();
  while (clock.elapsed() < kRest) QApplication::processEvents(QEventLoop::AllEvents, 20);
}

/// The picture with its 256 most frequent colours; others become their nearest neighbours. A page
/// of text and plain areas is then a third of the size and looks the same.
QImage few_colours(const QImage& image) {
  constexpr std::size_t kMost = 256;
  std::unordered_map<QRgb, int> counts;
  for (int y = 0; y < image.height(); ++y) {
    const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
    for (int x = 0; x < image.width(); ++x) ++counts[line[x] | 0xff000000U];
  }
  std::vector<std::pair<int, QRgb>> ranked;
  for (const auto& [colour, count] : counts) ranked.emplace_back(count, colour);
  std::sort(ranked.rbegin(), ranked.rend());
  QList<QRgb> table;
  for (const auto& [count, colour] : ranked) {
    if (table.size() < static_cast<qsizetype>(kMost)) table << colour;
  }
  return image.convertToFormat(QImage::Format_Indexed8, table,
                               Qt::ThresholdDither | Qt::AvoidDither);
}

void write(MainWindow& window, const std::filesystem::path& path) {
  QImage image(window.size(), QImage::Format_RGB32);
  window.render(&image);
  if (!few_colours(image).save(to_qt(path.string()), "PNG", 0)) {
    throw IoError("cannot write " + path.string());
  }
}

}  // namespace

void write_screenshots(MainWindow& window, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError("cannot create " + folder.string() + ": " + error.message());
  window.show();
  while (window.run().loading()) QApplication::processEvents(QEventLoop::AllEvents, 20);
  for (const auto& [theme, theme_name] :
       {std::pair{MainWindow::Theme::kLight, "light"}, {MainWindow::Theme::kDark, "dark"}}) {
    window.setTheme(theme);
    for (const QSize size : {QSize(1024, 700), QSize(1920, 1080)}) {
      window.resize(size);
      for (const auto& [page, page_name] :
           {std::pair<QWidget*, const char*>{&window.planPage(), "plan"},
            {&window.runPage(), "run"}}) {
        window.showPage(page);
        settle();
        write(window, folder / (std::string(page_name) + '-' + theme_name + '-' +
                                std::to_string(size.width()) + 'x' + std::to_string(size.height()) +
                                ".png"));
      }
    }
  }
}

}  // namespace headroom::gui
