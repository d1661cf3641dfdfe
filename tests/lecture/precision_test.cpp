#include "core/describe/dtype.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

// "bfloat16 uses the same memory as float16 but has the same dynamic range as float32"
BOOST_AUTO_TEST_CASE(bfloat16_has_the_memory_of_float16_and_the_range_of_float32) {
  BOOST_TEST(size_of(DType::kBf16) == size_of(DType::kF16));
  BOOST_TEST(size_of(DType::kBf16) == 2);
  BOOST_TEST(info(DType::kBf16).exponent_bits == info(DType::kF32).exponent_bits);
  BOOST_TEST(info(DType::kBf16).smallest_normal == info(DType::kF32).smallest_normal);
  // The largest values differ only by the missing fraction bits: less than 1%.
  BOOST_TEST(info(DType::kBf16).largest > 0.99 * info(DType::kF32).largest);
}

// "Resolution (part determined by fraction is worse)"
BOOST_AUTO_TEST_CASE(bfloat16_has_a_worse_resolution) {
  BOOST_TEST(info(DType::kBf16).epsilon == 0x1p-7);
  BOOST_TEST(info(DType::kF16).epsilon == 0x1p-10);
  BOOST_TEST(info(DType::kF32).epsilon == 0x1p-23);
}

// "fp16, bf16, fp8": the sizes that mixed precision trades with.
BOOST_AUTO_TEST_CASE(fp8_takes_one_byte) {
  BOOST_TEST(size_of(DType::kF8e4m3) == 1);
  BOOST_TEST(size_of(DType::kF8e5m2) == 1);
  BOOST_TEST(info(DType::kF16).largest == 65504.0);
}

}  // namespace
}  // namespace headroom
