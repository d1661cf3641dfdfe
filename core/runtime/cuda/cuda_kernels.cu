#include "core/ops/kernels.h"
#include "core/optim/kernels.h"
#include "core/runtime/cuda/cuda_kernels.h"

namespace headroom::runtime {

KernelTable cuda_kernels() {
  KernelTable table;
  ops::cuda_kernels::register_activation(table);
  ops::cuda_kernels::register_cast(table);
  ops::cuda_kernels::register_attention(table);
  ops::cuda_kernels::register_cross_entropy(table);
  ops::cuda_kernels::register_dropout(table);
  ops::cuda_kernels::register_einsum(table);
  ops::cuda_kernels::register_elementwise(table);
  ops::cuda_kernels::register_head_cross_entropy(table);
  ops::cuda_kernels::register_embedding(table);
  ops::cuda_kernels::register_layer_norm(table);
  ops::cuda_kernels::register_linear(table);
  ops::cuda_kernels::register_mse(table);
  ops::cuda_kernels::register_reduce(table);
  ops::cuda_kernels::register_rms_norm(table);
  ops::cuda_kernels::register_swiglu(table);
  ops::cuda_kernels::register_rope(table);
  optim::cuda_kernels::register_adagrad(table);
  optim::cuda_kernels::register_adam(table);
  optim::cuda_kernels::register_adamw(table);
  optim::cuda_kernels::register_rmsprop(table);
  optim::cuda_kernels::register_sgd(table);
  optim::cuda_kernels::register_squared_norm(table);
  return table;
}

std::unique_ptr<CudaQueue> make_cuda_backend(cudaStream_t stream) {
  return std::make_unique<CudaBackend>(stream);
}

namespace {
/// Does nothing; all files are compiled for the same architectures, so it stands for the rest.
__global__ void probe() {}
}  // namespace

cudaError_t probe_kernel_image() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&probe));
}

}  // namespace headroom::runtime
