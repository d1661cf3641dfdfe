#include "core/runtime/openmp_policy.h"

#include <unistd.h>

#include <cstdlib>

namespace headroom::runtime {

void use_passive_waiting(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  ::execv("/proc/self/exe", argv);
  // Only reached if the program could not be started again: carry on with the default policy.
}

}  // namespace headroom::runtime
