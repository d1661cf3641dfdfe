#include "core/describe/tensor.h"

namespace headroom {

std::string to_string(const TensorName& name) {
  std::string text(name.stem);
  if (name.index >= 0) text += (text.empty() ? "" : ".") + std::to_string(name.index);
  for (std::string_view part : {name.leaf, name.suffix}) {
    if (!part.empty()) text += (text.empty() ? "" : ".") + std::string(part);
  }
  return text;
}

}  // namespace headroom
