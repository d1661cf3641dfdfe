#pragma once

#include "gui/model/run_document.h"
#include "gui/widgets/card_grid.h"
#include "gui/widgets/details_pane.h"
#include "gui/widgets/loss_chart.h"
#include "gui/widgets/message_bar.h"
#include "gui/widgets/paired_bars.h"
#include "gui/widgets/table_view.h"

#include <QStackedWidget>
#include <QWidget>

class QProgressBar;

namespace headroom::gui {

/// A run directory: what was predicted beside what was measured, and how the loss went.
class RunPage : public QWidget {
  Q_OBJECT
 public:
  explicit RunPage(RunDocument& document, QWidget* parent = nullptr);

  [[nodiscard]] MessageBar& messages() { return *messages_; }
  [[nodiscard]] PairedBars& bars() { return *bars_; }
  [[nodiscard]] LossChart& loss() { return *loss_; }
  [[nodiscard]] TableView& memoryTable() { return *memory_; }
  [[nodiscard]] TableView& speedTable() { return *speed_; }
  [[nodiscard]] QString headline() const { return headline_->text(); }

 signals:
  void openRequested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* buildStart();
  QWidget* buildLoading();
  QWidget* buildHeader();
  QWidget* buildReport();
  void showReport();
  void explainAgain();
  void showError(const QString& text, bool exact);

  RunDocument& document_;
  QStackedWidget* pages_;
  QWidget* report_page_;
  QWidget* loading_;
  MessageBar* messages_;
  QLabel* title_;
  QLabel* subtitle_;
  QLabel* status_;
  QLabel* error_;
  QLabel* headline_;
  QLabel* worst_;
  Card* bars_card_;
  Card* loss_card_;
  Card* speed_card_;
  PairedBars* bars_;
  TableView* memory_;
  TableView* speed_;
  LossChart* loss_;
  DetailsPane* details_;
};

}  // namespace headroom::gui
