#include "gui/widgets/main_window.h"

#include "gui/model/palette.h"
#include "gui/model/text.h"
#include "gui/widgets/plan_page.h"
#include "gui/widgets/run_page.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QTabWidget>

namespace headroom::gui {
namespace {

namespace fs = std::filesystem;

constexpr QSize kSmallest(1024, 700);
const QString kGeometry = QStringLiteral("geometry");
const QString kSplitter = QStringLiteral("splitter");
const QString kTheme = QStringLiteral("theme");

MainWindow::Unsaved ask(QWidget* window) {
  const auto answer = QMessageBox::question(
      window, "Unsaved changes", "The plan has unsaved changes.",
      QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  if (answer == QMessageBox::Save) return MainWindow::Unsaved::kSave;
  return answer == QMessageBox::Discard ? MainWindow::Unsaved::kDiscard
                                        : MainWindow::Unsaved::kCancel;
}

}  // namespace

MainWindow::MainWindow(HardwareLibrary hardware, QSettings& settings, QWidget* parent)
    : QMainWindow(parent),
      settings_(settings),
      recent_(settings),
      system_palette_(QApplication::palette()),
      plan_(new PlanDocument(hardware, this)),
      run_(new RunDocument(std::move(hardware), this)),
      actions_(this, plan_->undoStack()),
      pages_(new QTabWidget(this)),
      plan_page_(new PlanPage(*plan_, pages_)),
      run_page_(new RunPage(*run_, pages_)) {
  ask_unsaved = [this] { return ask(this); };
  pages_->setDocumentMode(true);
  pages_->addTab(plan_page_, "Plan");
  pages_->addTab(run_page_, "Run");
  setCentralWidget(pages_);
  setAcceptDrops(true);
  setMinimumSize(kSmallest);
  buildMenus();
  buildToolBar();
  connectActions();
  connectFileActions();
  restoreSettings();
  updateTitle();
}

MainWindow::~MainWindow() = default;

void MainWindow::connectActions() {
  const auto on = [this](QAction* action, auto slot) {
    connect(action, &QAction::triggered, this, slot);
  };
  on(actions_.copy_table, [this] { copyTable(); });
  on(actions_.copy_command, [this] { copy(plan_->command(), "Command copied"); });
  on(actions_.copy_yaml, [this] { copy(plan_->yaml(), "Plan copied as YAML"); });
  on(actions_.plan_page, [this] { showPage(plan_page_); });
  on(actions_.run_page, [this] { showPage(run_page_); });
  on(actions_.theme_system, [this] { setTheme(Theme::kSystem); });
  on(actions_.theme_light, [this] { setTheme(Theme::kLight); });
  on(actions_.theme_dark, [this] { setTheme(Theme::kDark); });
  on(actions_.default_layout, [this] {
    resize(kSmallest);
    plan_page_->splitter().setSizes({330, 690});
  });
  connect(pages_, &QTabWidget::currentChanged, this, &MainWindow::updateTitle);
}

void MainWindow::connectFileActions() {
  const auto on = [this](QAction* action, auto slot) {
    connect(action, &QAction::triggered, this, slot);
  };
  on(actions_.open_plan, [this] { openPlanDialog(); });
  on(actions_.open_run, [this] { openRunDialog(); });
  on(actions_.save, [this] { save(); });
  on(actions_.save_as, [this] { saveAs(); });
  on(actions_.reload, [this] { reload(); });
  on(actions_.export_chart, [this] { exportDialog(); });
  on(actions_.quit, [this] { close(); });
  connect(run_page_, &RunPage::openRequested, this, &MainWindow::openRunDialog);
  connect(plan_, &PlanDocument::fileChanged, this, &MainWindow::updateTitle);
  connect(plan_, &PlanDocument::opened, this, [this] {
    recent_.add(to_qt(plan_->path().string()));
    showPage(plan_page_);
  });
  connect(run_, &RunDocument::opened, this, [this] {
    recent_.add(to_qt(run_->folder().string()));
    updateTitle();
  });
}

void MainWindow::openPath(const fs::path& path) {
  std::error_code ignored;
  const bool log = path.extension() == ".jsonl";
  if (log || fs::is_directory(path, ignored)) {
    showPage(run_page_);
    run_->open(log ? path.parent_path() : path);
    return;
  }
  if (!mayLoseChanges()) return;
  showPage(plan_page_);
  const auto problems = plan_->open(path);
  if (!problems.empty()) {
    plan_page_->showProblems("The plan cannot be opened: " + to_qt(path.string()), problems);
  }
}

bool MainWindow::mayLoseChanges() {
  if (!plan_->isOpen() || !plan_->modified()) return true;
  switch (ask_unsaved()) {
    case Unsaved::kSave:
      return save();
    case Unsaved::kDiscard:
      return true;
    case Unsaved::kCancel:
      break;
  }
  return false;
}

bool MainWindow::save() { return plan_->isOpen() && saveTo(plan_->path()); }

bool MainWindow::saveTo(const fs::path& path) {
  const auto problems = plan_->save(path);
  if (!problems.empty()) {
    plan_page_->showProblems("The plan was not saved", problems);
    return false;
  }
  recent_.add(to_qt(plan_->path().string()));
  statusBar()->showMessage("Saved " + to_qt(plan_->path().string()), 4000);
  return true;
}

void MainWindow::reload() {
  if (pages_->currentWidget() == run_page_) {
    run_->reload();
  } else if (plan_->isOpen()) {
    openPath(plan_->path());
  }
}

void MainWindow::showPage(QWidget* page) { pages_->setCurrentWidget(page); }

void MainWindow::copy(const QString& text, const QString& said) {
  QApplication::clipboard()->setText(text);
  statusBar()->showMessage(said, 4000);
}

void MainWindow::copyTable() {
  const bool plan = pages_->currentWidget() == plan_page_;
  TableView& table = plan ? plan_page_->memoryTable() : run_page_->memoryTable();
  copy(table.table().toTsv(), "Table copied");
}

void MainWindow::setTheme(Theme theme) {
  QApplication::setPalette(theme == Theme::kLight  ? light_palette()
                           : theme == Theme::kDark ? dark_palette()
                                                   : system_palette_);
  QAction* chosen = theme == Theme::kLight  ? actions_.theme_light
                    : theme == Theme::kDark ? actions_.theme_dark
                                            : actions_.theme_system;
  chosen->setChecked(true);
  settings_.setValue(kTheme, static_cast<int>(theme));
}

void MainWindow::restoreSettings() {
  resize(kSmallest);
  restoreGeometry(settings_.value(kGeometry).toByteArray());
  plan_page_->splitter().restoreState(settings_.value(kSplitter).toByteArray());
  const int theme = settings_.value(kTheme, 0).toInt();
  setTheme(theme == 1 ? Theme::kLight : theme == 2 ? Theme::kDark : Theme::kSystem);
}

void MainWindow::updateTitle() {
  QString name = "Headroom";
  if (pages_->currentWidget() == run_page_ && run_->isOpen()) {
    name = to_qt(run_->folder().filename().string()) + " \u2014 Headroom";
  } else if (plan_->isOpen()) {
    name = to_qt(plan_->path().filename().string()) + "[*] \u2014 Headroom";
  }
  setWindowTitle(name);
  setWindowModified(plan_->isOpen() && plan_->modified() && name.contains("[*]"));
  actions_.save->setEnabled(plan_->isOpen() && plan_->modified());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayLoseChanges()) {
    event->ignore();
    return;
  }
  settings_.setValue(kGeometry, saveGeometry());
  settings_.setValue(kSplitter, plan_page_->splitter().saveState());
  run_->cancel();
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) openPath(url.toLocalFile().toStdString());
  }
  event->acceptProposedAction();
}

}  // namespace headroom::gui
