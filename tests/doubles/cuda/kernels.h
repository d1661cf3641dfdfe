#pragma once

#include <vector_types.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headroom::cuda_double {

/// What nvcc embedded for one translation unit: for which architectures there is code.
struct FatBinary {
  struct Code {
    bool ptx = false;
    int architecture = 0;  ///< 80, 90, ...
  };
  std::vector<Code> codes;

  /// Binary code runs on its own major version from its minor version on, PTX on anything newer.
  [[nodiscard]] bool runs_on(int major, int minor) const;
};

struct Kernel {
  std::string name;
  const FatBinary* binary = nullptr;
  void (*run)(void** args, dim3 grid, dim3 block) = nullptr;  ///< null until bound
  std::size_t param_bytes = 0;
  std::size_t dynamic_shared_limit = std::size_t{48} << 10;
};

/// Kernels by the address of their host stub.
class Kernels {
 public:
  FatBinary* add_binary(const void* wrapper);
  void remove_binary(FatBinary* binary);
  void add(const void* stub, const char* mangled_name, const FatBinary* binary);
  void bind(const void* stub, void (*run)(void**, dim3, dim3), std::size_t param_bytes);
  [[nodiscard]] Kernel* find(const void* stub);

 private:
  std::vector<std::unique_ptr<FatBinary>> binaries_;
  std::map<const void*, Kernel> kernels_;
};

}  // namespace headroom::cuda_double
