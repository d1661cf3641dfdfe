#include "tests/support/kernel_call.h"

#include "core/optim/sgd.h"
#include "core/runtime/cpu/cpu_device.h"

#include <stdexcept>

namespace headroom::test {
namespace {

std::vector<std::byte> storage(const Step& step, TensorId id) {
  if (id.none()) return {};
  return std::vector<std::byte>(static_cast<std::size_t>(step.bytes(id).value()));
}

}  // namespace

KernelCall::KernelCall(const OpCase& test, Pass pass, DType dtype, bool as_activations)
    : step_(op_step(test, {.dtype = dtype, .as_activations = as_activations}).step),
      device_(runtime::make_cpu_device(1, true)) {
  const std::unique_ptr<Op> op = test.make();
  const OpCall* found = nullptr;
  for (const OpCall& call : step_.sections[0].calls) {
    if (call.pass == pass && call.op->name() == op->name()) {
      found = &call;
      if (pass == Pass::kForward) break;
    }
  }
  if (found == nullptr) throw std::invalid_argument("KernelCall: no such call");
  call_ = *found;
  for (TensorId id : call_.reads) reads_.push_back(storage(step_, id));
  for (TensorId id : call_.writes) writes_.push_back(storage(step_, id));
  workspace_ = storage(step_, call_.workspace);
  for (std::size_t i = 0; i < test.operands.size(); ++i) {
    if (!call_.reads[i].none()) set_read(i, test.operands[i].values);
  }
}

void KernelCall::set_read(std::size_t position, const std::vector<double>& values) {
  reads_.at(position) = to_bytes(step_.tensor(call_.reads[position]).type.dtype, values);
}

void KernelCall::hide_read(std::size_t position) { call_.reads[position] = TensorId{}; }

void KernelCall::hide_workspace() { call_.workspace = TensorId{}; }

void KernelCall::run() { run(device_->kernels().find(call_.op->name(), call_.pass, "cpu")); }

void KernelCall::run(runtime::KernelFunction kernel) {
  runtime::KernelContext context(step_, call_, scalars_, device_->queue(), *this);
  for (auto& memory : reads_) context.read_pointers.push_back(memory.data());
  for (auto& memory : writes_) context.write_pointers.push_back(memory.data());
  context.workspace_memory = workspace_.data();
  kernel(context);
}

std::vector<double> KernelCall::written(std::size_t position) const {
  return from_bytes(step_.tensor(call_.writes[position]).type.dtype, writes_.at(position));
}

}  // namespace headroom::test
