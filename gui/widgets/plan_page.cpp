#include "gui/widgets/plan_page.h"

#include "gui/model/text.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace headroom::gui {

PlanPage::PlanPage(PlanDocument& document, QWidget* parent)
    : QWidget(parent), document_(document), splitter_(new QSplitter(Qt::Horizontal, this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(splitter_);
  form_ = new PlanFormView(document_.hardware().choices(), splitter_);
  form_->setMinimumWidth(270);
  splitter_->addWidget(form_);
  splitter_->addWidget(buildResults());
  splitter_->setStretchFactor(0, 0);
  splitter_->setStretchFactor(1, 1);
  splitter_->setCollapsible(0, false);
  splitter_->setCollapsible(1, false);
  splitter_->setSizes({330, 690});

  connect(form_, &PlanFormView::edited, this, &PlanPage::edit);
  connect(form_, &PlanFormView::gestureBegan, this, [this] { document_.beginGesture(); });
  connect(form_, &PlanFormView::gestureEnded, this, [this] { document_.endGesture(); });
  connect(messages_, &MessageBar::keyClicked, form_, &PlanFormView::reveal);
  connect(&document_, &PlanDocument::stateChanged, this, &PlanPage::showState);
  connect(&document_, &PlanDocument::estimated, this, &PlanPage::showEstimate);
  connect(&document_, &PlanDocument::suggested, this, &PlanPage::showSuggestions);
  connect(&document_, &PlanDocument::opened, this, [this] {
    messages_->clear();
    showEstimate();
  });
  if (document_.isOpen()) {
    showState();
    showEstimate();
    showSuggestions();
  }
}

QWidget* PlanPage::buildHeader() {
  auto* header = new QWidget(this);
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(2, 0, 12, 0);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  title_ = new QLabel(header);
  QFont large = title_->font();
  large.setBold(true);
  large.setPointSizeF(large.pointSizeF() * 1.25);
  title_->setFont(large);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  subtitle_ = new QLabel(header);
  subtitle_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  texts->addWidget(title_);
  texts->addWidget(subtitle_);
  row->addLayout(texts, 1);
  verdict_ = new VerdictView(header);
  row->addWidget(verdict_, 0, Qt::AlignVCenter);
  return header;
}

QWidget* PlanPage::buildResults() {
  auto* page = new QSplitter(Qt::Vertical, splitter_);
  auto* upper = new QWidget(page);
  auto* column = new QVBoxLayout(upper);
  column->setContentsMargins(10, 8, 2, 0);
  column->setSpacing(8);
  column->addWidget(buildHeader());
  messages_ = new MessageBar(upper);
  column->addWidget(messages_);
  cards_ = new CardGrid(upper);
  cards_->setAccessibleName("Estimate");
  column->addWidget(cards_, 1);

  auto* memory = new Card("Memory", cards_);
  bar_ = new BarBreakdown(memory);
  memory_ = new TableView(0, memory);
  memory->add(bar_);
  memory->add(memory_);
  cards_->addCard(memory, 0);

  suggestions_card_ = new Card("What would make it fit", cards_);
  suggestions_ = new TableView(0, suggestions_card_);
  suggestions_->setSelectionMode(QAbstractItemView::SingleSelection);
  apply_ = new QPushButton("Apply the selected change", suggestions_card_);
  apply_->setEnabled(false);
  suggestions_card_->add(suggestions_);
  suggestions_card_->add(apply_);
  suggestions_card_->hide();
  cards_->addCard(suggestions_card_, 0);

  auto* step = new Card("One step", cards_);
  step->setCaption("from the first op to the last update");
  timeline_ = new TimelineChart(step);
  step->add(timeline_);
  cards_->addCard(step, 1);

  auto* compute = new Card("FLOPs, time and cost", cards_);
  facts_ = new TableView(2, compute);
  compute->add(facts_);
  cards_->addCard(compute, 1);

  auto* notes = new Card("What this rests on", cards_);
  notes_ = new QLabel(notes);
  notes_->setWordWrap(true);
  notes_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  notes->add(notes_);
  cards_->addCard(notes, 0);

  details_ = new DetailsPane(page);
  page->addWidget(upper);
  page->addWidget(details_);
  page->setStretchFactor(0, 1);
  page->setStretchFactor(1, 0);
  page->setCollapsible(0, false);
  page->setSizes({600, 132});

  for (TableView* table : {memory_, facts_, suggestions_}) connectTable(*table);
  connect(verdict_, &VerdictView::explained, details_, &DetailsPane::explain);
  connect(bar_, &BarBreakdown::partClicked, this, &PlanPage::explainPart);
  connect(suggestions_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          [this] { apply_->setEnabled(suggestions_->currentIndex().isValid()); });
  connect(suggestions_, &QAbstractItemView::doubleClicked, this, &PlanPage::applySuggestion);
  connect(apply_, &QPushButton::clicked, this, &PlanPage::applySuggestion);
  return page;
}

void PlanPage::connectTable(TableView& table) {
  connect(&table, &TableView::explained, details_, &DetailsPane::explain);
}

void PlanPage::showProblems(const QString& title, const std::vector<Problem>& problems) {
  problems_of_plan_ = false;
  messages_->showProblems(title, problems);
}

void PlanPage::edit(const std::string& path, const KeyValue& value) {
  const auto problems = document_.edit({{path, value}}, "change " + words(path));
  if (!problems.empty()) {
    showProblems("That value cannot be used", problems);
    showState();
  }
}

void PlanPage::showState() {
  PlanState shown = document_.state();
  // Problems that only the estimate finds are shown at their fields as well.
  shown.problems = document_.problems();
  form_->setForm(form_of(shown));
}

void PlanPage::showEstimate() {
  const bool current = document_.problems().empty();
  if (current) {
    if (problems_of_plan_) messages_->clear();
    problems_of_plan_ = false;
  } else {
    messages_->showProblems(document_.estimate()
                                ? "This plan cannot be estimated; the numbers below are those of "
                                  "the last one that could"
                                : "This plan cannot be estimated",
                            document_.problems());
    problems_of_plan_ = true;
  }
  cards_->setEnabled(current);
  // Numbers of a plan that was open before are not shown with this one.
  cards_->widget()->setVisible(document_.estimate().has_value());
  if (!document_.estimate()) {
    title_->setText(to_qt(document_.path().filename().string()));
    subtitle_->clear();
    details_->clear();
  }
  verdict_->setVisible(current);
  suggestions_card_->hide();
  if (!current || !document_.estimate()) return;
  PlanReport report = plan_report(*document_.estimate());
  title_->setText(report.title);
  subtitle_->setText(report.subtitle);
  verdict_->setVerdict(report.verdict);
  bar_->setReport(std::move(report.bar));
  memory_->setContent(std::move(report.memory));
  facts_->setContent(std::move(report.facts));
  timeline_->setReport(std::move(report.timeline));
  explainAgain();
  QString notes;
  for (const QString& line : report.notes) notes += "<li>" + line.toHtmlEscaped() + "</li>";
  notes_->setText("<ul style=\"margin-left:-24px\">" + notes + "</ul>");
}

void PlanPage::showSuggestions() {
  suggestions_->setContent(suggestions_table(document_.suggestions()));
  suggestions_card_->setVisible(!document_.suggestions().empty());
}

void PlanPage::applySuggestion() {
  const int row = suggestions_->currentIndex().row();
  if (row < 0 || row >= static_cast<int>(document_.suggestions().size())) return;
  const estimator::Suggestion chosen = document_.suggestions()[static_cast<std::size_t>(row)];
  const auto problems = document_.apply(chosen);
  if (!problems.empty()) showProblems("That change cannot be applied", problems);
}

void PlanPage::explainAgain() {
  for (TableView* table : {memory_, facts_, suggestions_}) {
    for (const TableRow& row : table->table().content().rows) {
      if (row.how.empty() || row.how.title != details_->subject()) continue;
      details_->explain(row.how);
      return;
    }
  }
  details_->explain(verdict_->verdict().how);
}

void PlanPage::explainPart(Part part) {
  const auto& rows = memory_->table().content().rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].part == part) memory_->selectRow(static_cast<int>(row));
  }
}

}  // namespace headroom::gui
