#pragma once

#include "core/describe/op.h"
#include "tests/support/step_runner.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headroom::test {

/// An operand of an op under test: a parameter if a gradient is wanted, a batch tensor otherwise.
struct Operand {
  Shape shape;
  std::vector<double> values;
  bool gradient = true;
  bool integer = false;             ///< i32, such as class labels
  std::optional<DType> dtype = {};  ///< where it is not that of the run
  bool activation = false;          ///< as OpRunOptions::as_activations, for this operand
};

/// An op and what to run it on.
struct OpCase {
  std::string name;
  std::function<std::unique_ptr<Op>()> make;
  std::vector<Operand> operands;
  /// Gradient of the output that backward starts from; empty for a scalar loss.
  std::vector<double> upstream;
  /// The same for outputs 1, 2, ... of the first one's shape; outputs beyond get no gradient.
  std::vector<std::vector<double>> more_upstream = {};
};

struct OpRunOptions {
  DType dtype = DType::kF64;
  int threads = 1;
  /// Micro batches of the same data: gradients and a loss add up to a multiple.
  std::int64_t accumulation = 1;
  /// Operands pass through an op first, so that they are activations that die in the op's backward
  /// call and their storage may be taken over.
  bool as_activations = false;
  /// What runs the step; none: the CPU device.
  std::function<std::unique_ptr<runtime::Device>()> device;
};

struct OpResult {
  std::vector<double> output;
  std::vector<std::vector<double>> gradients;          ///< per operand; empty if none was wanted
  std::vector<std::vector<double>> more_outputs = {};  ///< as many as there is more_upstream
};

/// The training step around an op, and where its tensors are.
struct OpStep {
  Step step;
  std::vector<TensorId> parameters;  ///< per operand; none() for batch tensors
  std::vector<std::vector<double>> batch;
  TensorId probe;  ///< see run_op; none() if the op's output is the loss
  std::vector<TensorId> more_probes;
};
[[nodiscard]] OpStep op_step(const OpCase& test, const OpRunOptions& options = {});

/// Runs forward and backward once in a real training step on the CPU device. The step's loss is
/// sum(output * probe), over all outputs that have an upstream gradient; the probe is a parameter
/// holding `upstream`, so that its gradient is the output. Gradients are read from SGD's momentum
/// after the first step, where they lie unrounded.
[[nodiscard]] OpResult run_op(const OpCase& test, const OpRunOptions& options = {});

/// Compares every gradient with central differences of the step's loss, in f64, directly and with
/// operands as activations.
void check_gradients(const OpCase& test, double tolerance = 1e-7);

/// Checks that accumulating over three micro batches triples gradients, that operands whose storage
/// may be taken over give the same gradients, and that what the run's ledger saw is what the op
/// declared.
void check_step_behaviour(const OpCase& test);

/// Checks that what the run's ledger saw is what the op declared: same tensors, same bytes, same
/// moments.
void check_ledger(const OpCase& test, bool as_activations);

/// Checks that 1, 2 and 3 threads give the same bits. Only large cases use more than one.
void check_threads(const OpCase& test);

/// Compares a run with values computed elsewhere: f64 within 1e-12 of the largest expected value of
/// a tensor, f32 within 1e-5.
void check_expected(const OpCase& test, DType dtype, const OpResult& expected);

/// Gradients and step behaviour.
void check_op(const OpCase& test, double tolerance = 1e-7);

/// Step behaviour and threads, for cases too large for differences.
void check_large(const OpCase& test);

/// Seeded numbers, none of them 0, between -2 and 2, exact in f32.
[[nodiscard]] std::vector<double> some_values(std::int64_t count, std::uint32_t seed);
[[nodiscard]] Operand some_operand(Shape shape, std::uint32_t seed);

}  // namespace headroom::test
