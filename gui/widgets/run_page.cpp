#include "gui/widgets/run_page.h"

#include "gui/model/palette.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace headroom::gui {

RunPage::RunPage(RunDocument& document, QWidget* parent) : QWidget(parent), document_(document) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(10, 8, 2, 0);
  column->setSpacing(8);
  messages_ = new MessageBar(this);
  loading_ = buildLoading();
  pages_ = new QStackedWidget(this);
  pages_->addWidget(buildStart());
  report_page_ = buildReport();
  pages_->addWidget(report_page_);
  column->addWidget(messages_);
  column->addWidget(loading_);
  column->addWidget(pages_, 1);
  loading_->hide();

  connect(&document_, &RunDocument::loadingChanged, loading_, &QWidget::setVisible);
  connect(&document_, &RunDocument::opened, messages_, &MessageBar::clear);
  connect(&document_, &RunDocument::reportChanged, this, &RunPage::showReport);
  connect(&document_, &RunDocument::failed, this, [this](const std::vector<Problem>& problems) {
    messages_->showProblems("The run folder cannot be read", problems);
  });
}

QWidget* RunPage::buildStart() {
  auto* start = new QWidget(this);
  auto* column = new QVBoxLayout(start);
  column->addStretch(2);
  auto* text = new QLabel(
      "<p><b>No run is open.</b></p>"
      "<p>Open or drop a run folder, as <tt>headroom train</tt> makes them:<br/>"
      "it holds plan.yaml and run.jsonl. A run that is still going is followed.</p>",
      start);
  text->setAlignment(Qt::AlignCenter);
  auto* open = new QPushButton("Open a run folder\u2026", start);
  connect(open, &QPushButton::clicked, this, &RunPage::openRequested);
  column->addWidget(text);
  column->addWidget(open, 0, Qt::AlignHCenter);
  column->addStretch(3);
  return start;
}

QWidget* RunPage::buildLoading() {
  auto* line = new QWidget(this);
  auto* row = new QHBoxLayout(line);
  row->setContentsMargins(0, 0, 8, 0);
  auto* progress = new QProgressBar(line);
  progress->setRange(0, 0);
  progress->setFormat("Reading the run\u2026");
  progress->setAccessibleName("Reading the run");
  auto* cancel = new QPushButton("Cancel", line);
  row->addWidget(progress, 1);
  row->addWidget(cancel);
  connect(cancel, &QPushButton::clicked, &document_, &RunDocument::cancel);
  return line;
}

QWidget* RunPage::buildHeader() {
  auto* header = new QWidget(this);
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(2, 0, 12, 0);
  auto* left = new QVBoxLayout;
  auto* right = new QVBoxLayout;
  left->setSpacing(2);
  right->setSpacing(2);
  const auto label = [&](QVBoxLayout* column, double size, bool bold) {
    auto* made = new QLabel(header);
    QFont font = made->font();
    font.setPointSizeF(font.pointSizeF() * size);
    font.setBold(bold);
    made->setFont(font);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(made);
    return made;
  };
  title_ = label(left, 1.25, true);
  subtitle_ = label(left, 1, false);
  status_ = label(left, 1, false);
  title_->setMinimumWidth(120);
  for (QLabel* text : {title_, subtitle_, status_}) {
    text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  error_ = label(right, 1.5, true);
  headline_ = label(right, 1, false);
  worst_ = label(right, 1, false);
  for (QLabel* text : {error_, headline_, worst_}) text->setAlignment(Qt::AlignRight);
  error_->setToolTip("(predicted - measured) / measured, all tensors at the peak");
  row->addLayout(left, 1);
  row->addLayout(right);
  return header;
}

QWidget* RunPage::buildReport() {
  auto* splitter = new QSplitter(Qt::Vertical, this);
  auto* upper = new QWidget(splitter);
  auto* column = new QVBoxLayout(upper);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addWidget(buildHeader());
  auto* cards = new CardGrid(upper);
  cards->setAccessibleName("Predicted and measured");
  column->addWidget(cards, 1);

  bars_card_ = new Card("Memory at the peak", cards);
  bars_card_->setCaption("predicted from the plan, measured by the run's ledger");
  bars_ = new PairedBars(bars_card_);
  memory_ = new TableView(0, bars_card_);
  bars_card_->add(bars_);
  bars_card_->add(memory_);
  cards->addCard(bars_card_, 0);

  loss_card_ = new Card("Loss", cards);
  loss_ = new LossChart(loss_card_);
  loss_card_->add(loss_);
  cards->addCard(loss_card_, 1);

  speed_card_ = new Card("Speed", cards);
  speed_ = new TableView(0, speed_card_);
  speed_card_->add(speed_);
  cards->addCard(speed_card_, 1);

  details_ = new DetailsPane(splitter);
  splitter->addWidget(upper);
  splitter->addWidget(details_);
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 0);
  splitter->setCollapsible(0, false);
  splitter->setSizes({600, 110});
  for (TableView* table : {memory_, speed_}) {
    connect(table, &TableView::explained, details_, &DetailsPane::explain);
  }
  connect(bars_, &PairedBars::barClicked, memory_, &QTableView::selectRow);
  return splitter;
}

void RunPage::showError(const QString& text, bool exact) {
  const ChartColors colors = chart_colors(palette());
  QPalette shown = palette();
  shown.setColor(QPalette::WindowText, exact ? colors.good : colors.bad);
  error_->setPalette(shown);
  error_->setText(text.isEmpty() ? QString() : "error " + text);
}

void RunPage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && document_.isOpen()) showReport();
}

void RunPage::explainAgain() {
  const auto explain = [this](const QString& subject) {
    for (const TableView* table : {memory_, speed_}) {
      for (const TableRow& row : table->table().content().rows) {
        if (row.how.empty() || row.how.title != subject) continue;
        details_->explain(row.how);
        return true;
      }
    }
    return false;
  };
  if (!explain(details_->subject())) explain(QStringLiteral("all tensors"));
}

void RunPage::showReport() {
  const RunReport& report = document_.report();
  title_->setText(report.title);
  title_->setToolTip(report.title);
  subtitle_->setText(report.subtitle);
  subtitle_->setToolTip(report.subtitle);
  status_->setText(report.status);
  showError(report.error, report.exact);
  headline_->setText(report.headline);
  worst_->setText(report.worst);
  const bool compared = report.missing.isEmpty();
  bars_card_->setVisible(compared);
  speed_card_->setVisible(compared);
  bars_->setBars(report.bars);
  memory_->setContent(report.memory);
  speed_->setContent(report.speed);
  loss_->setReport(report.loss);
  loss_card_->setCaption(report.loss.summary);
  loss_card_->setVisible(!report.loss.points.empty());
  if (!compared) {
    status_->setText(report.status + "; " + report.missing);
    status_->setToolTip(report.missing);
  }
  explainAgain();
  pages_->setCurrentWidget(report_page_);
}

}  // namespace headroom::gui
