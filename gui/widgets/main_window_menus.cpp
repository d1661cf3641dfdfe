#include "core/io/config_dirs.h"
#include "gui/model/text.h"
#include "gui/widgets/about.h"
#include "gui/widgets/main_window.h"
#include "gui/widgets/plan_page.h"
#include "gui/widgets/run_page.h"

#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>

namespace headroom::gui {
namespace {

/// Where plans are looked for first: beside the open one, else among those that ship.
QString plans_folder(const PlanDocument& plan) {
  if (plan.isOpen()) return to_qt(plan.path().parent_path().string());
  const auto folders = io::config_dirs();
  return folders.empty() ? QString() : to_qt((folders.front() / "runs").string());
}

struct NamedChart {
  QWidget* widget;
  const Chart* chart;
};

}  // namespace

void MainWindow::buildMenus() {
  QMenu* file = menuBar()->addMenu("&File");
  file->addActions({actions_.open_plan, actions_.open_run});
  recent_menu_ = file->addMenu("Open re&cent");
  connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
  file->addSeparator();
  file->addActions({actions_.save, actions_.save_as, actions_.reload});
  file->addSeparator();
  file->addAction(actions_.export_chart);
  file->addSeparator();
  file->addAction(actions_.quit);

  QMenu* edit = menuBar()->addMenu("&Edit");
  edit->addActions({actions_.undo, actions_.redo});
  edit->addSeparator();
  edit->addActions({actions_.copy_command, actions_.copy_yaml, actions_.copy_table});

  QMenu* view = menuBar()->addMenu("&View");
  view->addActions({actions_.plan_page, actions_.run_page});
  view->addSeparator();
  view->addActions({actions_.theme_system, actions_.theme_light, actions_.theme_dark});
  view->addSeparator();
  view->addAction(actions_.default_layout);

  QMenu* help = menuBar()->addMenu("&Help");
  help->addActions({actions_.shortcuts, actions_.about});
  connect(actions_.shortcuts, &QAction::triggered, this, [this] {
    QMessageBox::information(this, "Keyboard shortcuts", shortcut_list(actions_));
  });
  connect(actions_.about, &QAction::triggered, this,
          [this] { QMessageBox::about(this, "About Headroom", about_text()); });
}

void MainWindow::buildToolBar() {
  QToolBar* bar = addToolBar("Main");
  bar->setObjectName("main tool bar");
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
  bar->addActions({actions_.open_plan, actions_.open_run, actions_.save});
  bar->addSeparator();
  // Their texts grow with what they undo; the tool bar keeps still.
  for (auto [action, text] : {std::pair{actions_.undo, "Undo"}, {actions_.redo, "Redo"}}) {
    auto* button = new QAction(text, bar);
    button->setEnabled(action->isEnabled());
    connect(action, &QAction::enabledChanged, button, &QAction::setEnabled);
    connect(button, &QAction::triggered, action, &QAction::trigger);
    bar->addAction(button);
  }
  bar->addSeparator();
  bar->addActions({actions_.copy_command, actions_.export_chart});
  setContextMenuPolicy(Qt::NoContextMenu);
}

void MainWindow::fillRecent() {
  recent_menu_->clear();
  for (const QString& path : recent_.list()) {
    recent_menu_->addAction(path, this, [this, path] { openPath(path.toStdString()); });
  }
  recent_menu_->setEnabled(true);
  if (recent_menu_->isEmpty()) {
    recent_menu_->addAction("nothing yet")->setEnabled(false);
    return;
  }
  recent_menu_->addSeparator();
  recent_menu_->addAction("Clear", this, [this] { recent_.clear(); });
}

void MainWindow::openPlanDialog() {
  const QString path = QFileDialog::getOpenFileName(this, "Open a plan", plans_folder(*plan_),
                                                    "Plans (*.yaml *.yml *.json);;All files (*)");
  if (!path.isEmpty()) openPath(path.toStdString());
}

void MainWindow::openRunDialog() {
  const QString path = QFileDialog::getExistingDirectory(this, "Open a run folder");
  if (!path.isEmpty()) openPath(path.toStdString());
}

bool MainWindow::saveAs() {
  if (!plan_->isOpen()) return false;
  const QString path = QFileDialog::getSaveFileName(
      this, "Save the plan", to_qt(plan_->path().string()), "Plans (*.yaml)");
  return !path.isEmpty() && saveTo(path.toStdString());
}

QString MainWindow::exportChart(QWidget& widget, const Chart& chart, const QString& path) const {
  const QString caption = pages_->currentWidget() == plan_page_
                              ? to_qt(plan_->path().filename().string())
                              : run_->report().title;
  const QImage image = chart_image(widget, chart, caption);
  return image.save(path) ? QString() : "cannot write " + path;
}

void MainWindow::exportDialog() {
  std::vector<NamedChart> charts;
  if (pages_->currentWidget() == plan_page_) {
    charts = {{&plan_page_->bar(), &plan_page_->bar()},
              {&plan_page_->timeline(), &plan_page_->timeline()}};
  } else {
    charts = {{&run_page_->bars(), &run_page_->bars()}, {&run_page_->loss(), &run_page_->loss()}};
  }
  QMenu menu(this);
  for (const NamedChart& named : charts) {
    menu.addAction(named.chart->chartTitle(), this, [this, named] {
      const QString path = QFileDialog::getSaveFileName(
          this, "Export chart", named.chart->chartTitle() + ".png", "Pictures (*.png)");
      if (path.isEmpty()) return;
      const QString problem = exportChart(*named.widget, *named.chart, path);
      statusBar()->showMessage(problem.isEmpty() ? "Saved " + path : problem, 6000);
      if (!problem.isEmpty()) {
        plan_page_->showProblems("The chart was not saved", {{{}, {}, problem.toStdString(), {}}});
      }
    });
  }
  menu.exec(mapToGlobal(QPoint(width() / 3, 60)));
}

}  // namespace headroom::gui
