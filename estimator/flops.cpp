#include "estimator/flops.h"

#include <algorithm>
#include <cmath>

namespace headroom::estimator {
namespace {

bool is_forward(Phase phase) { return phase != Phase::kBackward && phase != Phase::kOptimizer; }

/// Products of the same three sizes in any order: a layer's forward and its two backward products.
struct ProductGroup {
  std::string_view op;
  std::array<std::int64_t, 3> sizes;
  std::int64_t batch = 1;
  double forward = 0, backward = 0;
  double one = 0;  ///< FLOPs of a single product
  MatmulSize first;
};

std::vector<ProductGroup> group_products(const WorkList& work) {
  std::vector<ProductGroup> groups;
  for (const WorkItem& item : work) {
    const MatmulSize& size = item.work.matmul;
    if (size.empty() || item.phase == Phase::kOptimizer) continue;
    std::array<std::int64_t, 3> sizes = {size.m, size.n, size.k};
    std::sort(sizes.begin(), sizes.end());
    auto group = std::find_if(groups.begin(), groups.end(), [&](const ProductGroup& g) {
      return g.op == item.op && g.sizes == sizes && g.batch == size.batch;
    });
    if (group == groups.end()) {
      groups.push_back({item.op, sizes, size.batch, 0, 0, size.flops().value(), size});
      group = groups.end() - 1;
    }
    const double flops = item.work.matmul_flops.value() * static_cast<double>(item.repeat);
    (is_forward(item.phase) ? group->forward : group->backward) += flops;
  }
  return groups;
}

std::string count_text(double number) {
  return std::to_string(static_cast<long long>(std::llround(number)));
}

std::string describe(const ProductGroup& group) {
  const MatmulSize& size = group.first;
  return std::string(group.op) + " (" + std::to_string(size.m) + "x" + std::to_string(size.k) +
         " by " + std::to_string(size.k) + "x" + std::to_string(size.n) + ")";
}

/// Whether `difference` is more than rounding of sums of size `scale`.
bool matters(double difference, double scale) { return std::abs(difference) > 1e-9 * scale; }

}  // namespace

FlopsCount count_flops(const WorkList& work) {
  FlopsCount count;
  for (const WorkItem& item : work) {
    const auto repeat = static_cast<double>(item.repeat);
    const Flops matmul = item.work.matmul_flops * repeat;
    const Flops other = item.work.other_flops * repeat;
    auto line = std::find_if(count.by_op.begin(), count.by_op.end(), [&](const OpFlops& o) {
      return o.op == item.op && o.phase == item.phase;
    });
    if (line == count.by_op.end()) {
      count.by_op.push_back({item.op, item.phase, Flops(0), Flops(0), 0});
      line = count.by_op.end() - 1;
    }
    line->matmul += matmul;
    line->other += other;
    line->calls += item.repeat;
    count.by_phase[static_cast<std::size_t>(item.phase)] += matmul + other;
    count.matmul += matmul;
    count.other += other;
    if (is_forward(item.phase)) count.forward_matmul += matmul;
    if (item.phase == Phase::kBackward) count.backward_matmul += matmul;
  }
  return count;
}

FlopsExplanation explain_flops(const WorkList& work, const ModelSize& size) {
  const FlopsCount count = count_flops(work);
  FlopsExplanation result;
  result.six_n_p = six_n_p(size.items, size.parameters);
  result.total = count.total();
  const double scale = std::max(result.six_n_p.value(), result.total.value());
  const auto add = [&](double flops, std::string reason) {
    if (matters(flops, scale)) result.terms.push_back({std::move(reason), Flops(flops)});
  };

  const double forward = count.forward_matmul.value();
  const double multiplying =
      size.multiplying_parameters.value_or(size.items > 0 ? forward / (2 * size.items) : 0);
  add(-6 * size.items * (size.parameters - multiplying),
      size.parameters >= multiplying
          ? "parameters that multiply nothing (biases, norms, embeddings): 6NP counts " +
                count_text(size.parameters - multiplying) + " of them"
          : "weights that multiply an item more than once: 6NP counts them once");
  add(3 * (forward - 2 * size.items * multiplying),
      "matrix products between activations (attention), which have no parameters");
  for (const ProductGroup& group : group_products(work)) {
    const double difference = group.backward - 2 * group.forward;
    const double products = std::abs(difference) / group.one;
    add(difference, difference < 0 ? describe(group) + ": " + count_text(products) +
                                         (count_text(products) == "1" ? " product" : " products") +
                                         " less than twice the forward ones, since no gradient of "
                                         "the input is needed (the first layer)"
                                   : describe(group) +
                                         ": backward does more than twice the forward products "
                                         "(recomputation)");
  }
  double forward_other = 0, backward_other = 0;
  for (const OpFlops& line : count.by_op) {
    if (is_forward(line.phase)) forward_other += line.other.value();
    if (line.phase == Phase::kBackward) backward_other += line.other.value();
  }
  add(forward_other, "elementwise work and sums, forward and loss");
  add(backward_other, "elementwise work and sums, backward");
  add(count.phase(Phase::kOptimizer).value(), "optimizer");
  return result;
}

FlopsPerToken flops_per_token(const TransformerSize& size) {
  const double per_pair = size.layers * size.heads * size.head_size;
  FlopsPerToken result;
  result.six_n = Flops(6 * size.parameters);
  result.palm = Flops(6 * size.parameters + 12 * per_pair * size.sequence);
  result.non_causal = Flops(6 * size.multiplying_parameters + 12 * per_pair * size.sequence);
  result.causal = Flops(6 * size.multiplying_parameters + 6 * per_pair * (size.sequence + 1));
  return result;
}

}  // namespace headroom::estimator
