#pragma once

#include "core/describe/convert.h"
#include "core/describe/initializer.h"
#include "core/runtime/random/philox.h"

#include <cstdint>
#include <span>

namespace headroom::runtime {

/// Fills `values` with elements first, first + 1, ... of the tensor that `initializer` describes
/// and `stream` draws. A tensor filled in pieces or by any number of threads gets the same values,
/// and the narrower types get the rounded values of the wider ones.
/// Errors: Error when the initializer's cuts enclose nothing.
/// Threads: splits the work over OpenMP threads; may be called from several threads at once.
void initialize(const Initializer& initializer,
                const RandomStream& stream,
                std::span<float> values,
                std::uint64_t first = 0);
void initialize(const Initializer& initializer,
                const RandomStream& stream,
                std::span<double> values,
                std::uint64_t first = 0);
void initialize(const Initializer& initializer,
                const RandomStream& stream,
                std::span<bf16> values,
                std::uint64_t first = 0);
void initialize(const Initializer& initializer,
                const RandomStream& stream,
                std::span<f16> values,
                std::uint64_t first = 0);

}  // namespace headroom::runtime
