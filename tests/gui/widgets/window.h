#pragma once

#include "gui/widgets/main_window.h"
#include "gui/widgets/plan_page.h"
#include "gui/widgets/run_page.h"
#include "tests/gui/model/samples.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSettings>
#include <string>

namespace headroom::test {

template <class Condition>
bool wait_for(Condition condition) {
  constexpr int kPatience = 20000;  // ms; only a broken program waits that long
  QElapsedTimer clock;
  clock.start();
  while (!condition() && clock.elapsed() < kPatience) {
    QApplication::processEvents(QEventLoop::AllEvents, 20);
  }
  return condition();
}

/// A window with settings of its own and a plan that may be written over.
struct TestWindow {
  TemporaryFolder folder;
  QSettings settings{QString::fromStdString((folder.path() / "settings.ini").string()),
                     QSettings::IniFormat};
  gui::MainWindow window{hardware(), settings};

  explicit TestWindow(const std::string& plan = "cruncher") {
    window.ask_unsaved = [] { return gui::MainWindow::Unsaved::kDiscard; };
    if (!plan.empty()) window.openPath(shipped_plan(plan));
  }
  void openRun(const std::string& plan, int steps, std::int64_t shift = 0) {
    write_run(folder.path() / "run-1", plan, steps, shift);
    window.openPath(folder.path() / "run-1");
    wait_for([this] { return window.run().isOpen() && !window.run().loading(); });
  }
};

}  // namespace headroom::test
