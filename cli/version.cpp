#include "cli/version.h"

namespace headroom::cli {

std::string program_name() { return "headroom " HEADROOM_VERSION; }

std::string version_text() {
  std::string text = program_name();
  text += HEADROOM_HAS_ENGINE ? "\nengine: CPU" : "\nengine: none (plans only)";
  if (HEADROOM_HAS_CUDA) text += ", CUDA backend for sm_" HEADROOM_CUDA_ARCHS;
  return text + "\nlicence: Apache-2.0";
}

}  // namespace headroom::cli
