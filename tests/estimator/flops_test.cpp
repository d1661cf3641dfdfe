#include "estimator/flops.h"

#include "tests/estimator/samples.h"

#include <boost/test/unit_test.hpp>

#include <string>

namespace headroom::estimator {
namespace {

using boost::test_tools::tolerance;
using test::elementwise;
using test::product;

/// The lecture's two-layer model: h1 = x w1 (D to D), h2 = h1 w2 (D to K), loss = mean(h2^2).
/// Backward as the lecture counts it, with or without the gradient of the input.
WorkList two_layers(std::int64_t b, std::int64_t d, std::int64_t k, bool input_gradient) {
  WorkList work = {product("linear", Phase::kForward, b, d, d),
                   product("linear", Phase::kForward, b, k, d),
                   product("linear", Phase::kBackward, d, k, b),   // w2
                   product("linear", Phase::kBackward, b, d, k),   // h1
                   product("linear", Phase::kBackward, d, d, b)};  // w1
  if (input_gradient) work.push_back(product("linear", Phase::kBackward, b, d, d));
  return work;
}

double sum(const FlopsExplanation& explanation) {
  double total = explanation.six_n_p.value();
  for (const FlopsTerm& term : explanation.terms) total += term.flops.value();
  return total;
}

BOOST_AUTO_TEST_SUITE(flops)

BOOST_AUTO_TEST_CASE(forward_is_two_b_d_d_plus_two_b_d_k) {
  const double b = 64, d = 128, k = 32;
  const FlopsCount count = count_flops(two_layers(64, 128, 32, true));
  BOOST_TEST(count.forward_matmul.value() == 2 * b * d * d + 2 * b * d * k);
  // 2BDK for w2, 2BDK for h1, 4BDD for w1 and x: the lecture's backward.
  BOOST_TEST(count.backward_matmul.value() == 4 * b * d * k + 4 * b * d * d);
  // "Total: 6 * (# data points) * (# parameters)".
  BOOST_TEST(count.total().value() == six_n_p(b, d * d + d * k).value());
}

BOOST_AUTO_TEST_CASE(nothing_is_left_to_explain_when_the_rule_holds) {
  const FlopsExplanation same =
      explain_flops(two_layers(64, 128, 32, true), {64, 128 * 128 + 128 * 32, std::nullopt});
  BOOST_TEST(same.terms.empty());
  BOOST_TEST(same.total.value() == same.six_n_p.value());
}

BOOST_AUTO_TEST_CASE(the_first_layer_needs_no_input_gradient) {
  const double b = 64, d = 128, k = 32;
  const FlopsExplanation less =
      explain_flops(two_layers(64, 128, 32, false), {b, d * d + d * k, std::nullopt});
  BOOST_REQUIRE(less.terms.size() == 1u);
  BOOST_TEST(less.terms[0].flops.value() == -2 * b * d * d);
  BOOST_TEST(less.terms[0].reason.find("first layer") != std::string::npos);
  BOOST_TEST(less.terms[0].reason.find("1 product") != std::string::npos);
  BOOST_TEST(sum(less) == less.total.value());
}

BOOST_AUTO_TEST_CASE(every_other_difference_is_named_and_adds_up) {
  const double b = 64, d = 128, k = 32;
  WorkList work = two_layers(64, 128, 32, false);
  work.push_back(elementwise("bias", Phase::kForward, b * k, Bytes(0)));
  work.push_back(elementwise("mse", Phase::kLoss, 3 * b * k, Bytes(0)));
  work.push_back(elementwise("mse", Phase::kBackward, 2 * b * k, Bytes(0)));
  work.push_back(elementwise("adamw", Phase::kOptimizer, 12 * (d * d + d * k + k), Bytes(0)));
  const FlopsExplanation all = explain_flops(work, {b, d * d + d * k + k, std::nullopt});
  BOOST_REQUIRE(all.terms.size() == 5u);
  BOOST_TEST(all.terms[0].flops.value() == -6 * b * k, tolerance(1e-12));  // biases
  BOOST_TEST(all.terms[1].flops.value() == -2 * b * d * d);
  BOOST_TEST(all.terms[2].flops.value() == 4 * b * k);
  BOOST_TEST(all.terms[3].flops.value() == 2 * b * k);
  BOOST_TEST(all.terms[4].flops.value() == 12 * (d * d + d * k + k));
  BOOST_TEST(sum(all) == all.total.value(), tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(attention_and_recomputation_are_told_apart) {
  // One weight of 64 x 64 and two products between activations, run over again in backward.
  const double n = 256;
  WorkList work = {product("linear", Phase::kForward, 256, 64, 64),
                   product("scores", Phase::kForward, 256, 256, 64),
                   product("linear", Phase::kBackward, 256, 64, 64),
                   product("linear", Phase::kBackward, 64, 64, 256),
                   product("linear", Phase::kBackward, 256, 64, 64),  // recomputed
                   product("scores", Phase::kBackward, 256, 64, 256),
                   product("scores", Phase::kBackward, 256, 64, 256)};
  const FlopsExplanation all = explain_flops(work, {n, 64 * 64, 64.0 * 64});
  BOOST_REQUIRE(all.terms.size() == 2u);
  BOOST_TEST(all.terms[0].flops.value() == 3 * 2 * 256.0 * 256 * 64);
  BOOST_TEST(all.terms[0].reason.find("attention") != std::string::npos);
  BOOST_TEST(all.terms[1].flops.value() == 2 * 256.0 * 64 * 64);
  BOOST_TEST(all.terms[1].reason.find("recomputation") != std::string::npos);
  BOOST_TEST(sum(all) == all.total.value());
}

BOOST_AUTO_TEST_CASE(counts_are_kept_by_op_and_phase) {
  WorkList work = two_layers(8, 16, 4, false);
  for (WorkItem& item : work) item.repeat = 3;
  const FlopsCount count = count_flops(work);
  BOOST_REQUIRE(count.by_op.size() == 2u);
  BOOST_TEST(count.by_op[0].calls == 6);
  BOOST_TEST(count.by_op[1].calls == 9);
  BOOST_TEST(count.phase(Phase::kForward).value() == 3 * (2.0 * 8 * 16 * 16 + 2.0 * 8 * 16 * 4));
  BOOST_TEST(count.phase(Phase::kLoss).value() == 0.0);
}

// MFLOP per token of GPT-2 124M at T = 1024 by convention. Source: published rules of nanoGPT,
// PaLM, Megatron and llm.c applied to 124,439,808 parameters, of which 786,432 are positions.
BOOST_AUTO_TEST_CASE(conventions_differ_as_published_for_gpt2) {
  TransformerSize gpt2;
  gpt2.parameters = 124439808;
  // 12 layers of 12 C^2 weights, and the head of V x C.
  gpt2.multiplying_parameters = 12.0 * 12 * 768 * 768 + 50257.0 * 768;
  gpt2.layers = 12;
  gpt2.heads = 12;
  gpt2.head_size = 64;
  gpt2.sequence = 1024;
  const FlopsPerToken flops = flops_per_token(gpt2);
  BOOST_TEST(flops.six_n.value() / 1e6 == 746.6, tolerance(1e-4));
  BOOST_TEST(flops.palm.value() / 1e6 == 859.9, tolerance(1e-4));
  BOOST_TEST(flops.non_causal.value() / 1e6 == 854.4, tolerance(1e-4));
  BOOST_TEST(flops.causal.value() / 1e6 == 797.8, tolerance(1e-4));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::estimator
