#pragma once

#include "core/describe/convert.h"
#include "core/describe/step.h"
#include "core/runtime/device.h"

#include <cstdint>
#include <string>

namespace headroom::runtime {

/// Numbers that change from step to step and reach kernels by value.
struct Scalars {
  double learning_rate = 0;
  std::int64_t step = 1;         ///< optimizer step, counted from 1 (bias correction)
  double grad_clip_norm = 0;     ///< 0: no clipping
  double loss_scale = 1;         ///< what f16 gradients are multiplied with
  std::uint64_t seed = 0;        ///< of everything a kernel draws at random
  std::int64_t micro_batch = 0;  ///< within the step, counted from 0; the executor sets it
  bool evaluating = false;       ///< nothing is dropped
};

/// Told by kernels, as they run, how many bytes they really take.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  virtual void on_write(std::size_t position, Bytes bytes) = 0;
  virtual void on_workspace(Bytes bytes) = 0;
};

/// Everything one call may touch: the operands its op declared and nothing else. Asking for an
/// undeclared operand, or for more bytes than declared, throws an Error naming op and operand.
class KernelContext {
 public:
  KernelContext(const Step& step,
                const OpCall& call,
                const Scalars& scalars,
                Queue& queue,
                MemoryObserver& observer)
      : step_(step), call_(call), scalars_(scalars), queue_(queue), observer_(observer) {}

  /// The op with its attributes; the type is what the kernel was registered for.
  template <class OpType>
  [[nodiscard]] const OpType& op() const {
    return static_cast<const OpType&>(*call_.op);
  }
  /// The backend's own queue class.
  template <class BackendType>
  [[nodiscard]] BackendType& backend() const {
    return static_cast<BackendType&>(queue_);
  }
  [[nodiscard]] const Scalars& scalars() const { return scalars_; }
  [[nodiscard]] Pass pass() const { return call_.pass; }

  /// Number of forward inputs, and their types, whether or not their values were saved.
  [[nodiscard]] std::size_t input_count() const { return call_.operands.size(); }
  [[nodiscard]] const TensorType& input_type(std::size_t i) const {
    return step_.tensor(call_.operands[i]).type;
  }
  [[nodiscard]] std::size_t output_count() const;
  [[nodiscard]] const TensorType& read_type(std::size_t position) const;
  [[nodiscard]] const TensorType& write_type(std::size_t position) const;
  [[nodiscard]] TensorId write_id(std::size_t position) const { return call_.writes[position]; }

  [[nodiscard]] bool has_read(std::size_t position) const;
  [[nodiscard]] bool has_write(std::size_t position) const;
  /// True when the write is to be added to what is there.
  [[nodiscard]] bool accumulates(std::size_t position) const { return call_.accumulates(position); }

  /// Positions as in OpCall.
  template <class T>
  [[nodiscard]] const T* read(std::size_t position) const {
    return static_cast<const T*>(read_pointer(position, dtype_of<T>));
  }
  /// Takes `elements` values of a declared write; the ledger records exactly that.
  template <class T>
  [[nodiscard]] T* write(std::size_t position, std::int64_t elements) const {
    return static_cast<T*>(write_pointer(position, dtype_of<T>, elements));
  }
  /// Takes scratch from the declared workspace.
  template <class T>
  [[nodiscard]] T* workspace(std::int64_t elements) const {
    return static_cast<T*>(
        workspace_pointer(Bytes(elements * static_cast<std::int64_t>(sizeof(T)))));
  }

  /// Position of output k among a backward call's reads, and of its gradient.
  [[nodiscard]] std::size_t saved_output(std::size_t k) const { return input_count() + k; }
  [[nodiscard]] std::size_t output_gradient(std::size_t k) const {
    return input_count() + output_count() + k;
  }

  /// Position of the gradient of input i among the writes of a call that makes gradients.
  [[nodiscard]] std::size_t input_gradient(std::size_t i) const {
    return call_.writes.size() - input_count() + i;
  }

  /// Filled by the executor: one pointer per read, write and the workspace.
  SmallList<const void*, 3 * kMaxOperands> read_pointers;
  SmallList<void*, 3 * kMaxOperands> write_pointers;
  void* workspace_memory = nullptr;

 private:
  [[nodiscard]] const void* read_pointer(std::size_t position, DType dtype) const;
  [[nodiscard]] void* write_pointer(std::size_t position, DType dtype, std::int64_t elements) const;
  [[nodiscard]] void* workspace_pointer(Bytes size) const;
  [[noreturn]] void fail(const std::string& what) const;

  const Step& step_;
  const OpCall& call_;
  const Scalars& scalars_;
  Queue& queue_;
  MemoryObserver& observer_;
};

/// Calls `body.operator()<T>()` with the C++ type of f64 or f32, for kernels that exist in these
/// two.
template <class Body>
void with_wide_type(DType dtype, Body&& body) {
  if (dtype == DType::kF64) {
    body.template operator()<double>();
  } else if (dtype == DType::kF32) {
    body.template operator()<float>();
  } else {
    throw Error("this kernel does not take " + std::string(name(dtype)));
  }
}

/// The same with the 16-bit types too, which are stored as such and computed with in f32.
template <class Body>
void with_float_type(DType dtype, Body&& body) {
  if (dtype == DType::kBf16) {
    body.template operator()<bf16>();
  } else if (dtype == DType::kF16) {
    body.template operator()<f16>();
  } else {
    with_wide_type(dtype, body);
  }
}

}  // namespace headroom::runtime
