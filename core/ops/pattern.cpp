#include "core/ops/pattern.h"

#include "core/describe/error.h"
#include "core/describe/op.h"

#include <algorithm>

namespace headroom::ops {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Parser {
 public:
  Parser(std::string_view op, std::string_view text) : op_(op), text_(text) {
    pattern_.text = std::string(text);
  }

  Pattern parse() {
    Pattern::Labels operand;
    bool arrow = false;
    while (true) {
      skip_spaces();
      if (at_ == text_.size()) break;
      if (is_name_character(text_[at_])) {
        add_name(operand, arrow);
      } else if (text_[at_] == ',') {
        if (arrow) fail(at_, "there is one output, so no comma may follow the arrow");
        finish_input(operand);
        ++at_;
      } else if (text_.substr(at_, 2) == "->") {
        if (arrow) fail(at_, "a second arrow");
        finish_input(operand);
        arrow = true;
        at_ += 2;
      } else {
        fail(at_, std::string("'") + text_[at_] +
                      "' is not part of a pattern; dimensions are named with letters, digits and "
                      "underscores");
      }
    }
    if (!arrow) fail(at_, "the arrow '->' and the output's dimensions are missing");
    pattern_.output = operand;
    return std::move(pattern_);
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  void add_name(Pattern::Labels& operand, bool output) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const auto found = std::find(pattern_.names.begin(), pattern_.names.end(), name);
    if (found == pattern_.names.end() && output) {
      fail(begin, "'" + std::string(name) + "' is not a dimension of any input");
    }
    const auto label = static_cast<Pattern::Label>(found - pattern_.names.begin());
    if (contains(operand, label)) {
      fail(begin, "'" + std::string(name) + "' appears twice in one operand");
    }
    if (operand.size() == Shape::kMaxRank) {
      fail(begin, "an operand has at most " + std::to_string(Shape::kMaxRank) + " dimensions");
    }
    if (found == pattern_.names.end()) pattern_.names.emplace_back(name);
    operand.push_back(label);
  }

  void finish_input(Pattern::Labels& operand) {
    if (pattern_.inputs.size() == Pattern::kMaxInputs) {
      fail(at_, "at most " + std::to_string(Pattern::kMaxInputs) + " inputs");
    }
    pattern_.inputs.push_back(operand);
    operand = {};
  }

  [[noreturn]] void fail(std::size_t position, const std::string& what) const {
    throw ShapeError("[" + std::string(op_) + "] \"" + std::string(text_) + "\", position " +
                     std::to_string(position + 1) + ": " + what);
  }

  std::string_view op_, text_;
  std::size_t at_ = 0;
  Pattern pattern_;
};

}  // namespace

Pattern parse_pattern(std::string_view op, std::string_view text) {
  return Parser(op, text).parse();
}

Pattern::Sizes Pattern::bind(std::string_view op, std::span<const TensorType> operands) const {
  if (operands.size() != inputs.size()) {
    throw ShapeError(shape_message(op, "operands", std::to_string(operands.size()),
                                   std::to_string(inputs.size()) + " for \"" + text + "\""));
  }
  Sizes sizes;
  for (std::size_t l = 0; l < names.size(); ++l) sizes.push_back(-1);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = operands[i].shape;
    const std::string which = "input " + std::to_string(i + 1);
    if (shape.rank() != inputs[i].size()) {
      throw ShapeError(
          shape_message(op, which, to_string(shape),
                        std::to_string(inputs[i].size()) + " dimensions as in \"" + text + "\""));
    }
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      const auto label = static_cast<std::size_t>(inputs[i][d]);
      std::int64_t& size = sizes[label];
      const std::string dimension = "dimension " + names[label] + " of " + which;
      if (shape[d].size == 0) throw ShapeError(shape_message(op, dimension, "0", "at least 1"));
      if (size >= 0 && size != shape[d].size) {
        throw ShapeError(shape_message(op, dimension, std::to_string(shape[d].size),
                                       std::to_string(size) + " as in input 1"));
      }
      size = shape[d].size;
    }
  }
  return sizes;
}

Shape Pattern::output_shape(const Sizes& sizes) const {
  Shape shape;
  for (Label label : output) {
    const auto l = static_cast<std::size_t>(label);
    shape.append({names[l], sizes[l]});
  }
  return shape;
}

}  // namespace headroom::ops
