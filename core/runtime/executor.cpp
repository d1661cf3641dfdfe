#include "core/runtime/executor.h"

#include "core/runtime/random/initializers.h"

#include <algorithm>
#include <cmath>

namespace headroom::runtime {

Diverged::Diverged(std::int64_t step, double loss)
    : Error("the loss of step " + std::to_string(step) + " is " + std::to_string(loss) +
                "; the run has diverged (lower training.optimizer.lr or add warm-up)",
            ExitCode::kDiverged) {}

namespace {

/// First values of one parameter, drawn from a stream of its own by name. They are the same
/// whatever they are stored in, but for rounding.
void fill(const TensorInfo& parameter, DType dtype, std::uint64_t seed, void* memory) {
  const RandomStream stream(seed, stream_id(to_string(parameter.name)));
  const auto count = static_cast<std::size_t>(parameter.type.shape.numel());
  with_float_type(dtype, [&]<class T>() {
    initialize(parameter.initializer, stream, std::span<T>(static_cast<T*>(memory), count));
  });
}

}  // namespace

/// Turns what kernels ask for into births on the ledger.
class Executor::Observer final : public MemoryObserver {
 public:
  Observer(Executor& executor, const OpCall& call) : executor_(executor), call_(call) {}
  void on_write(std::size_t position, Bytes bytes) override {
    const TensorId id = call_.writes[position];
    if (!executor_.is_step_tensor(id) || executor_.ledger_.alive(id)) return;
    executor_.begin_life(id, bytes, call_);
  }
  void on_workspace(Bytes bytes) override {
    if (!executor_.ledger_.alive(call_.workspace)) {
      executor_.begin_life(call_.workspace, bytes, call_);
    }
  }

 private:
  Executor& executor_;
  const OpCall& call_;
};

Executor::Executor(const Step& step, const ArenaPlan& plan, Device& device, Ledger& ledger)
    : step_(step),
      device_(device),
      ledger_(ledger),
      run_(device, plan.run_bytes, Place::kDevice),
      step_arena_(device, plan.step_bytes, Place::kDevice),
      host_(device, plan.host_bytes, Place::kHost),
      pointers_(step.tensors.size(), nullptr),
      input_index_(step.tensors.size(), -1) {
  for (std::size_t t = 0; t < step.tensors.size(); ++t) {
    if (plan.offsets[t] == ArenaPlan::kNoOffset) continue;
    const TensorInfo& info = step.tensors[t];
    const Arena& arena = info.lifetime == Lifetime::kStep ? step_arena_
                         : info.place == Place::kHost     ? host_
                                                          : run_;
    pointers_[t] = arena.at(plan.offsets[t]);
  }
  for (std::size_t i = 0; i < step.input_slots[0].size(); ++i) {
    input_index_[step.input_slots[0][i].at()] = static_cast<std::int32_t>(i);
  }
  if (step_arena_.size().value() > 0) device_.forbid(step_arena_.at(0), step_arena_.size());
  for (std::size_t t = 0; t < step.tensors.size(); ++t) {
    const TensorInfo& info = step.tensors[t];
    if (info.lifetime != Lifetime::kRun) continue;
    const Bytes payload = info.type.bytes();
    ledger_.birth(TensorId{static_cast<std::int32_t>(t)}, payload, allocated_size(payload),
                  Phase::kInit, "");
  }
  if (step.matmul_workspace) {
    device_.set_matmul_workspace(pointers_[step.matmul_workspace->at()],
                                 step.bytes(*step.matmul_workspace));
  }
  compile();
}

void Executor::compile() {
  for (const Section& section : step_.sections) {
    std::vector<CompiledCall>& calls = sections_.emplace_back();
    for (const OpCall& call : section.calls) {
      calls.push_back({.call = &call,
                       .kernel = device_.kernels().find(call.op->name(), call.pass, device_.name()),
                       .last_uses = {}});
    }
  }
  find_last_uses();
  if (!step_.evaluation_inputs.empty()) compile_evaluation();
}

// The forward calls of the first micro batch, just as they stand there: what lay apart or in place
// among all calls still does among some.
void Executor::compile_evaluation() {
  for (const OpCall& call : step_.sections.front().calls) {
    const bool fused = call.pass == Pass::kForwardBackward;
    if ((call.pass != Pass::kForward && !fused) || call.recompute) continue;
    OpCall forward = call;
    if (fused) {
      const auto* op = dynamic_cast<const Op*>(call.op);
      TensorTypes types;
      for (TensorId id : call.operands) types.push_back(step_.tensor(id).type);
      forward.pass = Pass::kForward;
      forward.writes = {};
      for (std::size_t i = 0; i < op->outputs({types.data(), types.size()}).size(); ++i) {
        forward.writes.push_back(call.writes[i]);
      }
      forward.in_place = {};
    }
    evaluation_calls_.push_back(forward);
  }
}

// A forward walk that remembers who touched each tensor last. A section that repeats is walked
// twice, so that a tensor crossing from one repetition into the next is seen to do so.
void Executor::find_last_uses() {
  std::vector<CompiledCall*> last(step_.tensors.size(), nullptr);
  const auto finish = [&](TensorId id) {
    CompiledCall*& user = last[id.at()];
    if (user == nullptr) return;
    if (std::find(user->last_uses.begin(), user->last_uses.end(), id) == user->last_uses.end()) {
      user->last_uses.push_back(id);
    }
    user = nullptr;
  };
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    const int walks = step_.sections[s].repeat > 1 ? 2 : 1;
    for (int walk = 0; walk < walks; ++walk) {
      for (CompiledCall& compiled : sections_[s]) {
        const OpCall& call = *compiled.call;
        for (std::size_t w = 0; w < call.writes.size(); ++w) {
          if (!is_step_tensor(call.writes[w])) continue;
          if (!call.accumulates(w)) finish(call.writes[w]);
          last[call.writes[w].at()] = &compiled;
        }
        for (TensorId id : call.reads) {
          if (is_step_tensor(id)) last[id.at()] = &compiled;
        }
        if (!call.workspace.none()) last[call.workspace.at()] = &compiled;
      }
    }
  }
  for (std::size_t t = 0; t < last.size(); ++t) finish(TensorId{static_cast<std::int32_t>(t)});
}

bool Executor::is_step_tensor(TensorId id) const {
  return !id.none() && step_.tensor(id).lifetime == Lifetime::kStep;
}

void* Executor::pointer(TensorId id, int slot) const {
  if (id.none()) return nullptr;
  const std::int32_t input = input_index_[id.at()];
  if (input < 0) return pointers_[id.at()];
  if (slot == kEvaluationSlot) {
    return pointers_[step_.evaluation_inputs[static_cast<std::size_t>(input)].at()];
  }
  const auto& slots = step_.input_slots[static_cast<std::size_t>(slot)];
  return pointers_[slots[static_cast<std::size_t>(input)].at()];
}

void Executor::initialise(std::uint64_t seed) {
  std::vector<std::byte> host;
  const auto draw = [&](TensorId parameter, TensorId into) {
    const Bytes size = step_.bytes(into);
    const DType dtype = step_.tensor(into).type.dtype;
    if (device_.immediate()) {
      fill(step_.tensor(parameter), dtype, seed, pointers_[into.at()]);
    } else {
      host.resize(static_cast<std::size_t>(size.value()));
      fill(step_.tensor(parameter), dtype, seed, host.data());
      device_.copy_to_device(pointers_[into.at()], host.data(), size);
    }
  };
  for (std::size_t p = 0; p < step_.parameters.size(); ++p) {
    draw(step_.parameters[p], step_.parameters[p]);
    for (TensorId id : step_.states[p]) {
      if (step_.tensor(id).category == Category::kMasterParameters) {
        draw(step_.parameters[p], id);
      } else {
        device_.fill_zero(pointers_[id.at()], step_.bytes(id));
      }
    }
  }
  device_.synchronize();
}

std::vector<std::vector<void*>> Executor::batch_buffers() const {
  const auto& slots = device_.needs_staging() ? step_.staging : step_.input_slots;
  std::vector<std::vector<void*>> buffers;
  for (const auto& slot : slots) {
    std::vector<void*>& inputs = buffers.emplace_back();
    for (TensorId id : slot) inputs.push_back(pointers_[id.at()]);
  }
  return buffers;
}

void Executor::upload(std::int64_t micro, BatchSource& batches) {
  const int slots = static_cast<int>(step_.input_slots.size());
  const int slot = static_cast<int>(micro % slots);
  batches.acquire(micro, slot);
  if (!device_.needs_staging()) return;
  for (std::size_t i = 0; i < step_.input_slots[0].size(); ++i) {
    const TensorId device = step_.input_slots[static_cast<std::size_t>(slot)][i];
    const TensorId host = step_.staging[static_cast<std::size_t>(slot)][i];
    device_.upload(slot, pointers_[device.at()], pointers_[host.at()], step_.bytes(device));
  }
}

StepResult Executor::run_step(const Scalars& scalars, BatchSource& batches) {
  ledger_.begin_step();
  const int slots = static_cast<int>(step_.input_slots.size());
  Scalars of_micro_batch = scalars;
  of_micro_batch.micro_batch = 0;
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    const bool last_section = s + 1 == sections_.size();
    for (std::int64_t r = 0; r < step_.sections[s].repeat; ++r) {
      const int slot = static_cast<int>(micro_ % slots);
      if (uploaded_ == micro_) upload(uploaded_++, batches);
      device_.await_upload(slot);
      for (const CompiledCall& compiled : sections_[s]) {
        run_call(compiled, of_micro_batch, slot);
        const bool loss_known = compiled.call->phase == Phase::kLoss;
        if (loss_known && last_section && device_.immediate()) {
          const double loss = read_scalar(step_.loss);
          if (!std::isfinite(loss)) throw Diverged(scalars.step, loss);
        }
      }
      device_.mark_consumed(slot);
      if (device_.needs_staging()) {
        // The next batch travels while this one is being computed; only then is the staging
        // buffer of this slot known to be free.
        if (micro_ + 1 == uploaded_) upload(uploaded_++, batches);
        device_.await_staging(slot);
      }
      batches.release(micro_, slot);
      ++micro_;
      ++of_micro_batch.micro_batch;
    }
  }
  StepResult result;
  result.loss = read_scalar(step_.loss);
  if (step_.squared_norm) {
    const double squared = read_scalar(*step_.squared_norm);
    result.grad_norm = std::sqrt(squared) / scalars.loss_scale;
    result.skipped = scalars.loss_scale != 1 && !std::isfinite(squared);
  }
  if (first_step_) ledger_.stop_recording();
  first_step_ = false;
  if (!std::isfinite(result.loss)) throw Diverged(scalars.step, result.loss);
  return result;
}

double Executor::evaluate(std::span<const std::span<const std::byte>> inputs) {
  /// The ledger is the training step's; what evaluation takes lies within it.
  class Ignore final : public MemoryObserver {
    void on_write(std::size_t, Bytes) override {}
    void on_workspace(Bytes) override {}
  } ignore;
  for (std::size_t i = 0; i < step_.evaluation_inputs.size(); ++i) {
    device_.copy_to_device(pointers_[step_.evaluation_inputs[i].at()], inputs[i].data(),
                           Bytes(static_cast<std::int64_t>(inputs[i].size())));
  }
  const bool arena = step_arena_.size().value() > 0;
  if (arena) device_.permit(step_arena_.at(0), step_arena_.size());
  const Scalars scalars{.evaluating = true};
  for (const OpCall& call : evaluation_calls_) {
    KernelContext context(step_, call, scalars, device_.queue(), ignore);
    for (TensorId id : call.reads) context.read_pointers.push_back(pointer(id, kEvaluationSlot));
    for (TensorId id : call.writes) context.write_pointers.push_back(pointer(id, kEvaluationSlot));
    context.workspace_memory = pointer(call.workspace, kEvaluationSlot);
    device_.kernels().find(call.op->name(), call.pass, device_.name())(context);
  }
  const double loss = read_scalar(step_.loss) * static_cast<double>(step_.accumulation);
  if (arena) device_.forbid(step_arena_.at(0), step_arena_.size());
  return loss;
}

void Executor::run_call(const CompiledCall& compiled, const Scalars& scalars, int slot) {
  const OpCall& call = *compiled.call;
  for (const InPlace& rule : call.in_place) {
    end_of_life(call.reads[static_cast<std::size_t>(rule.read)], call);
  }
  Observer observer(*this, call);
  KernelContext context(step_, call, scalars, device_.queue(), observer);
  for (TensorId id : call.reads) context.read_pointers.push_back(pointer(id, slot));
  for (TensorId id : call.writes) context.write_pointers.push_back(pointer(id, slot));
  context.workspace_memory = pointer(call.workspace, slot);
  compiled.kernel(context);
  for (TensorId id : compiled.last_uses) {
    if (ledger_.alive(id)) end_of_life(id, call);
  }
}

void Executor::begin_life(TensorId id, Bytes payload, const OpCall& call) {
  device_.permit(pointers_[id.at()], payload);
  ledger_.birth(id, payload, allocated_size(payload), call.phase, call.op->name());
}

void Executor::end_of_life(TensorId id, const OpCall& call) {
  ledger_.death(id, call.phase, call.op->name());
  device_.forbid(pointers_[id.at()], allocated_size(step_.bytes(id)));
}

double Executor::read_scalar(TensorId id) const {
  if (step_.tensor(id).type.dtype == DType::kF64) {
    double value = 0;
    device_.copy_to_host(&value, pointers_[id.at()], Bytes(sizeof(value)));
    return value;
  }
  float value = 0;
  device_.copy_to_host(&value, pointers_[id.at()], Bytes(sizeof(value)));
  return static_cast<double>(value);
}

void Executor::read_tensor(TensorId id, std::uint64_t offset, std::span<std::byte> to) const {
  device_.copy_to_host(to.data(), static_cast<const std::byte*>(pointers_[id.at()]) + offset,
                       Bytes(static_cast<std::int64_t>(to.size())));
}

void Executor::write_tensor(TensorId id, std::uint64_t offset, std::span<const std::byte> from) {
  device_.copy_to_device(static_cast<std::byte*>(pointers_[id.at()]) + offset, from.data(),
                         Bytes(static_cast<std::int64_t>(from.size())));
}

}  // namespace headroom::runtime
