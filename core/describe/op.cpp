#include "core/describe/op.h"

namespace headroom {

std::string_view name(Pass pass) {
  switch (pass) {
    case Pass::kForward:
      return "forward";
    case Pass::kBackward:
      return "backward";
    case Pass::kForwardBackward:
      return "forward+backward";
    case Pass::kUpdate:
      return "update";
  }
  return "";
}

std::string shape_message(std::string_view op,
                          std::string_view what,
                          const std::string& got,
                          const std::string& expected) {
  std::string text = "[";
  text.append(op).append("] ").append(what).append(": got ").append(got);
  return text.append(", expected ").append(expected);
}

}  // namespace headroom
