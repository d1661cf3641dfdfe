// Kernels live on what their op declares: each declared operand is needed, and none can be had that
// was not declared.

#include "core/describe/error.h"
#include "core/ops/activation.h"
#include "core/ops/attention.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/einsum.h"
#include "core/ops/elementwise.h"
#include "core/ops/embedding.h"
#include "core/ops/head_cross_entropy.h"
#include "core/ops/layer_norm.h"
#include "core/ops/linear.h"
#include "core/ops/mse.h"
#include "core/ops/reduce.h"
#include "core/ops/rms_norm.h"
#include "core/ops/rope.h"
#include "core/ops/swiglu.h"
#include "tests/support/kernel_call.h"

#include <boost/test/unit_test.hpp>

#include <array>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(declared)

bool names_op(const Error& error, const OpCase& test) {
  return std::string(error.what()).find("[" + std::string(test.make()->name()) + "]") == 0;
}

/// Every saved operand (not output gradients: without one the output is the loss) and the
/// workspace, taken away one at a time.
void check_needs_what_it_declares(const OpCase& test) {
  const SavedOperands saved = test.make()->saved();
  BOOST_TEST_CONTEXT(test.name) {
    const std::size_t inputs = test.operands.size();
    KernelCall whole(test, Pass::kBackward);
    BOOST_CHECK_NO_THROW(whole.run());
    std::vector<std::size_t> positions;
    for (int i : saved.inputs) positions.push_back(static_cast<std::size_t>(i));
    for (int i : saved.outputs) positions.push_back(inputs + static_cast<std::size_t>(i));
    for (std::size_t position : positions) {
      KernelCall call(test, Pass::kBackward);
      call.hide_read(position);
      BOOST_CHECK_EXCEPTION(call.run(), Error,
                            [&](const Error& error) { return names_op(error, test); });
    }
    for (Pass pass : {Pass::kForward, Pass::kBackward}) {
      KernelCall call(test, pass);
      if (call.call().workspace.none()) continue;
      call.hide_workspace();
      BOOST_CHECK_EXCEPTION(call.run(), Error,
                            [&](const Error& error) { return names_op(error, test); });
    }
  }
}

/// The same for an op that fuses its backward pass: it reads its inputs, all of them.
void check_fused_needs_what_it_declares(const OpCase& test) {
  BOOST_TEST_CONTEXT(test.name) {
    KernelCall whole(test, Pass::kForwardBackward);
    BOOST_CHECK_NO_THROW(whole.run());
    const auto fails = [&](KernelCall& call) {
      BOOST_CHECK_EXCEPTION(call.run(), Error,
                            [&](const Error& error) { return names_op(error, test); });
    };
    for (std::size_t position = 0; position < test.operands.size(); ++position) {
      KernelCall call(test, Pass::kForwardBackward);
      call.hide_read(position);
      fails(call);
    }
    KernelCall call(test, Pass::kForwardBackward);
    call.hide_workspace();
    fails(call);
  }
}

template <class OpType, class... Arguments>
OpCase case_of(std::string name,
               std::vector<Operand> operands,
               std::int64_t outputs,
               Arguments... arguments) {
  return {.name = std::move(name),
          .make = [=] { return std::make_unique<OpType>(arguments...); },
          .operands = std::move(operands),
          .upstream = some_values(outputs, 99)};
}

BOOST_AUTO_TEST_CASE(every_declared_operand_is_needed) {
  const Operand matrix = some_operand({{"a", 3}, {"b", 4}}, 1);
  const Operand other = some_operand({{"a", 3}, {"b", 4}}, 2);
  const Operand weight = some_operand({{"b", 4}, {"c", 2}}, 3);
  const Operand column = some_operand({{"b", 4}, {"c", 1}}, 4);
  for (const Choice& choice : choices<ActivationKind>()) {
    check_needs_what_it_declares(case_of<ops::Activation>(std::string(choice.name), {matrix}, 12,
                                                          *from_name<ActivationKind>(choice.name)));
  }
  check_needs_what_it_declares(
      case_of<ops::Linear>("linear", {matrix, weight}, 6, ops::Linear::Options{}));
  check_needs_what_it_declares(
      case_of<ops::Linear>("linear, one output", {matrix, column}, 3, ops::Linear::Options{}));
  check_needs_what_it_declares(case_of<ops::Linear>("linear, bias",
                                                    {matrix, weight, some_operand({{"c", 2}}, 5)},
                                                    6, ops::Linear::Options{.bias = true}));
  check_needs_what_it_declares(case_of<ops::Add>("add", {matrix, other}, 12));
  check_needs_what_it_declares(case_of<ops::Mul>("mul", {matrix, other}, 12));
  for (const auto kind : {ops::Reduction::kSum, ops::Reduction::kMean, ops::Reduction::kMax}) {
    check_needs_what_it_declares(
        case_of<ops::Reduce>("reduce", {matrix}, 3, std::string("a b -> a"), kind));
  }
  check_needs_what_it_declares(
      case_of<ops::Einsum>("einsum", {matrix, weight}, 6, std::string("a b, b c -> a c")));
  check_needs_what_it_declares(case_of<ops::Einsum>("einsum, summed first", {matrix, other}, 1,
                                                    std::string("a b, c d -> ")));
  check_needs_what_it_declares(
      case_of<ops::Einsum>("transpose", {matrix}, 12, std::string("a b -> b a")));
  const Operand row = some_operand({{"b", 4}}, 6);
  check_needs_what_it_declares(
      case_of<ops::LayerNorm>("layer norm", {matrix, row, row}, 12, ops::LayerNorm::Options{}));
  check_needs_what_it_declares(case_of<ops::LayerNorm>("layer norm, residual",
                                                       {matrix, other, row, row}, 12,
                                                       ops::LayerNorm::Options{.residual = true}));
  check_needs_what_it_declares(
      case_of<ops::RmsNorm>("rms norm", {matrix, row}, 12, ops::RmsNorm::Options{}));
  check_needs_what_it_declares(case_of<ops::RmsNorm>("rms norm, residual", {matrix, other, row}, 12,
                                                     ops::RmsNorm::Options{.residual = true}));
  check_needs_what_it_declares(case_of<ops::SwiGlu>("swiglu", {matrix, other}, 12));
  const Operand tokens{{{"b", 1}, {"t", 3}}, {2, 0, 2}, false, true};
  check_needs_what_it_declares(case_of<ops::Embedding>("embedding", {tokens, matrix, other}, 12,
                                                       ops::Embedding::Options{true}));
  for (const auto kind : {headroom::Attention::kFlash, headroom::Attention::kEager}) {
    const Operand q = some_operand({{"b", 1}, {"t", 3}, {"columns", 4}}, 6);
    const Operand kv = some_operand({{"b", 1}, {"t", 3}, {"columns", 2}}, 7);
    const ops::Attention::Options options{.heads = 2, .head_dim = 2, .kind = kind};
    check_needs_what_it_declares(case_of<ops::Attention>("attention", {q, kv, kv}, 12, options));
  }
  check_needs_what_it_declares(
      case_of<ops::Rope>("rope", {some_operand({{"b", 1}, {"t", 3}, {"columns", 4}}, 8)}, 12,
                         ops::Rope::Options{.heads = 1, .head_dim = 4}));
  OpCase mse = case_of<ops::MeanSquaredError>("mse", {matrix, other}, 0, 1.0);
  mse.operands[1].gradient = false;
  check_needs_what_it_declares(mse);
  OpCase cross_entropy = case_of<ops::CrossEntropy>("cross-entropy", {matrix, other}, 0, 1.0);
  cross_entropy.operands[1] = {{{"a", 3}}, {0, 3, 1}, false, true};
  check_needs_what_it_declares(cross_entropy);
  OpCase head = case_of<ops::HeadCrossEntropy>(
      "head", {matrix, some_operand({{"v", 5}, {"b", 4}}, 6), {}, {}}, 0,
      ops::HeadCrossEntropy::Options{.valid_given = true});
  head.operands[2] = {{{"a", 3}}, {0, -100, 4}, false, true};
  head.operands[3] = {.shape = {}, .values = {2}, .gradient = false, .dtype = DType::kF32};
  check_fused_needs_what_it_declares(head);
}

void read_a_second_time(runtime::KernelContext& context) { (void)context.read<double>(1); }
void read_as_float(runtime::KernelContext& context) { (void)context.read<float>(0); }
void write_too_much(runtime::KernelContext& context) { (void)context.write<double>(0, 13); }

BOOST_AUTO_TEST_CASE(nothing_undeclared_can_be_had) {
  const OpCase sum = case_of<ops::Reduce>("sum", {some_operand({{"a", 3}, {"b", 4}}, 1)}, 3,
                                          std::string("a b -> a"), ops::Reduction::kSum);
  KernelCall backward(sum, Pass::kBackward);
  BOOST_CHECK_THROW(backward.run(read_as_float), Error);  // x itself: the sum keeps nothing
  BOOST_CHECK_THROW(backward.run(read_a_second_time), Error);
  BOOST_CHECK_THROW(backward.run(write_too_much), Error);
  KernelCall forward(sum, Pass::kForward);
  BOOST_CHECK_THROW(forward.run(read_as_float), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
