#include "gui/widgets/actions.h"

#include <QActionGroup>
#include <QUndoStack>

namespace headroom::gui {

QAction* Actions::make(QObject* owner,
                       const QString& text,
                       const QKeySequence& shortcut,
                       const QString& tip) {
  auto* action = new QAction(text, owner);
  if (!shortcut.isEmpty()) action->setShortcut(shortcut);
  action->setToolTip(
      shortcut.isEmpty() ? tip : tip + " (" + shortcut.toString(QKeySequence::NativeText) + ")");
  all.push_back(action);
  return action;
}

Actions::Actions(QObject* owner, QUndoStack* undo_stack) {
  open_plan = make(owner, "&Open plan\u2026", QKeySequence("Ctrl+O"), "Open a plan file");
  open_run = make(owner, "Open &run\u2026", QKeySequence("Ctrl+Shift+O"), "Open a run folder");
  save = make(owner, "&Save", QKeySequence("Ctrl+S"), "Save the plan");
  save_as = make(owner, "Save &as YAML\u2026", QKeySequence("Ctrl+Shift+S"),
                 "Save the plan under another name");
  reload = make(owner, "Re&load", QKeySequence("F5"), "Read the open plan or run again");
  export_chart = make(owner, "&Export chart\u2026", QKeySequence("Ctrl+E"),
                      "Save a chart of this page as PNG, with legend and axes");
  quit = make(owner, "&Quit", QKeySequence("Ctrl+Q"), "Close the window");
  undo = undo_stack->createUndoAction(owner, "&Undo");
  undo->setShortcut(QKeySequence("Ctrl+Z"));
  redo = undo_stack->createRedoAction(owner, "&Redo");
  redo->setShortcut(QKeySequence("Ctrl+Shift+Z"));
  all.insert(all.end(), {undo, redo});
  copy_table = make(owner, "Copy &table", QKeySequence("Ctrl+Shift+T"),
                    "Copy the main table of this page as tab-separated text");
  copy_command = make(owner, "Copy &command", QKeySequence("Ctrl+Shift+C"),
                      "Copy the command that gives the same numbers in a terminal");
  copy_yaml =
      make(owner, "Copy as &YAML", QKeySequence("Ctrl+Shift+Y"), "Copy the plan as a plan file");
  plan_page = make(owner, "&Plan", QKeySequence("Ctrl+1"), "Show the plan");
  run_page = make(owner, "&Run", QKeySequence("Ctrl+2"), "Show the run");
  theme_system = make(owner, "&System colours", {}, "Colours of the desktop");
  theme_light = make(owner, "&Light", {}, "Dark text on white");
  theme_dark = make(owner, "&Dark", {}, "Light text on black");
  auto* themes = new QActionGroup(owner);
  for (QAction* theme : {theme_system, theme_light, theme_dark}) {
    theme->setCheckable(true);
    themes->addAction(theme);
  }
  default_layout = make(owner, "Restore default la&yout", {}, "Sizes as at the first start");
  shortcuts = make(owner, "&Keyboard shortcuts", QKeySequence("F1"), "List all shortcuts");
  about = make(owner, "&About Headroom", {}, "Version and licences");
}

QString shortcut_list(const Actions& actions) {
  QString rows;
  for (const QAction* action : actions.all) {
    if (action->shortcut().isEmpty()) continue;
    QString text = action->text();
    rows += QStringLiteral("<tr><td><b>%1</b></td><td width=\"16\"></td><td>%2</td></tr>")
                .arg(action->shortcut().toString(QKeySequence::NativeText),
                     text.remove('&').toHtmlEscaped());
  }
  rows += "<tr><td><b>Ctrl+C</b></td><td></td><td>Copy the selected rows of a table</td></tr>";
  return "<table>" + rows + "</table>";
}

}  // namespace headroom::gui
