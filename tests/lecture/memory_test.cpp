#include "core/describe/tensor.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

// "x = torch.zeros(4, 8) ... x.numel() == 32 ... element_size() == 4 ... == 4*8*4 == 128"
BOOST_AUTO_TEST_CASE(a_4_by_8_float_tensor_takes_128_bytes) {
  const TensorType x{Shape{{"rows", 4}, {"columns", 8}}, DType::kF32};
  BOOST_TEST(x.shape.rank() == 2U);
  BOOST_TEST(x.shape.numel() == 32);
  BOOST_TEST(size_of(x.dtype) == 4);
  BOOST_TEST(x.bytes().value() == 128);
}

// "Memory is determined by 1) the # of values in a tensor, 2) the data type of each value"
BOOST_AUTO_TEST_CASE(memory_is_number_of_values_times_size_of_a_value) {
  for (const DTypeInfo& dtype : all_dtypes()) {
    const TensorType x{Shape{{"n", 1000}}, dtype.dtype};
    BOOST_TEST(x.bytes().value() == 1000 * dtype.bytes);
  }
}

// "fp32 is the default"
BOOST_AUTO_TEST_CASE(float32_is_the_default) { BOOST_TEST((TensorType{}.dtype == DType::kF32)); }

}  // namespace
}  // namespace headroom
