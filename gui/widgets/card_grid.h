#pragma once

#include <QFrame>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <vector>

namespace headroom::gui {

/// A framed part of a page with a heading.
class Card : public QFrame {
  Q_OBJECT
 public:
  explicit Card(const QString& title, QWidget* parent = nullptr);
  void add(QWidget* widget) { column_->addWidget(widget); }
  void setCaption(const QString& caption);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void recolor();
  QVBoxLayout* column_;
  QLabel* caption_;
};

/// Cards below each other, or in two columns where there is room for both.
class CardGrid : public QScrollArea {
  Q_OBJECT
 public:
  explicit CardGrid(QWidget* parent = nullptr);
  /// `column` is where the card stands when there are two.
  void addCard(Card* card, int column);
  [[nodiscard]] int columns() const { return columns_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Placed {
    Card* card;
    int column;
  };
  void arrange(int columns);

  std::vector<Placed> cards_;
  QVBoxLayout* layouts_[2];
  QWidget* second_;
  int columns_ = 0;
};

}  // namespace headroom::gui
