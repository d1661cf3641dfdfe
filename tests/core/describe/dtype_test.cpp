#include "core/describe/dtype.h"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>

namespace headroom {
namespace {

BOOST_AUTO_TEST_SUITE(dtype)

struct Expected {
  DType dtype;
  std::string_view name;
  int bytes, exponent_bits, mantissa_bits;
  double largest, smallest_normal, smallest_subnormal, epsilon;
};

template <class T>
Expected of_compiler(DType dtype, std::string_view name, int exponent_bits, int mantissa_bits) {
  using Limits = std::numeric_limits<T>;
  return {dtype,
          name,
          sizeof(T),
          exponent_bits,
          mantissa_bits,
          static_cast<double>(Limits::max()),
          Limits::min(),
          Limits::denorm_min(),
          Limits::epsilon()};
}

BOOST_AUTO_TEST_CASE(facts_match_the_compiler_and_published_tables) {
  // f32 and f64: this compiler. bf16, f16: torch.finfo. tf32: NVIDIA A100 white paper (8 exponent
  // and 10 mantissa bits). f8: table 1 of the OCP 8-bit floating point specification 1.0.
  const Expected expected[] = {
      of_compiler<float>(DType::kF32, "f32", 8, 23),
      {DType::kTf32, "tf32", 4, 8, 10, 3.4011621342146535e38, 1.1754943508222875e-38,
       1.1479437019748901e-41, 0.0009765625},
      {DType::kBf16, "bf16", 2, 8, 7, 3.3895313892515355e38, 1.1754943508222875e-38,
       9.183549615799121e-41, 0.0078125},
      {DType::kF16, "f16", 2, 5, 10, 65504, 6.103515625e-05, 5.960464477539063e-08, 0.0009765625},
      {DType::kF8e4m3, "f8e4m3", 1, 4, 3, 448, 0.015625, 0.001953125, 0.125},
      {DType::kF8e5m2, "f8e5m2", 1, 5, 2, 57344, 6.103515625e-05, 1.52587890625e-05, 0.25},
      of_compiler<double>(DType::kF64, "f64", 11, 52),
      {DType::kI32, "i32", 4, 0, 0, 2147483647, 0, 0, 0},
      {DType::kU16, "u16", 2, 0, 0, 65535, 0, 0, 0},
      {DType::kU8, "u8", 1, 0, 0, 255, 0, 0, 0},
  };
  BOOST_TEST(all_dtypes().size() == std::size(expected));
  for (const Expected& e : expected) {
    const DTypeInfo& got = info(e.dtype);
    BOOST_TEST_CONTEXT(e.name) {
      BOOST_TEST(got.name == e.name);
      BOOST_TEST(name(e.dtype) == e.name);
      BOOST_TEST(got.bytes == e.bytes);
      BOOST_TEST(size_of(e.dtype) == e.bytes);
      BOOST_TEST(got.exponent_bits == e.exponent_bits);
      BOOST_TEST(got.mantissa_bits == e.mantissa_bits);
      BOOST_TEST(got.largest == e.largest);
      BOOST_TEST(got.smallest_normal == e.smallest_normal);
      BOOST_TEST(got.smallest_subnormal == e.smallest_subnormal);
      BOOST_TEST(got.epsilon == e.epsilon);
      BOOST_TEST(!got.note.empty());
      BOOST_TEST(is_float(e.dtype) == (e.exponent_bits > 0));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_name_leads_back_to_its_dtype) {
  for (const DTypeInfo& d : all_dtypes()) {
    BOOST_TEST((dtype_from_name(d.name) == d.dtype), d.name);
  }
}

BOOST_AUTO_TEST_CASE(names_that_people_type_are_understood) {
  const std::pair<const char*, DType> cases[] = {
      {"float32", DType::kF32},
      {"torch.float32", DType::kF32},
      {"Float", DType::kF32},
      {"FP32", DType::kF32},
      {"tensor-float32", DType::kTf32},
      {"bfloat16", DType::kBf16},
      {"torch.bfloat16", DType::kBf16},
      {"BF16", DType::kBf16},
      {"half", DType::kF16},
      {"fp16", DType::kF16},
      {"float16", DType::kF16},
      {"fp8_e4m3", DType::kF8e4m3},
      {"fp8-e4m3", DType::kF8e4m3},
      {"torch.float8_e4m3fn", DType::kF8e4m3},
      {"F8_E4M3", DType::kF8e4m3},
      {"F8_E5M2", DType::kF8e5m2},
      {"float8_e5m2", DType::kF8e5m2},
      {"double", DType::kF64},
      {"float64", DType::kF64},
      {"int32", DType::kI32},
      {"uint16", DType::kU16},
      {"byte", DType::kU8},
  };
  for (const auto& [text, dtype] : cases) {
    BOOST_TEST((dtype_from_name(text) == dtype), text);
  }
}

BOOST_AUTO_TEST_CASE(unknown_names_are_refused) {
  // e4m3fnuz has another bias and no negative zero: it must not pass for e4m3fn.
  for (const char* text : {"", "f31", "int64", "float8_e4m3fnuz", "torch.", " f32"}) {
    BOOST_TEST(!dtype_from_name(text).has_value(), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
