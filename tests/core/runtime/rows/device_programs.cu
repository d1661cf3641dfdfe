#include "core/describe/convert.h"
#include "core/runtime/rows/column_sum.h"
#include "core/runtime/rows/device_rows.cuh"
#include "tests/core/runtime/rows/device_programs.h"
#include "tests/core/runtime/rows/programs.h"

namespace headroom::runtime::rows::testing {

template <int Lanes, class Program>
void launch(cudaStream_t stream, const Program& program, std::int64_t rows) {
  launch_rows<Lanes>(stream, program, rows);
}

template <int Lanes, class Program>
void launch_on_two_blocks(cudaStream_t stream, const Program& program, std::int64_t rows) {
  launch_rows<Lanes>(stream, program, rows, 2);
}

template void launch<256>(cudaStream_t, const LayerNorm<float>&, std::int64_t);
template void launch<256>(cudaStream_t, const LayerNorm<double>&, std::int64_t);
template void launch<256>(cudaStream_t, const LayerNorm<bf16>&, std::int64_t);
template void launch<256>(cudaStream_t, const LayerNorm<f16>&, std::int64_t);
template void launch<256>(cudaStream_t, const Softmax<float>&, std::int64_t);
template void launch<32>(cudaStream_t, const Softmax<float>&, std::int64_t);
template void launch_on_two_blocks<256>(cudaStream_t, const Softmax<float>&, std::int64_t);
template void launch<256>(cudaStream_t, const Gelu<float>&, std::int64_t);
template void launch<256>(cudaStream_t, const Gelu<bf16>&, std::int64_t);
template void launch<256>(cudaStream_t, const Gelu<f8e4m3>&, std::int64_t);
template void launch<256>(cudaStream_t, const AdamW<float>&, std::int64_t);
template void launch<256>(cudaStream_t, const CrossEntropy&, std::int64_t);
template void launch<256>(cudaStream_t, const NormGradients&, std::int64_t);
template void launch<256>(cudaStream_t, const IndexLoops&, std::int64_t);
template void launch<256>(cudaStream_t, const ColumnPartials<bf16>&, std::int64_t);
template void launch<256>(cudaStream_t, const ColumnTotals<float, float>&, std::int64_t);
template void launch<256>(cudaStream_t, const VectorSum<float, float>&, std::int64_t);

}  // namespace headroom::runtime::rows::testing
