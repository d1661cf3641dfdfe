#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headroom::cuda_double {

/// What the opaque structs of cuBLASLt hold here. `magic` tells the kinds, and live from dead,
/// apart.
struct LayoutData {
  static constexpr std::uint32_t kMagic = 0x4C545F4C;
  std::uint32_t magic = kMagic;
  std::uint32_t type = CUDA_R_32F;
  std::int32_t order = CUBLASLT_ORDER_COL;
  std::int32_t batch = 1;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::int64_t ld = 0;
  std::int64_t stride = 0;
  std::int64_t plane_offset = 0;
  std::uint32_t batch_mode = CUBLASLT_BATCH_MODE_STRIDED;
};
static_assert(sizeof(LayoutData) <= sizeof(cublasLtMatrixLayoutOpaque_t));

struct MatmulData {
  static constexpr std::uint32_t kMagic = 0x4C545F4D;
  std::uint32_t magic = kMagic;
  std::int32_t compute = CUBLAS_COMPUTE_32F;
  std::int32_t scale = CUDA_R_32F;
  std::int32_t pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  std::int32_t trans_a = CUBLAS_OP_N;
  std::int32_t trans_b = CUBLAS_OP_N;
  std::int32_t trans_c = CUBLAS_OP_N;
  std::int32_t fill = CUBLAS_FILL_MODE_FULL;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  std::int32_t aux_type = -1;
  std::int32_t bias_type = -1;
  std::int32_t sm_count_target = 0;
  std::int8_t fast_accumulation = 0;
  void* bias = nullptr;
  std::int64_t bias_stride = 0;
  void* aux = nullptr;
  std::int64_t aux_ld = 0;
  std::int64_t aux_stride = 0;
  const void* a_scale = nullptr;
  const void* b_scale = nullptr;
  const void* c_scale = nullptr;
  const void* d_scale = nullptr;
  void* amax_d = nullptr;
};
static_assert(sizeof(MatmulData) <= sizeof(cublasLtMatmulDescOpaque_t));

struct PreferenceData {
  static constexpr std::uint32_t kMagic = 0x4C545F50;
  std::uint32_t magic = kMagic;
  std::uint32_t search_mode = CUBLASLT_SEARCH_BEST_FIT;
  std::uint64_t max_workspace = 0;
  std::uint32_t reduction_mask = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint32_t alignment[4] = {256, 256, 256, 256};  ///< of A, B, C and D
};
static_assert(sizeof(PreferenceData) <= sizeof(cublasLtMatmulPreferenceOpaque_t));

/// Handles and descriptors made by the …Create functions. Destroyed ones keep their storage, marked
/// dead, until the reset, so that using one is recognised and not undefined.
class LtObjects {
 public:
  template <class Opaque, class Data>
  Opaque* create(const Data& data) {
    auto owned = std::make_shared<Opaque>();
    *reinterpret_cast<Data*>(owned.get()) = data;
    Opaque* const pointer = owned.get();
    alive_[pointer] = std::move(owned);
    return pointer;
  }
  /// False when there is no such object.
  bool destroy(void* pointer);
  [[nodiscard]] bool is_alive(const void* pointer) const { return alive_.contains(pointer); }
  [[nodiscard]] std::size_t count() const { return alive_.size(); }

 private:
  std::map<const void*, std::shared_ptr<void>> alive_;
  std::vector<std::shared_ptr<void>> dead_;
};

/// The data behind a descriptor, or null when it is null, dead or of another kind.
const LayoutData* data_of(cublasLtMatrixLayout_t layout);
const MatmulData* data_of(cublasLtMatmulDesc_t descriptor);
const PreferenceData* data_of(cublasLtMatmulPreference_t preference);

/// Notes a broken rule and passes the status on.
cublasStatus_t lt_fail(const char* function, cublasStatus_t status, const std::string& why);

}  // namespace headroom::cuda_double
