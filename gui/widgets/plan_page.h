#pragma once

#include "gui/model/plan_document.h"
#include "gui/model/plan_report.h"
#include "gui/widgets/bar_breakdown.h"
#include "gui/widgets/card_grid.h"
#include "gui/widgets/details_pane.h"
#include "gui/widgets/message_bar.h"
#include "gui/widgets/plan_form_view.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/timeline_chart.h"
#include "gui/widgets/verdict_view.h"

#include <QWidget>

class QPushButton;
class QSplitter;

namespace headroom::gui {

/// A plan as a form on the left; on the right what it needs, at once.
class PlanPage : public QWidget {
  Q_OBJECT
 public:
  explicit PlanPage(PlanDocument& document, QWidget* parent = nullptr);

  [[nodiscard]] PlanFormView& form() { return *form_; }
  [[nodiscard]] MessageBar& messages() { return *messages_; }
  [[nodiscard]] BarBreakdown& bar() { return *bar_; }
  [[nodiscard]] TimelineChart& timeline() { return *timeline_; }
  [[nodiscard]] TableView& memoryTable() { return *memory_; }
  [[nodiscard]] TableView& factsTable() { return *facts_; }
  [[nodiscard]] TableView& suggestionsTable() { return *suggestions_; }
  [[nodiscard]] QSplitter& splitter() { return *splitter_; }
  /// Says what a file or an action could not do.
  void showProblems(const QString& title, const std::vector<Problem>& problems);

 public slots:  // NOLINT(readability-redundant-access-specifiers)
  void applySuggestion();

 private:
  QWidget* buildHeader();
  QWidget* buildResults();
  void connectTable(TableView& table);
  void edit(const std::string& path, const KeyValue& value);
  void showState();
  void showEstimate();
  void showSuggestions();
  void explainPart(Part part);
  /// Keeps the explanation in step with the numbers.
  void explainAgain();

  PlanDocument& document_;
  QSplitter* splitter_;
  PlanFormView* form_;
  QLabel* title_;
  QLabel* subtitle_;
  VerdictView* verdict_;
  MessageBar* messages_;
  CardGrid* cards_;
  BarBreakdown* bar_;
  TableView* memory_;
  TableView* facts_;
  TableView* suggestions_;
  Card* suggestions_card_;
  QPushButton* apply_;
  TimelineChart* timeline_;
  QLabel* notes_;
  DetailsPane* details_;
  bool problems_of_plan_ = false;  ///< the message is about the present state
};

}  // namespace headroom::gui
