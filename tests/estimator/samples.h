#pragma once

#include "core/describe/work.h"
#include "estimator/hardware.h"

#include <string_view>

namespace headroom::estimator::test {

/// A device whose figures make arithmetic by hand easy: 100 TFLOP/s bf16 and 10 TFLOP/s f32, all of
/// which products reach, 1 TB/s, no launch cost, no ranges.
inline Hardware round_gpu() {
  const auto exact = [](auto value) {
    return exact_figure(value, Standing::kPublished, "made up for tests");
  };
  Hardware hardware;
  hardware.name = "round-gpu";
  hardware.display = "Round GPU";
  hardware.memory.nominal = exact(Bytes(10'000'000'000));
  hardware.memory.usable = exact(Bytes(10'000'000'000));
  hardware.memory.bandwidth = exact(BytesPerSecond(1e12));
  hardware.memory.bandwidth_fraction = exact(1.0);
  hardware.peak[DType::kBf16] = exact(FlopsPerSecond(100e12));
  hardware.peak[DType::kF32] = exact(FlopsPerSecond(10e12));
  hardware.matmul.default_fraction = exact(1.0);
  hardware.launch.gap = exact(Seconds(0));
  hardware.launch.interval = exact(Seconds(0));
  return hardware;
}

/// One call of a matrix product (m,k) x (k,n) in bf16.
inline WorkItem product(std::string_view op,
                        Phase phase,
                        std::int64_t m,
                        std::int64_t n,
                        std::int64_t k,
                        Bytes moved = Bytes(0)) {
  WorkItem item;
  item.op = op;
  item.phase = phase;
  item.work.matmul = {m, n, k, 1};
  item.work.matmul_flops = item.work.matmul.flops();
  item.work.compute = DType::kBf16;
  item.work.read = moved;
  return item;
}

/// One call of an elementwise op.
inline WorkItem elementwise(std::string_view op, Phase phase, double flops, Bytes moved) {
  WorkItem item;
  item.op = op;
  item.phase = phase;
  item.work.other_flops = Flops(flops);
  item.work.read = moved;
  return item;
}

}  // namespace headroom::estimator::test
