#pragma once

namespace headroom::runtime {

/// Makes idle OpenMP threads sleep instead of spin. libgomp reads its environment before main, so
/// the program is started once more with OMP_WAIT_POLICY=passive; nothing happens if the variable
/// is already set. Spinning threads take the core that the others need as soon as a machine is
/// shared, and were slower even on an idle one.
void use_passive_waiting(char** argv);

}  // namespace headroom::runtime
