#include "trainer/measure/measure_device.h"

#include "trainer/measure/matmul_rate.h"

namespace headroom::trainer {
namespace {

struct Size {
  std::int64_t m, n, k;
};

/// Squares show how the rate grows with size; the flat ones are micro batches against weights, and
/// the gradients of such weights.
std::vector<Size> sizes(bool large) {
  std::vector<Size> list = {{64, 64, 64},      {128, 128, 128},    {256, 256, 256},
                            {512, 512, 512},   {1024, 1024, 1024}, {32, 1024, 1024},
                            {256, 1024, 1024}, {1024, 1024, 256},  {64, 64, 1024}};
  if (large) {
    for (const Size& size : {Size{2048, 2048, 2048}, Size{4096, 4096, 4096}, Size{8192, 8192, 8192},
                             Size{8192, 4096, 4096}, Size{4096, 16384, 4096}}) {
      list.push_back(size);
    }
  }
  return list;
}

}  // namespace

DeviceMeasurement measure_device(runtime::Device& device,
                                 const MeasureOptions& options,
                                 const std::function<void(const std::string&)>& progress) {
  DeviceMeasurement result;
  for (DType dtype : options.dtypes) {
    for (const Size& s : sizes(options.large)) {
      progress(std::string(name(dtype)) + " " + std::to_string(s.m) + " x " + std::to_string(s.n) +
               " x " + std::to_string(s.k));
      result.products.push_back(
          {.dtype = dtype,
           .m = s.m,
           .n = s.n,
           .k = s.k,
           .rate = time_matmul(device, dtype, s.m, s.n, s.k, options.per_size).rate});
    }
  }
  progress("memory bandwidth");
  result.bandwidth = time_copy(device, options.copy_size, options.per_size);
  return result;
}

}  // namespace headroom::trainer
