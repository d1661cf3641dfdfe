#include "core/runtime/cpu/cpu_backend.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace headroom::runtime {

/// Pieces that threads take turns at; large enough that memcpy streams.
constexpr std::int64_t kPiece = 1 << 20;

void CpuBackend::copy(void* to, const void* from, Bytes size) {
  const std::int64_t pieces = (size.value() + kPiece - 1) / kPiece;
#pragma omp parallel for schedule(static) num_threads(threading_.threads) if (pieces > 1)
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t begin = piece * kPiece;
    const std::int64_t length = std::min(kPiece, size.value() - begin);
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                static_cast<std::size_t>(length));
  }
}

}  // namespace headroom::runtime
