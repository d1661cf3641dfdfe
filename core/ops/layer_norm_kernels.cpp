#include "core/ops/kernels.h"
#include "core/ops/layer_norm.h"
#include "core/ops/norm_rows.h"

namespace headroom::ops::HEADROOM_KERNELS {

void register_layer_norm(runtime::KernelTable& table) {
  table.add(LayerNorm::kName, Pass::kForward, NormKernels<true>::forward);
  table.add(LayerNorm::kName, Pass::kBackward, NormKernels<true>::backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
