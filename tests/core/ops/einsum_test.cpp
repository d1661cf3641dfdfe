#include "core/ops/einsum.h"

#include "core/describe/error.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

#include <array>

namespace headroom::test {
namespace {

using ops::Einsum;
using ops::EinsumPlan;

BOOST_AUTO_TEST_SUITE(einsum)

std::vector<TensorType> types_of(const std::vector<Shape>& shapes, DType dtype = DType::kF32) {
  std::vector<TensorType> types;
  for (const Shape& shape : shapes) types.push_back({shape, dtype});
  return types;
}

OpCase einsum_case(const std::string& pattern,
                   const std::vector<Shape>& shapes,
                   std::uint32_t seed) {
  const Einsum op(pattern);
  OpCase test{.name = pattern,
              .make = [pattern] { return std::make_unique<Einsum>(pattern); },
              .upstream = some_values(op.outputs(types_of(shapes))[0].type.shape.numel(), seed)};
  for (const Shape& shape : shapes) test.operands.push_back(some_operand(shape, ++seed));
  return test;
}

BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  for (const auto& node : load_reference("einsum").at("cases")) {
    const ReferenceTensor a = tensor_of(node.at("a"));
    const ReferenceTensor b = tensor_of(node.at("b"));
    OpCase test = einsum_case(node.at("pattern").get<std::string>(), {a.shape(), b.shape()}, 1);
    test.name = node.at("name").get<std::string>();
    test.operands[0].values = a.values;
    test.operands[1].values = b.values;
    test.upstream = tensor_of(node.at("grad_out")).values;
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      check_expected(test, dtype,
                     {.output = tensor_of(values.at("out")).values,
                      .gradients = {tensor_of(values.at("grad_a")).values,
                                    tensor_of(values.at("grad_b")).values}});
    }
    check_op(test);
  }
}

BOOST_AUTO_TEST_CASE(one_input_permutes_and_sums) {
  const Shape shape{{"a", 2}, {"b", 3}, {"c", 4}};
  for (const char* pattern :
       {"a b c -> c a b", "a b c -> a b c", "a b c -> b a", "a b c -> c", "a b c ->"}) {
    check_op(einsum_case(pattern, {shape}, 3));
  }
  const OpResult got = run_op({.name = "transpose",
                               .make = [] { return std::make_unique<Einsum>("r c -> c r"); },
                               .operands = {{{{"r", 2}, {"c", 3}}, {1, 2, 3, 4, 5, 6}}},
                               .upstream = {1, 2, 3, 4, 5, 6}});
  BOOST_TEST(got.output == (std::vector<double>{1, 4, 2, 5, 3, 6}));
  BOOST_TEST(got.gradients[0] == (std::vector<double>{1, 3, 5, 2, 4, 6}));
}

// Every order of the output and of the second operand of a batched product, with sizes that differ.
BOOST_AUTO_TEST_CASE(every_layout_of_a_batched_product) {
  const auto permutations = [](std::array<std::string, 3> names) {
    std::vector<std::string> all;
    std::sort(names.begin(), names.end());
    do {
      all.push_back(names[0] + " " + names[1] + " " + names[2]);
    } while (std::next_permutation(names.begin(), names.end()));
    return all;
  };
  const auto shape_of = [](const std::string& names) {
    Shape shape;
    for (char c : names) {
      if (c == ' ') continue;
      const std::int64_t size = c == 'b' ? 2 : c == 'm' ? 3 : c == 'k' ? 4 : 5;
      shape.append({"d", size});
    }
    return shape;
  };
  for (const std::string& a : permutations({"b", "m", "k"})) {
    for (const std::string& b : permutations({"b", "k", "n"})) {
      for (const std::string& out : permutations({"b", "m", "n"})) {
        OpCase test = einsum_case(a + ", " + b + " -> " + out, {shape_of(a), shape_of(b)}, 5);
        check_gradients(test, 1e-8);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  check_large(einsum_case("b m k, b k n -> b m n",
                          {{{"b", 3}, {"m", 65}, {"k", 33}}, {{"b", 3}, {"k", 33}, {"n", 71}}}, 1));
  check_large(einsum_case("m k s, n k -> n m",
                          {{{"m", 61}, {"k", 47}, {"s", 13}}, {{"n", 53}, {"k", 47}}}, 2));
  check_large(
      einsum_case("i j, j i -> j i", {{{"i", 203}, {"j", 301}}, {{"j", 301}, {"i", 203}}}, 3));
  check_large(einsum_case("a b c -> c a", {{{"a", 37}, {"b", 41}, {"c", 43}}}, 4));
}

EinsumPlan plan_of(const std::string& pattern, const std::vector<Shape>& shapes) {
  return plan_einsum(Einsum(pattern).forward_shape(types_of(shapes)));
}

// The layouts that attention and linear layers use are read and written where they are, forward
// and backward.
BOOST_AUTO_TEST_CASE(common_layouts_need_no_copies) {
  struct Case {
    const char* pattern;
    Shape a, b;
  };
  const std::vector<Case> cases = {
      {"batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2",
       {{"b", 2}, {"s", 3}, {"h", 4}},
       {{"b", 2}, {"s", 5}, {"h", 4}}},
      {"batch head query size, batch head key size -> batch head query key",
       {{"b", 2}, {"h", 3}, {"q", 5}, {"d", 4}},
       {{"b", 2}, {"h", 3}, {"k", 6}, {"d", 4}}},
      {"batch query head size, batch key head size -> batch head query key",
       {{"b", 2}, {"q", 5}, {"h", 3}, {"d", 4}},
       {{"b", 2}, {"k", 6}, {"h", 3}, {"d", 4}}},
      {"batch head query key, batch key head size -> batch query head size",
       {{"b", 2}, {"h", 3}, {"q", 5}, {"k", 6}},
       {{"b", 2}, {"k", 6}, {"h", 3}, {"d", 4}}},
      {"batch seq hidden, hidden out -> batch seq out",
       {{"b", 2}, {"s", 3}, {"h", 4}},
       {{"h", 4}, {"o", 5}}},
      {"batch seq hidden, out hidden -> batch seq out",
       {{"b", 2}, {"s", 3}, {"h", 4}},
       {{"o", 5}, {"h", 4}}},
      {"m k, k n -> n m", {{"m", 2}, {"k", 3}}, {{"k", 3}, {"n", 4}}},
  };
  for (const Case& c : cases) {
    const Einsum op(c.pattern);
    const auto types = types_of({c.a, c.b});
    BOOST_CHECK_MESSAGE(op.forward_workspace(types) == Bytes(0), c.pattern);
    BOOST_CHECK_MESSAGE(op.backward_workspace(types, 0b11) == Bytes(0), c.pattern << " backward");
  }
}

// Batch and sequence merge into the rows of one product; heads are a batch of products, and what
// does not merge with them a loop.
BOOST_AUTO_TEST_CASE(dimensions_merge_into_few_products) {
  const EinsumPlan shared = plan_of("batch seq hidden, hidden out -> batch seq out",
                                    {{{"b", 2}, {"s", 3}, {"h", 4}}, {{"h", 4}, {"o", 5}}});
  BOOST_CHECK(shared.matmul.size == (MatmulSize{.m = 6, .n = 5, .k = 4}));
  BOOST_CHECK_EQUAL(shared.matmul.loop.count(), 1);
  const EinsumPlan heads =
      plan_of("b h q d, b h k d -> b h q k",
              {{{"b", 2}, {"h", 3}, {"q", 5}, {"d", 4}}, {{"b", 2}, {"h", 3}, {"k", 7}, {"d", 4}}});
  BOOST_CHECK(heads.matmul.size == (MatmulSize{.m = 5, .n = 7, .k = 4, .batch = 6}));
  BOOST_CHECK(heads.matmul.transpose_b);
  const EinsumPlan apart =
      plan_of("b q h d, b k h d -> b h q k",
              {{{"b", 2}, {"q", 5}, {"h", 3}, {"d", 4}}, {{"b", 2}, {"k", 7}, {"h", 3}, {"d", 4}}});
  BOOST_CHECK(apart.matmul.size == (MatmulSize{.m = 5, .n = 7, .k = 4, .batch = 3}));
  BOOST_CHECK_EQUAL(apart.matmul.loop.count(), 2);
  BOOST_CHECK(
      plan_of("m k, k n -> n m", {{{"m", 2}, {"k", 3}}, {{"k", 3}, {"n", 4}}}).matmul.swapped);
}

BOOST_AUTO_TEST_CASE(copies_only_what_the_layout_demands) {
  // Rows lie on both sides of the summed label in the first input, and nowhere else.
  const Einsum op("m1 k m2, k n -> m1 m2 n");
  const auto types = types_of({{{"m1", 2}, {"k", 3}, {"m2", 4}}, {{"k", 3}, {"n", 5}}});
  // 24 elements, rounded up to 64.
  BOOST_CHECK_EQUAL(op.forward_workspace(types).value(), 64 * 4);
  const EinsumPlan plan = plan_einsum(op.forward_shape(types));
  BOOST_CHECK(plan.prepared[0].needed);
  BOOST_CHECK(!plan.prepared[1].needed);
  BOOST_CHECK(!plan.through_scratch);
  BOOST_CHECK(plan.matmul.size == (MatmulSize{.m = 8, .n = 5, .k = 3}));
}

BOOST_AUTO_TEST_CASE(counts_flops) {
  const auto flops = [](const std::string& pattern, const std::vector<Shape>& shapes) {
    return Einsum(pattern).forward_work(types_of(shapes));
  };
  const Work scores = flops("b q d, b k d -> b q k",
                            {{{"b", 2}, {"q", 3}, {"d", 5}}, {{"b", 2}, {"k", 4}, {"d", 5}}});
  BOOST_CHECK_EQUAL(scores.matmul_flops.value(), 2.0 * 2 * 3 * 4 * 5);
  BOOST_CHECK_EQUAL(scores.other_flops.value(), 0);
  // One product per element.
  BOOST_CHECK_EQUAL(flops("i, j -> i j", {{{"i", 3}}, {{"j", 4}}}).flops().value(), 12);
  // 24 values become 12 by 12 additions, then 3 x 4 times 4 x 2.
  const Work summed =
      flops("m k s, k n -> m n", {{{"m", 3}, {"k", 4}, {"s", 2}}, {{"k", 4}, {"n", 2}}});
  BOOST_CHECK_EQUAL(summed.other_flops.value(), 12);
  BOOST_CHECK_EQUAL(summed.matmul_flops.value(), 2 * 3 * 4 * 2);
  BOOST_CHECK_EQUAL(flops("a b -> a", {{{"a", 3}, {"b", 5}}}).flops().value(), 15 - 3);
  BOOST_CHECK_EQUAL(flops("a b -> b a", {{{"a", 3}, {"b", 5}}}).flops().value(), 0);
  const auto backward =
      Einsum("m k, k n -> m n")
          .backward_work(types_of({{{"m", 2}, {"k", 3}}, {{"k", 3}, {"n", 4}}}), 3);
  BOOST_REQUIRE_EQUAL(backward.size(), 2U);
  BOOST_CHECK_EQUAL(backward[0].flops().value(), 2 * 2 * 3 * 4);
  BOOST_CHECK_EQUAL(backward[1].flops().value(), 2 * 2 * 3 * 4);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit) {
  const Einsum op("a b, b c -> a c");
  BOOST_CHECK_THROW((void)op.outputs(types_of({{{"a", 2}, {"b", 3}}})), ShapeError);
  BOOST_CHECK_THROW((void)op.outputs(types_of({{{"a", 2}, {"b", 3}}, {{"b", 4}, {"c", 5}}})),
                    ShapeError);
  std::vector<TensorType> mixed = types_of({{{"a", 2}, {"b", 3}}, {{"b", 3}, {"c", 5}}});
  mixed[1].dtype = DType::kF64;
  BOOST_CHECK_THROW((void)op.outputs(mixed), ShapeError);
  BOOST_CHECK_THROW(Einsum("a b, b c"), ShapeError);
  OpCase loss = einsum_case("k, k ->", {{{"k", 3}}, {{"k", 3}}}, 1);
  loss.upstream.clear();
  BOOST_CHECK_THROW((void)run_op(loss), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
