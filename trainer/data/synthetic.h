#pragma once

#include "trainer/data/dataset.h"

#include <cstdint>
#include <memory>

namespace headroom::trainer {

/// Seeded random data that suits a model, held in memory: for measuring speed and memory, and with
/// something planted that a model can learn, so that a falling loss shows the engine works.
///
/// Values: y = (x . w) / sqrt(features) + noise of deviation 0.1, x and w standard normal.
/// Classes: x = a standard normal centre of the class + standard normal noise.
/// Tokens: drawn low numbers first, every second one a function of the one before it.
/// Size: up to 4096 rows within 64 MiB; 2^20 tokens, or four sequences where that is more.
[[nodiscard]] std::unique_ptr<Dataset> make_synthetic_dataset(const BatchSpec& spec,
                                                              Normalize normalize,
                                                              std::uint64_t seed);

}  // namespace headroom::trainer
