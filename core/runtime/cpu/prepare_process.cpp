#include "core/runtime/cpu/prepare_process.h"

#include <cblas.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace headroom::runtime {
namespace {

/// The OpenBLAS kernels for what this processor can do, if OpenBLAS chose ones without AVX2.
const char* better_core_type() {
#if defined(__x86_64__)
  const std::string_view chosen = openblas_get_corename();
  for (std::string_view good : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"}) {
    if (chosen == good) return nullptr;
  }
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (avx512) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

}  // namespace

void prepare_process(char** argv) {
  bool changed = false;
  const auto set = [&](const char* name, const char* value) {
    if (value == nullptr || std::getenv(name) != nullptr) return;
    changed = ::setenv(name, value, 1) == 0 || changed;
  };
  set("OMP_WAIT_POLICY", "passive");
  set("OPENBLAS_CORETYPE", better_core_type());
  if (changed) ::execv("/proc/self/exe", argv);
  // Only reached if nothing changed or the program could not be started again: carry on as we are.
}

}  // namespace headroom::runtime
