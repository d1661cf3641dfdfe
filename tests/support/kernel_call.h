#pragma once

#include "core/runtime/kernel_context.h"
#include "tests/support/op_check.h"

#include <cstddef>
#include <vector>

namespace headroom::test {

/// One call of an op in a step, with memory of its own: for looking at single kernels, at values
/// that would end a step, and at what a kernel may touch. Inputs hold the case's values.
class KernelCall final : private runtime::MemoryObserver {
 public:
  /// Operands as activations have gradients of their own dtype.
  KernelCall(const OpCase& test, Pass pass, DType dtype = DType::kF64, bool as_activations = false);

  [[nodiscard]] const OpCall& call() const { return call_; }
  /// Sets a read, by its position in the call.
  void set_read(std::size_t position, const std::vector<double>& values);
  /// The step's numbers for the runs to come; otherwise those of a first step.
  void set_scalars(const runtime::Scalars& scalars) { scalars_ = scalars; }
  /// Takes a read away, as if it had not been declared; likewise the workspace.
  void hide_read(std::size_t position);
  void hide_workspace();
  /// Runs the CPU's kernel, or another function in its place.
  void run();
  void run(runtime::KernelFunction kernel);
  [[nodiscard]] std::vector<double> written(std::size_t position) const;

 private:
  void on_write(std::size_t, Bytes) override {}
  void on_workspace(Bytes) override {}

  Step step_;
  OpCall call_;
  runtime::Scalars scalars_;
  std::unique_ptr<runtime::Device> device_;
  std::vector<std::vector<std::byte>> reads_, writes_;
  std::vector<std::byte> workspace_;
};

}  // namespace headroom::test
