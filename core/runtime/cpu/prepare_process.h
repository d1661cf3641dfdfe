#pragma once

namespace headroom::runtime {

/// Sets what OpenMP and OpenBLAS read from the environment before main, and starts the program once
/// more if anything was missing. Variables that the user set are left alone.
/// - OMP_WAIT_POLICY=passive: idle threads sleep instead of spinning. Spinning threads take the
/// core
///   that the others need as soon as a machine is shared, and were slower even on an idle one.
/// - OPENBLAS_CORETYPE: releases of OpenBLAS older than the processor take it for one of 2004 and
///   multiply six times slower than it can (0.3.21 on 5th generation Xeons).
void prepare_process(char** argv);

}  // namespace headroom::runtime
