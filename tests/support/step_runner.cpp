#include "tests/support/step_runner.h"

#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/rows/storage.h"

#include <stdexcept>

namespace headroom::test {
namespace {

template <class T>
std::vector<std::byte> convert_to(const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = runtime::rows::store_as<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

template <class T>
std::vector<double> convert_from(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(runtime::rows::load_as<double>(value));
  }
  return values;
}

}  // namespace

std::vector<std::byte> to_bytes(DType dtype, const std::vector<double>& values) {
  switch (dtype) {
    case DType::kF64:
      return convert_to<double>(values);
    case DType::kF32:
      return convert_to<float>(values);
    case DType::kBf16:
      return convert_to<bf16>(values);
    case DType::kF16:
      return convert_to<f16>(values);
    case DType::kI32:
      return convert_to<std::int32_t>(values);
    default:
      throw std::invalid_argument("to_bytes: dtype");
  }
}

std::vector<double> from_bytes(DType dtype, const std::vector<std::byte>& bytes) {
  switch (dtype) {
    case DType::kF64:
      return convert_from<double>(bytes);
    case DType::kF32:
      return convert_from<float>(bytes);
    case DType::kBf16:
      return convert_from<bf16>(bytes);
    case DType::kF16:
      return convert_from<f16>(bytes);
    case DType::kI32:
      return convert_from<std::int32_t>(bytes);
    default:
      throw std::invalid_argument("from_bytes: dtype");
  }
}

StepRunner::StepRunner(Step step, int threads, bool strict)
    : StepRunner(std::move(step), runtime::make_cpu_device(threads, strict)) {}

StepRunner::StepRunner(Step step, std::unique_ptr<runtime::Device> device)
    : step_(std::move(step)),
      plan_(plan_arena(step_)),
      device_(std::move(device)),
      ledger_(std::make_unique<runtime::Ledger>(step_)),
      executor_(std::make_unique<runtime::Executor>(step_, plan_, *device_, *ledger_)) {
  executor_->initialise(0);
}

void StepRunner::set(TensorId id, const std::vector<double>& values) {
  const TensorType& type = step_.tensor(id).type;
  if (static_cast<std::int64_t>(values.size()) != type.shape.numel()) {
    throw std::invalid_argument("set: wrong number of values");
  }
  executor_->write_tensor(id, 0, to_bytes(type.dtype, values));
}

std::vector<double> StepRunner::get(TensorId id) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(step_.bytes(id).value()));
  executor_->read_tensor(id, 0, bytes);
  return from_bytes(step_.tensor(id).type.dtype, bytes);
}

void StepRunner::set_batches(std::vector<std::vector<std::vector<double>>> batches) {
  batches_ = std::move(batches);
}

runtime::StepResult StepRunner::run(const runtime::Scalars& scalars) {
  return executor_->run_step(scalars, *this);
}

void StepRunner::acquire(std::int64_t micro, int slot) {
  if (step_.input_slots[0].empty()) return;
  const auto& batch = batches_.at(static_cast<std::size_t>(micro) % batches_.size());
  const auto buffers = executor_->batch_buffers();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const DType dtype = step_.tensor(step_.input_slots[0][i]).type.dtype;
    const std::vector<std::byte> bytes = to_bytes(dtype, batch[i]);
    std::memcpy(buffers[static_cast<std::size_t>(slot)][i], bytes.data(), bytes.size());
  }
}

void StepRunner::release(std::int64_t, int) {}

}  // namespace headroom::test
