#include "core/runtime/kernel_table.h"

#include "core/describe/error.h"

namespace headroom::runtime {

void KernelTable::add(std::string_view operation, Pass pass, KernelFunction function) {
  functions_[{std::string(operation), pass}] = function;
}

KernelFunction KernelTable::find(std::string_view operation,
                                 Pass pass,
                                 std::string_view device) const {
  const auto found = functions_.find({std::string(operation), pass});
  if (found == functions_.end()) {
    throw Error("the " + std::string(device) + " backend has no " +
                std::string(headroom::name(pass)) + " kernel for " + std::string(operation));
  }
  return found->second;
}

}  // namespace headroom::runtime
