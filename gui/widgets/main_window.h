#pragma once

#include "gui/model/plan_document.h"
#include "gui/model/recent_files.h"
#include "gui/model/run_document.h"
#include "gui/widgets/actions.h"
#include "gui/widgets/chart.h"

#include <QMainWindow>
#include <QPalette>
#include <filesystem>
#include <functional>

class QMenu;
class QSettings;
class QTabWidget;

namespace headroom::gui {

class PlanPage;
class RunPage;

/// The window: the plan and run pages, menus, files.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// `settings` keeps geometry, theme and recent files, nothing that changes results.
  MainWindow(HardwareLibrary hardware, QSettings& settings, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// A plan file, a run folder or a run log.
  void openPath(const std::filesystem::path& path);
  [[nodiscard]] PlanDocument& plan() { return *plan_; }
  [[nodiscard]] RunDocument& run() { return *run_; }
  [[nodiscard]] PlanPage& planPage() { return *plan_page_; }
  [[nodiscard]] RunPage& runPage() { return *run_page_; }
  [[nodiscard]] Actions& actions() { return actions_; }
  void showPage(QWidget* page);

  enum class Theme { kSystem, kLight, kDark };
  void setTheme(Theme theme);
  /// Writes a chart of a page with legend and axes. Returns what went wrong, or nothing.
  [[nodiscard]] QString exportChart(QWidget& widget, const Chart& chart, const QString& path) const;

  /// What to do with unsaved changes; replaceable, since a dialog waits for a person.
  enum class Unsaved { kSave, kDiscard, kCancel };
  std::function<Unsaved()> ask_unsaved;

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildMenus();
  void buildToolBar();
  void connectActions();
  void connectFileActions();
  void openPlanDialog();
  void openRunDialog();
  bool save();
  bool saveAs();
  bool saveTo(const std::filesystem::path& path);
  void reload();
  void exportDialog();
  void copyTable();
  void fillRecent();
  /// False when the person wants to keep the unsaved changes where they are.
  [[nodiscard]] bool mayLoseChanges();
  void updateTitle();
  void restoreSettings();
  void copy(const QString& text, const QString& said);

  QSettings& settings_;
  RecentFiles recent_;
  QPalette system_palette_;
  PlanDocument* plan_;
  RunDocument* run_;
  Actions actions_;
  QTabWidget* pages_;
  PlanPage* plan_page_;
  RunPage* run_page_;
  QMenu* recent_menu_ = nullptr;
};

}  // namespace headroom::gui
