#include "tests/support/op_check.h"

#include "core/describe/error.h"
#include "core/describe/trace.h"
#include "core/ops/elementwise.h"
#include "core/ops/reduce.h"
#include "core/optim/sgd.h"
#include "core/runtime/cpu/cpu_device.h"
#include "tests/support/compare.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>

namespace headroom::test {
namespace {

constexpr std::array<const char*, 4> kOperandNames = {"x0", "x1", "x2", "x3"};
/// Any momentum will do: the buffer holds the first gradient itself.
constexpr double kMomentum = 0.5;

SmallList<TensorId, kMaxOperands> apply_list(
    Graph& graph, const Op& op, const std::vector<TensorId>& in, TensorName name, Phase phase) {
  switch (in.size()) {
    case 1:
      return graph.apply(op, {in[0]}, name, Category::kActivations, phase);
    case 2:
      return graph.apply(op, {in[0], in[1]}, name, Category::kActivations, phase);
    case 3:
      return graph.apply(op, {in[0], in[1], in[2]}, name, Category::kActivations, phase);
    case 4:
      return graph.apply(op, {in[0], in[1], in[2], in[3]}, name, Category::kActivations, phase);
    default:
      throw std::invalid_argument("op_check: operands");
  }
}

/// "d0 d1 ->" for the shape of an output.
std::string sum_pattern(std::size_t rank) {
  std::string pattern;
  for (std::size_t d = 0; d < rank; ++d) pattern.append("d").append(std::to_string(d)).append(" ");
  return pattern + "->";
}

/// Adds operand i to the graph and returns what the op is applied to.
TensorId add_operand(
    Graph& graph, const OpCase& test, std::size_t i, const OpRunOptions& options, OpStep& result) {
  const Operand& operand = test.operands[i];
  const TensorName name{.stem = kOperandNames[i]};
  const DType dtype = operand.dtype.value_or(options.dtype);
  const TensorType type{operand.shape, operand.integer ? DType::kI32 : dtype};
  if (!operand.gradient) {
    result.parameters.push_back(TensorId{});
    result.batch.push_back(operand.values);
    return graph.input(name, type);
  }
  const TensorId parameter = graph.parameter(name, type, Initializer::zeros());
  result.parameters.push_back(parameter);
  if (!options.as_activations && !operand.activation) return parameter;
  const TensorId zeros = graph.input({.stem = "zeros"}, type);
  result.batch.emplace_back(static_cast<std::size_t>(type.shape.numel()), 0.0);
  return graph.apply(graph.own(std::make_unique<ops::Add>()), {parameter, zeros},
                     {.stem = kOperandNames[i], .leaf = "activation"})[0];
}

/// output * a new parameter.
TensorId probed(Graph& graph, TensorId output, TensorName name, TensorId& probe) {
  probe = graph.parameter(name, graph.tensor(output).type, Initializer::zeros());
  const auto& mul = graph.own(std::make_unique<ops::Mul>());
  return graph.apply(mul, {output, probe}, {.stem = "product"})[0];
}

/// loss = sum(output * probe), over all outputs with an upstream gradient.
void add_probes(Graph& graph,
                const SmallList<TensorId, kMaxOperands>& outputs,
                std::size_t more,
                OpStep& result) {
  TensorId total = probed(graph, outputs[0], {.stem = "probe"}, result.probe);
  result.more_probes.resize(more);
  for (std::size_t i = 0; i < more; ++i) {
    const TensorName name{.stem = "probe", .index = static_cast<std::int32_t>(i) + 1};
    const TensorId product = probed(graph, outputs[i + 1], name, result.more_probes[i]);
    const auto& add = graph.own(std::make_unique<ops::Add>());
    total = graph.apply(add, {total, product}, {.stem = "products"})[0];
  }
  const auto& sum = graph.own(std::make_unique<ops::Reduce>(
      sum_pattern(graph.tensor(total).type.shape.rank()), ops::Reduction::kSum));
  graph.set_loss(
      graph.apply(sum, {total}, {.stem = "loss"}, Category::kTemporaries, Phase::kLoss)[0]);
}

/// A running op step.
class Fixture {
 public:
  Fixture(const OpCase& test, const OpRunOptions& options)
      : described_(op_step(test, options)),
        runner_(
            std::move(described_.step),
            options.device ? options.device() : runtime::make_cpu_device(options.threads, true)) {
    runner_.set_batches({described_.batch});
    if (!described_.probe.none()) runner_.set(described_.probe, test.upstream);
    for (std::size_t i = 0; i < described_.more_probes.size(); ++i) {
      runner_.set(described_.more_probes[i], test.more_upstream[i]);
    }
  }

  /// Runs a step that changes no parameter.
  void run(const std::vector<std::vector<double>>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const TensorId id = described_.parameters[i];
      if (!id.none()) runner_.set(id, values[i]);
    }
    runner_.run({.learning_rate = 0, .step = 1});
  }
  [[nodiscard]] double loss() const { return runner_.get(runner_.step().loss)[0]; }
  [[nodiscard]] std::vector<double> gradient(TensorId parameter) const {
    const auto& all = runner_.step().parameters;
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (all[p] == parameter) return runner_.state(p, 0);
    }
    return {};
  }
  [[nodiscard]] OpResult result() const {
    OpResult result;
    const bool is_loss = described_.probe.none();
    result.output = is_loss ? std::vector<double>{loss()} : gradient(described_.probe);
    for (TensorId id : described_.more_probes) result.more_outputs.push_back(gradient(id));
    for (TensorId id : described_.parameters) result.gradients.push_back(gradient(id));
    return result;
  }
  [[nodiscard]] const StepRunner& runner() const { return runner_; }

 private:
  OpStep described_;
  StepRunner runner_;
};

std::vector<std::vector<double>> values_of(const OpCase& test) {
  std::vector<std::vector<double>> values;
  for (const Operand& operand : test.operands) values.push_back(operand.values);
  return values;
}

void check_differences(const OpCase& test, bool as_activations, double tolerance) {
  Fixture fixture(test, {.as_activations = as_activations});
  std::vector<std::vector<double>> values = values_of(test);
  fixture.run(values);
  const OpResult result = fixture.result();
  for (std::size_t i = 0; i < test.operands.size(); ++i) {
    if (!test.operands[i].gradient) continue;
    std::vector<double> numeric;
    for (double& value : values[i]) {
      const double at = value;
      const double h = 1e-5 * std::max(1.0, std::abs(at));
      value = at + h;
      fixture.run(values);
      const double above = fixture.loss();
      value = at - h;
      fixture.run(values);
      numeric.push_back((above - fixture.loss()) / (2 * h));
      value = at;
    }
    check_close(result.gradients[i], numeric, tolerance,
                test.name + ": gradient of operand " + std::to_string(i), 1.0);
  }
}

}  // namespace

OpStep op_step(const OpCase& test, const OpRunOptions& options) {
  Graph graph;
  OpStep result;
  std::vector<TensorId> in;
  for (std::size_t i = 0; i < test.operands.size(); ++i) {
    in.push_back(add_operand(graph, test, i, options, result));
  }
  const Op& op = graph.own(test.make());
  const bool is_loss = test.upstream.empty();
  const auto outputs =
      apply_list(graph, op, in, {.stem = "y"}, is_loss ? Phase::kLoss : Phase::kForward);
  if (is_loss) {
    graph.set_loss(outputs[0]);
  } else {
    add_probes(graph, outputs, test.more_upstream.size(), result);
  }
  result.step = make_step(std::move(graph),
                          std::make_unique<optim::Sgd>(optim::Sgd::Options{.momentum = kMomentum}),
                          {.accumulation = options.accumulation, .input_slots = 1});
  return result;
}

OpResult run_op(const OpCase& test, const OpRunOptions& options) {
  Fixture fixture(test, options);
  fixture.run(values_of(test));
  return fixture.result();
}

void check_gradients(const OpCase& test, double tolerance) {
  check_differences(test, false, tolerance);
  check_differences(test, true, tolerance);
}

void check_step_behaviour(const OpCase& test) {
  const OpResult once = run_op(test);
  const OpResult thrice = run_op(test, {.accumulation = 3});
  const OpResult taken_over = run_op(test, {.as_activations = true});
  for (std::size_t i = 0; i < once.gradients.size(); ++i) {
    std::vector<double> tripled = once.gradients[i];
    for (double& v : tripled) v *= 3;
    check_close(thrice.gradients[i], tripled, 1e-14, test.name + ": accumulated gradient");
    check_close(taken_over.gradients[i], once.gradients[i], 1e-14, test.name + ": in place");
  }
  check_ledger(test, false);
  check_ledger(test, true);
}

void check_ledger(const OpCase& test, bool as_activations) {
  Fixture fixture(test, {.as_activations = as_activations});
  fixture.run(values_of(test));
  const Trace seen = fixture.runner().ledger().trace();
  const Trace declared = trace_of(fixture.runner().step());
  BOOST_TEST_CONTEXT(test.name) {
    BOOST_CHECK_EQUAL(seen.tensors.size(), declared.tensors.size());
    const PlaceUsage a = usage(seen);
    const PlaceUsage b = usage(declared);
    BOOST_CHECK_EQUAL(a.tensors_peak.value(), b.tensors_peak.value());
    BOOST_CHECK_EQUAL(a.allocated_peak.value(), b.allocated_peak.value());
    for (Category c : all_categories()) {
      BOOST_CHECK_EQUAL(a.at_peak[c].value(), b.at_peak[c].value());
    }
    std::int64_t seen_bytes = 0;
    std::int64_t declared_bytes = 0;
    for (const TraceEvent& e : seen.events) {
      seen_bytes += seen.tensors[static_cast<std::size_t>(e.tensor)].payload.value();
    }
    for (const TraceEvent& e : declared.events) {
      declared_bytes += declared.tensors[static_cast<std::size_t>(e.tensor)].payload.value();
    }
    BOOST_CHECK_EQUAL(seen_bytes, declared_bytes);
  }
}

void check_threads(const OpCase& test) {
  for (DType dtype : {DType::kF64, DType::kF32}) {
    const OpResult one = run_op(test, {.dtype = dtype, .threads = 1});
    for (int threads : {2, 3}) {
      const OpResult many = run_op(test, {.dtype = dtype, .threads = threads});
      BOOST_CHECK_MESSAGE(many.output == one.output && many.gradients == one.gradients &&
                              many.more_outputs == one.more_outputs,
                          test.name << ": " << threads << " threads change bits");
    }
  }
}

void check_expected(const OpCase& test, DType dtype, const OpResult& expected) {
  const double tolerance = dtype == DType::kF64 ? 1e-12 : 1e-5;
  const OpResult got = run_op(test, {.dtype = dtype});
  const std::string what = test.name + " " + std::string(name(dtype));
  check_close(got.output, expected.output, tolerance, what + " output");
  BOOST_REQUIRE_EQUAL(got.more_outputs.size(), expected.more_outputs.size());
  for (std::size_t i = 0; i < expected.more_outputs.size(); ++i) {
    check_close(got.more_outputs[i], expected.more_outputs[i], tolerance,
                what + " output " + std::to_string(i + 1));
  }
  BOOST_REQUIRE_EQUAL(got.gradients.size(), expected.gradients.size());
  for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
    check_close(got.gradients[i], expected.gradients[i], tolerance,
                what + " gradient of operand " + std::to_string(i));
  }
}

void check_op(const OpCase& test, double tolerance) {
  check_gradients(test, tolerance);
  check_step_behaviour(test);
}

void check_large(const OpCase& test) {
  check_step_behaviour(test);
  check_threads(test);
}

std::vector<double> some_values(std::int64_t count, std::uint32_t seed) {
  std::vector<double> values;
  std::uint32_t state = seed * 2654435761U + 12345U;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    values.push_back(static_cast<double>(static_cast<std::int32_t>(state >> 20) - 2048) / 1024.0 +
                     1.0 / 4096.0);
  }
  return values;
}

Operand some_operand(Shape shape, std::uint32_t seed) {
  return {.shape = shape, .values = some_values(shape.numel(), seed)};
}

}  // namespace headroom::test
