#include "core/ops/kernels.h"
#include "core/ops/norm_rows.h"
#include "core/ops/rms_norm.h"

namespace headroom::ops::HEADROOM_KERNELS {

void register_rms_norm(runtime::KernelTable& table) {
  table.add(RmsNorm::kName, Pass::kForward, NormKernels<false>::forward);
  table.add(RmsNorm::kName, Pass::kBackward, NormKernels<false>::backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
