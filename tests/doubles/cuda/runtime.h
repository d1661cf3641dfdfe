#pragma once

#include "tests/doubles/cuda/config.h"
#include "tests/doubles/cuda/cublaslt_descriptors.h"
#include "tests/doubles/cuda/cuda_double.h"
#include "tests/doubles/cuda/kernels.h"
#include "tests/doubles/cuda/memory.h"
#include "tests/doubles/cuda/scheduler.h"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace headroom::cuda_double {

/// The state behind the C functions. A process has one CUDA runtime, so it has one of these; it is
/// never destroyed because nvcc's code unregisters its kernels from an exit handler.
struct Runtime {
  Runtime();

  std::recursive_mutex mutex;
  Config config;
  std::unique_ptr<Memory> memory;
  std::unique_ptr<Scheduler> scheduler;
  Kernels kernels;
  cuda_double_counters_t counters{};
  std::deque<std::string> violations;  ///< a deque, because callers hold pointers into the texts
  LtObjects lt_objects;

  /// Drops everything but the kernels.
  void reset();
};

Runtime& runtime();

/// Notes a broken rule.
void violate(std::string what);

/// One line for each thing still alive.
std::vector<std::string> leaks();

}  // namespace headroom::cuda_double
