#pragma once

#include "core/describe/op.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace headroom::runtime {

class KernelContext;
using KernelFunction = void (*)(KernelContext&);

/// The kernels of one device: (operation name, pass) -> function.
class KernelTable {
 public:
  void add(std::string_view operation, Pass pass, KernelFunction function);
  /// Errors: Error naming the operation, the pass and the device if there is none.
  [[nodiscard]] KernelFunction find(std::string_view operation,
                                    Pass pass,
                                    std::string_view device) const;

 private:
  std::map<std::pair<std::string, Pass>, KernelFunction> functions_;
};

}  // namespace headroom::runtime
