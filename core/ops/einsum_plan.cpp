#include "core/ops/einsum_plan.h"

#include <algorithm>
#include <array>
#include <optional>

namespace headroom::ops {
namespace {

using Label = Pattern::Label;
using Labels = Pattern::Labels;
/// Up to as many labels as there are; groups mix those of both inputs.
using Group = SmallList<Label, Pattern::kMaxLabels>;
using Strides = std::array<std::int64_t, Pattern::kMaxLabels>;

/// Parts of the workspace start at multiples of this many elements: 256 bytes of f32.
constexpr std::int64_t kPartAlignment = 64;

std::size_t at(Label label) { return static_cast<std::size_t>(label); }

/// A group of dimensions that lie in memory like a single one.
struct Merged {
  std::int64_t size = 1, stride = 1;
};

/// How a matrix product reads a matrix.
struct View {
  bool transposed = false;
  std::int64_t leading = 1;
};

class Planner {
 public:
  explicit Planner(const EinsumShape& shape) : shape_(shape) {}

  EinsumPlan plan() {
    if (shape_.inputs.size() == 1) {
      plan_one_input();
    } else {
      sort_labels();
      if (sum_.empty()) {
        plan_multiply();
      } else {
        plan_matmul();
      }
    }
    return plan_;
  }

 private:
  [[nodiscard]] std::int64_t size(Label label) const { return shape_.sizes[at(label)]; }
  [[nodiscard]] bool in_output(Label label) const { return contains(shape_.output, label); }

  template <class List>
  [[nodiscard]] Strides row_major(const List& labels) const {
    Strides strides{};
    std::int64_t next = 1;
    for (std::size_t d = labels.size(); d-- > 0;) {
      strides[at(labels[d])] = next;
      next *= size(labels[d]);
    }
    return strides;
  }

  /// Dimensions of an operand and where they go, given the strides of what they go to.
  [[nodiscard]] SmallList<ReducedDim, Shape::kMaxRank> dims_to(const Labels& labels,
                                                               const Strides& to,
                                                               const Group& kept) const {
    SmallList<ReducedDim, Shape::kMaxRank> dims;
    for (Label label : labels) {
      const bool stays = std::find(kept.begin(), kept.end(), label) != kept.end();
      dims.push_back(
          {.size = size(label), .result_stride = stays ? to[at(label)] : ReducedDim::kReduced});
    }
    return dims;
  }

  std::int64_t take(std::int64_t elements) {
    const std::int64_t offset = plan_.workspace_elements;
    plan_.workspace_elements += (elements + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
    return offset;
  }

  /// Plans operand i to be rearranged into the row-major order of `order`; labels not in it are
  /// summed. Returns its new strides.
  Strides prepare(std::size_t i, const Group& order) {
    const Strides strides = row_major(order);
    EinsumPreparation& prepared = plan_.prepared[i];
    prepared.needed = true;
    prepared.dims = dims_to(shape_.inputs[i], strides, order);
    prepared.elements = 1;
    for (Label label : order) prepared.elements *= size(label);
    prepared.offset = take(prepared.elements);
    plan_.other_flops +=
        Flops(static_cast<double>(shape_.elements(shape_.inputs[i]) - prepared.elements));
    return strides;
  }

  /// The output's order, reading from something with these strides.
  [[nodiscard]] StridedWalk<1> walk_output(const Strides& from) const {
    StridedWalk<1> walk;
    for (Label label : shape_.output) walk.append(size(label), {from[at(label)]});
    return walk;
  }

  void plan_one_input() {
    const Labels& input = shape_.inputs[0];
    Group kept;
    for (Label label : input) {
      if (in_output(label)) kept.push_back(label);
    }
    bool repeats = false;
    for (Label label : shape_.output) repeats = repeats || !contains(input, label);
    const bool sums = kept.size() != input.size();
    if (!sums) {
      plan_.kind = EinsumPlan::Kind::kCopy;
      plan_.copy = walk_output(row_major(input));
    } else if (repeats) {
      plan_.kind = EinsumPlan::Kind::kCopy;
      plan_.copy = walk_output(prepare(0, kept));
    } else {
      plan_.kind = EinsumPlan::Kind::kSum;
      plan_.sum = dims_to(input, row_major(shape_.output), kept);
      plan_.other_flops =
          Flops(static_cast<double>(shape_.elements(input) - shape_.elements(shape_.output)));
    }
  }

  /// Sorts labels by role. Those of size 1 have none: they take no part in any layout.
  void sort_labels() {
    for (std::size_t i = 0; i < 2; ++i) {
      const Labels& other = shape_.inputs[1 - i];
      for (Label label : shape_.inputs[i]) {
        const bool shared = contains(other, label);
        if (size(label) == 1) continue;
        if (!shared && !in_output(label)) {
          own_[i] = true;
        } else if (!shared) {
          free_[i].push_back(label);
        } else if (i == 0 && !in_output(label)) {
          sum_.push_back(label);
        }
      }
    }
    for (Label label : shape_.output) {
      const bool first = contains(shape_.inputs[0], label);
      const bool second = contains(shape_.inputs[1], label);
      if (size(label) == 1) continue;
      if (first && second) batch_.push_back(label);
      repeats_ = repeats_ || (!first && !second);
    }
  }

  /// The labels of `labels` that `group` has, in the order of `labels`.
  static Group in_order_of(const Labels& labels, const Group& group) {
    Group ordered;
    for (Label label : labels) {
      if (std::find(group.begin(), group.end(), label) != group.end()) ordered.push_back(label);
    }
    return ordered;
  }

  static Group join(const Group& a, const Group& b, const Group& c) {
    Group all = a;
    for (Label label : b) all.push_back(label);
    for (Label label : c) all.push_back(label);
    return all;
  }

  void plan_multiply() {
    plan_.kind = EinsumPlan::Kind::kMultiply;
    Strides strides[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const Group order = in_order_of(shape_.inputs[i], join(batch_, free_[i], {}));
      strides[i] = own_[i] ? prepare(i, order) : row_major(shape_.inputs[i]);
    }
    for (Label label : shape_.output) {
      plan_.multiply.append(size(label), {strides[0][at(label)], strides[1][at(label)]});
    }
    plan_.other_flops += Flops(static_cast<double>(shape_.elements(shape_.output)));
  }

  [[nodiscard]] std::optional<Merged> merge(const Group& group, const Strides& strides) const {
    Merged merged;
    for (std::size_t d = group.size(); d-- > 0;) {
      const std::int64_t stride = strides[at(group[d])];
      if (d + 1 == group.size()) {
        merged.stride = stride;
      } else if (stride != merged.stride * merged.size) {
        return std::nullopt;
      }
      merged.size *= size(group[d]);
    }
    return merged;
  }

  [[nodiscard]] std::optional<View> view(const Group& rows,
                                         const Group& columns,
                                         const Strides& strides) const {
    const auto r = merge(rows, strides);
    const auto c = merge(columns, strides);
    if (!r || !c) return std::nullopt;
    if (c->size == 1 || c->stride == 1) {
      return View{.transposed = false, .leading = r->size == 1 ? c->size : r->stride};
    }
    if (r->size == 1 || r->stride == 1) return View{.transposed = true, .leading = c->stride};
    return std::nullopt;
  }

  /// One way to cast the einsum as matrix products: orders of rows, columns and summed labels.
  struct Choice {
    bool swapped = false;
    Group rows, columns, sum;
    bool copies[2] = {false, false};  ///< left and right factor
    bool scratch = false;
    std::int64_t cost = 0;  ///< elements copied
  };

  [[nodiscard]] Choice consider(bool swapped, unsigned orders) const {
    const std::size_t left = swapped ? 1 : 0;
    const std::size_t right = 1 - left;
    const auto order = [&](const Group& group, std::size_t input, unsigned bit,
                           const Labels& other) {
      return in_order_of((orders & bit) != 0 ? other : shape_.inputs[input], group);
    };
    Choice choice{.swapped = swapped,
                  .rows = order(free_[left], left, 1U, shape_.output),
                  .columns = order(free_[right], right, 2U, shape_.output),
                  .sum = order(sum_, left, 4U, shape_.inputs[right])};
    const auto factor = [&](std::size_t side, std::size_t input, const Group& rows,
                            const Group& columns) {
      // An operand that is summed first can be laid out at will.
      choice.copies[side] = own_[input] || !view(rows, columns, row_major(shape_.inputs[input]));
      if (choice.copies[side] && !own_[input]) {
        choice.cost += shape_.elements(shape_.inputs[input]);
      }
    };
    factor(0, left, choice.rows, choice.sum);
    factor(1, right, choice.sum, choice.columns);
    const auto result = view(choice.rows, choice.columns, row_major(shape_.output));
    choice.scratch = repeats_ || !result || result->transposed;
    if (choice.scratch && !repeats_) choice.cost += shape_.elements(shape_.output);
    return choice;
  }

  [[nodiscard]] Choice best_choice() const {
    Choice best = consider(false, 0);
    for (bool swapped : {false, true}) {
      for (unsigned orders = 0; orders < 8 && best.cost > 0; ++orders) {
        const Choice choice = consider(swapped, orders);
        if (choice.cost < best.cost) best = choice;
      }
    }
    return best;
  }

  void plan_matmul() {
    plan_.kind = EinsumPlan::Kind::kMatmul;
    const Choice choice = best_choice();
    const std::size_t left = choice.swapped ? 1 : 0;
    const std::size_t right = 1 - left;
    const Strides a = choice.copies[0] ? prepare(left, join(batch_, choice.rows, choice.sum))
                                       : row_major(shape_.inputs[left]);
    const Strides b = choice.copies[1] ? prepare(right, join(batch_, choice.sum, choice.columns))
                                       : row_major(shape_.inputs[right]);
    const Group result_order = join(batch_, choice.rows, choice.columns);
    const Strides c = choice.scratch ? row_major(result_order) : row_major(shape_.output);

    EinsumMatmul& matmul = plan_.matmul;
    matmul.swapped = choice.swapped;
    matmul.size = {.m = merge(choice.rows, a)->size,
                   .n = merge(choice.columns, b)->size,
                   .k = merge(choice.sum, a)->size};
    const View view_a = *view(choice.rows, choice.sum, a);
    const View view_b = *view(choice.sum, choice.columns, b);
    matmul.transpose_a = view_a.transposed;
    matmul.transpose_b = view_b.transposed;
    matmul.lda = view_a.leading;
    matmul.ldb = view_b.leading;
    matmul.ldc = view(choice.rows, choice.columns, c)->leading;
    plan_batch(a, b, c);

    if (choice.scratch) {
      std::int64_t elements = 1;
      for (Label label : result_order) elements *= size(label);
      plan_.through_scratch = true;
      plan_.scratch_offset = take(elements);
      plan_.copy = walk_output(c);
    }
    plan_.matmul_flops = matmul.size.flops() * static_cast<double>(matmul.loop.count());
  }

  /// The longest run of batch labels goes into each call, the rest into a loop of calls.
  void plan_batch(const Strides& a, const Strides& b, const Strides& c) {
    StridedWalk<3> all;
    for (Label label : batch_) {
      all.append(size(label), {a[at(label)], b[at(label)], c[at(label)]});
    }
    int longest = 0;
    for (int d = 1; d < all.rank; ++d) {
      if (all.size[d] > all.size[longest]) longest = d;
    }
    EinsumMatmul& matmul = plan_.matmul;
    for (int d = 0; d < all.rank; ++d) {
      if (d == longest) {
        matmul.size.batch = all.size[d];
        matmul.stride_a = all.stride[0][d];
        matmul.stride_b = all.stride[1][d];
        matmul.stride_c = all.stride[2][d];
      } else {
        matmul.loop.append(all.size[d], {all.stride[0][d], all.stride[1][d], all.stride[2][d]});
      }
    }
  }

  const EinsumShape& shape_;
  EinsumPlan plan_;
  Group batch_, sum_, free_[2];
  bool own_[2] = {false, false};  ///< the input has labels that only it has: they are summed first
  bool repeats_ = false;          ///< the output has labels that no input has
};

}  // namespace

std::int64_t EinsumShape::elements(const Pattern::Labels& labels) const {
  std::int64_t product = 1;
  for (Pattern::Label label : labels) product *= sizes[static_cast<std::size_t>(label)];
  return product;
}

EinsumPlan plan_einsum(const EinsumShape& shape) { return Planner(shape).plan(); }

}  // namespace headroom::ops
