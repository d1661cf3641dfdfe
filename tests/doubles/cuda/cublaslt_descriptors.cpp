// Creation, destruction and attributes of cuBLASLt's descriptors.
#include "tests/doubles/cuda/cublaslt_descriptors.h"

#include "tests/doubles/cuda/runtime.h"

#include <cstddef>
#include <cstring>
#include <mutex>

namespace headroom::cuda_double {

bool LtObjects::destroy(void* pointer) {
  const auto position = alive_.find(pointer);
  if (position == alive_.end()) return false;
  constexpr std::uint32_t kDead = 0;
  std::memcpy(pointer, &kDead, sizeof(kDead));
  dead_.push_back(std::move(position->second));
  alive_.erase(position);
  return true;
}

cublasStatus_t lt_fail(const char* function, cublasStatus_t status, const std::string& why) {
  violate(std::string(function) + ": " + why);
  return status;
}

namespace {

template <class Data, class Opaque>
const Data* checked(const Opaque* opaque) {
  const auto* data = reinterpret_cast<const Data*>(opaque);
  return data != nullptr && data->magic == Data::kMagic ? data : nullptr;
}

/// Where an attribute lives and how large its value is.
struct Field {
  int attribute;
  std::size_t offset;
  std::size_t bytes;
};

#define HEADROOM_FIELD(attribute, Data, member) \
  { attribute, offsetof(Data, member), sizeof(Data::member) }

constexpr Field kLayoutFields[] = {
    HEADROOM_FIELD(CUBLASLT_MATRIX_LAYOUT_TYPE, LayoutData, type),
    HEADROOM_FIELD(CUBLASLT_MATRIX_LAYOUT_ORDER, LayoutData, order),
    HEADROOM_FIELD(CUBLASLT_MATRIX_LAYOUT_ROWS, LayoutData, rows),
    HEADROOM_FIELD(CUBLASLT_MATRIX_LAYOUT_COLS, LayoutData, cols),
    HEADROOM_FIELD(CUBLASLT_MATRIX_LAYOUT_LD, LayoutData, ld),
    HEADROOM_FIELD(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, LayoutData, batch),
    HEADROOM_FIELD(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, LayoutData, stride),
    HEADROOM_FIELD(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, LayoutData, plane_offset),
    HEADROOM_FIELD(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, LayoutData, batch_mode),
};

constexpr Field kMatmulFields[] = {
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, MatmulData, compute),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_SCALE_TYPE, MatmulData, scale),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_POINTER_MODE, MatmulData, pointer_mode),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_TRANSA, MatmulData, trans_a),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_TRANSB, MatmulData, trans_b),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_TRANSC, MatmulData, trans_c),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_FILL_MODE, MatmulData, fill),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE, MatmulData, epilogue),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_BIAS_POINTER, MatmulData, bias),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, MatmulData, bias_stride),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, MatmulData, bias_type),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, MatmulData, aux),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, MatmulData, aux_ld),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, MatmulData, aux_stride),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, MatmulData, aux_type),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, MatmulData, sm_count_target),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, MatmulData, a_scale),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, MatmulData, b_scale),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, MatmulData, c_scale),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, MatmulData, d_scale),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, MatmulData, amax_d),
    HEADROOM_FIELD(CUBLASLT_MATMUL_DESC_FAST_ACCUM, MatmulData, fast_accumulation),
};

constexpr Field kPreferenceFields[] = {
    HEADROOM_FIELD(CUBLASLT_MATMUL_PREF_SEARCH_MODE, PreferenceData, search_mode),
    HEADROOM_FIELD(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, PreferenceData, max_workspace),
    HEADROOM_FIELD(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, PreferenceData, reduction_mask),
    HEADROOM_FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, PreferenceData, alignment[0]),
    HEADROOM_FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, PreferenceData, alignment[1]),
    HEADROOM_FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, PreferenceData, alignment[2]),
    HEADROOM_FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, PreferenceData, alignment[3]),
};

#undef HEADROOM_FIELD

template <std::size_t N>
const Field* find_field(const Field (&fields)[N], int attribute) {
  for (const Field& field : fields) {
    if (field.attribute == attribute) return &field;
  }
  return nullptr;
}

template <class Data, class Opaque, std::size_t N>
cublasStatus_t set_attribute(const char* function,
                             const Field (&fields)[N],
                             Opaque* opaque,
                             int attribute,
                             const void* value,
                             std::size_t bytes) {
  const std::lock_guard lock(runtime().mutex);
  const Field* field = find_field(fields, attribute);
  if (checked<Data>(opaque) == nullptr) {
    return lt_fail(function, CUBLAS_STATUS_INVALID_VALUE, "null or destroyed descriptor");
  }
  if (field == nullptr) {
    return lt_fail(function, CUBLAS_STATUS_NOT_SUPPORTED,
                   "attribute " + std::to_string(attribute) + " is not modelled");
  }
  if (value == nullptr || bytes != field->bytes) {
    return lt_fail(function, CUBLAS_STATUS_INVALID_VALUE,
                   "attribute " + std::to_string(attribute) + " takes " +
                       std::to_string(field->bytes) + " bytes, not " + std::to_string(bytes));
  }
  std::memcpy(reinterpret_cast<char*>(opaque) + field->offset, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

template <class Data, class Opaque, std::size_t N>
cublasStatus_t get_attribute(const char* function,
                             const Field (&fields)[N],
                             Opaque* opaque,
                             int attribute,
                             void* value,
                             std::size_t bytes,
                             std::size_t* written) {
  const std::lock_guard lock(runtime().mutex);
  const Field* field = find_field(fields, attribute);
  if (checked<Data>(opaque) == nullptr || field == nullptr) {
    return lt_fail(function, CUBLAS_STATUS_INVALID_VALUE,
                   "null or destroyed descriptor, or an attribute that is not modelled");
  }
  if (bytes == 0 && written != nullptr) {
    *written = field->bytes;
    return CUBLAS_STATUS_SUCCESS;
  }
  if (value == nullptr || bytes != field->bytes) {
    return lt_fail(function, CUBLAS_STATUS_INVALID_VALUE, "wrong size of the value");
  }
  std::memcpy(value, reinterpret_cast<const char*>(opaque) + field->offset, bytes);
  if (written != nullptr) *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

LayoutData make_layout(cudaDataType type, std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  LayoutData data;
  data.type = static_cast<std::uint32_t>(type);
  data.rows = rows;
  data.cols = cols;
  data.ld = ld;
  return data;
}

MatmulData make_matmul(cublasComputeType_t compute, cudaDataType scale) {
  MatmulData data;
  data.compute = compute;
  data.scale = scale;
  return data;
}

template <class Opaque, class Data>
cublasStatus_t create(const char* function, Opaque** out, const Data& data) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  if (out == nullptr) {
    return lt_fail(function, CUBLAS_STATUS_INVALID_VALUE, "null result pointer");
  }
  *out = rt.lt_objects.create<Opaque>(data);
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque, class Data>
cublasStatus_t init(const char* function, Opaque* opaque, std::size_t bytes, const Data& data) {
  const std::lock_guard lock(runtime().mutex);
  if (opaque == nullptr || bytes < sizeof(Opaque)) {
    return lt_fail(function, CUBLAS_STATUS_ALLOC_FAILED, "null or too small a space");
  }
  *opaque = {};
  std::memcpy(opaque, &data, sizeof(data));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy(const char* function, void* pointer) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  if (rt.lt_objects.destroy(pointer)) return CUBLAS_STATUS_SUCCESS;
  return lt_fail(function, CUBLAS_STATUS_INVALID_VALUE, "null, destroyed, or not made by …Create");
}

}  // namespace

const LayoutData* data_of(cublasLtMatrixLayout_t layout) { return checked<LayoutData>(layout); }
const MatmulData* data_of(cublasLtMatmulDesc_t descriptor) {
  return checked<MatmulData>(descriptor);
}
const PreferenceData* data_of(cublasLtMatmulPreference_t preference) {
  return checked<PreferenceData>(preference);
}

}  // namespace headroom::cuda_double

using namespace headroom::cuda_double;  // NOLINT: the C functions below are the file's purpose

extern "C" {

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout,
                                                 size_t bytes,
                                                 cudaDataType type,
                                                 uint64_t rows,
                                                 uint64_t cols,
                                                 int64_t ld) {
  return init("cublasLtMatrixLayoutInit", layout, bytes, make_layout(type, rows, cols, ld));
}

cublasStatus_t cublasLtMatrixLayoutCreate(
    cublasLtMatrixLayout_t* out, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld) {
  return create("cublasLtMatrixLayoutCreate", out, make_layout(type, rows, cols, ld));
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy("cublasLtMatrixLayoutDestroy", layout);
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value,
                                                size_t bytes) {
  return set_attribute<LayoutData>("cublasLtMatrixLayoutSetAttribute", kLayoutFields, layout,
                                   attribute, value, bytes);
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                void* value,
                                                size_t bytes,
                                                size_t* written) {
  return get_attribute<LayoutData>("cublasLtMatrixLayoutGetAttribute", kLayoutFields, layout,
                                   attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t descriptor,
                                               size_t bytes,
                                               cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  return init("cublasLtMatmulDescInit", descriptor, bytes, make_matmul(compute, scale));
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* out,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  return create("cublasLtMatmulDescCreate", out, make_matmul(compute, scale));
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
  return destroy("cublasLtMatmulDescDestroy", descriptor);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value,
                                              size_t bytes) {
  return set_attribute<MatmulData>("cublasLtMatmulDescSetAttribute", kMatmulFields, descriptor,
                                   attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              void* value,
                                              size_t bytes,
                                              size_t* written) {
  return get_attribute<MatmulData>("cublasLtMatmulDescGetAttribute", kMatmulFields, descriptor,
                                   attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                     size_t bytes) {
  return init("cublasLtMatmulPreferenceInit", preference, bytes, PreferenceData{});
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* out) {
  return create("cublasLtMatmulPreferenceCreate", out, PreferenceData{});
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy("cublasLtMatmulPreferenceDestroy", preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value,
                                                    size_t bytes) {
  return set_attribute<PreferenceData>("cublasLtMatmulPreferenceSetAttribute", kPreferenceFields,
                                       preference, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    void* value,
                                                    size_t bytes,
                                                    size_t* written) {
  return get_attribute<PreferenceData>("cublasLtMatmulPreferenceGetAttribute", kPreferenceFields,
                                       preference, attribute, value, bytes, written);
}

}  // extern "C"
