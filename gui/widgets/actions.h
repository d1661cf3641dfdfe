#pragma once

#include <QAction>
#include <QObject>
#include <vector>

class QUndoStack;

namespace headroom::gui {

/// Every action of the window, made in one place and used by menus, tool bar, the list of
/// shortcuts and tests.
struct Actions {
  Actions(QObject* owner, QUndoStack* undo_stack);

  QAction* open_plan;
  QAction* open_run;
  QAction* save;
  QAction* save_as;
  QAction* reload;
  QAction* export_chart;
  QAction* quit;
  QAction* undo;
  QAction* redo;
  QAction* copy_table;
  QAction* copy_command;
  QAction* copy_yaml;
  QAction* plan_page;
  QAction* run_page;
  QAction* theme_system;
  QAction* theme_light;
  QAction* theme_dark;
  QAction* default_layout;
  QAction* shortcuts;
  QAction* about;
  std::vector<QAction*> all;

 private:
  QAction* make(QObject* owner,
                const QString& text,
                const QKeySequence& shortcut,
                const QString& tip);
};

/// One line per shortcut, for the help dialog.
[[nodiscard]] QString shortcut_list(const Actions& actions);

}  // namespace headroom::gui
