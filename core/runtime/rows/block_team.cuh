#pragma once

#include "core/runtime/rows/lane_team.h"

namespace headroom::runtime::rows {

/// The team of one GPU block of `Lanes` threads. See core/runtime/rows/team.h for what each call
/// does. Device code only.
template <int Lanes>
class BlockTeam : public LaneTeam<BlockTeam<Lanes>, Lanes> {
  static_assert(Lanes >= 32 && Lanes <= 1024 && (Lanes & (Lanes - 1)) == 0,
                "a block is a power of two of whole warps");

 public:
  __device__ __forceinline__ int lane() const { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ void enter(Collective /*call*/) { __syncthreads(); }
  __device__ __forceinline__ void sync() { __syncthreads(); }

  template <class Op, class V>
  __device__ __forceinline__ V reduce(V value) {
    __shared__ V warp_values[kWarps];
    value = butterfly<Op>(value, 32);
    if constexpr (kWarps > 1) {
      if (lane() % 32 == 0) warp_values[lane() / 32] = value;
    }
    __syncthreads();
    if constexpr (kWarps > 1) value = butterfly<Op>(warp_values[lane() % kWarps], kWarps);
    return value;
  }

  template <class V, int Count>
  __device__ __forceinline__ V* scratch() {
    __shared__ V memory[Count];
    return memory;
  }

 private:
  static constexpr int kWarps = Lanes / 32;

  /// Op over groups of `width` neighbouring lanes. Op commutes, so all of them get the same bits.
  template <class Op, class V>
  __device__ __forceinline__ static V butterfly(V value, int width) {
#pragma unroll
    for (int distance = width / 2; distance > 0; distance /= 2) {
      Op op{value};
      op(exchange(value, distance));
      value = op.total;
    }
    return value;
  }
  template <class V>
  __device__ __forceinline__ static V exchange(const V& value, int distance) {
    if constexpr (kIsPair<V>) {
      return {exchange(value.first, distance), exchange(value.second, distance)};
    } else {
      return __shfl_xor_sync(0xffffffffu, value, distance);
    }
  }
};

}  // namespace headroom::runtime::rows
