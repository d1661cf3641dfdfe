#include "core/describe/step.h"

#include "core/describe/error.h"
#include "core/describe/recompute.h"
#include "core/describe/squared_norm.h"

#include <algorithm>

namespace headroom {
namespace {

/// Turns one graph into the sections of a step. Holds what the passes over the graph share.
class StepMaker {
 public:
  StepMaker(Graph graph, std::unique_ptr<UpdateRule> rule, const StepOptions& options)
      : graph_(std::move(graph)), options_(options), rule_(rule.get()) {
    if (graph_.loss().none()) throw ShapeError("[step] the model has no loss");
    step_.tensors = graph_.tensors();
    step_.parameters = graph_.parameters();
    step_.parameter_count = graph_.parameter_count();
    step_.accumulation = options.accumulation;
    step_.loss = graph_.loss();
    step_.operations = graph_.release_ops();
    step_.operations.push_back(std::move(rule));
    // The loss outlives the step's calls: the host reads it when the step has ended.
    step_.tensors[step_.loss.at()].lifetime = Lifetime::kRun;
    step_.tensors[step_.loss.at()].category = Category::kTemporaries;
  }

  Step make() {
    declare_run_tensors();
    find_gradient_flow();
    kept_ = kept_tensors(graph_, options_.recompute);
    again_.assign(graph_.tensors().size(), TensorId{});
    const std::int64_t n = options_.accumulation;
    append_section(true, n == 1, 1);
    if (n > 2) append_section(false, false, n - 2);
    if (n > 1) append_section(false, true, 1);
    decide_in_place();
    check_addressable();
    return std::move(step_);
  }

 private:
  /// Every sum of sizes made later is a sum of some of these, so none of them can overflow.
  void check_addressable() const {
    std::int64_t total = 0;
    for (const TensorInfo& tensor : step_.tensors) {
      constexpr std::int64_t kRoomForRounding = 4096;
      const std::int64_t size = tensor.type.bytes().value();
      if (__builtin_add_overflow(total, size, &total) ||
          __builtin_add_overflow(total, kRoomForRounding, &total)) {
        throw ShapeError("the tensors of this step are larger than any machine can address");
      }
    }
  }

  TensorId add(TensorInfo info) {
    (void)info.type.bytes();
    step_.tensors.push_back(info);
    return TensorId{static_cast<std::int32_t>(step_.tensors.size() - 1)};
  }

  void declare_run_tensors() {
    for (TensorId parameter : step_.parameters) {
      const TensorInfo info = step_.tensor(parameter);
      std::vector<TensorId> states;
      const bool master = options_.master_parameters && size_of(info.type.dtype) < 4;
      const TensorType updated{info.type.shape, master ? DType::kF32 : info.type.dtype};
      const auto add_state = [&](std::string_view word, TensorType type, Category category) {
        TensorName name = info.name;
        name.suffix = word;
        states.push_back(
            add({.name = name, .type = type, .category = category, .lifetime = Lifetime::kRun}));
      };
      for (const StateSpec& state : rule_->states(updated)) {
        add_state(state.name, state.type, Category::kOptimizerState);
      }
      if (master) add_state("master", updated, Category::kMasterParameters);
      step_.states.push_back(std::move(states));
    }
    step_.input_slots.push_back(graph_.inputs());
    for (int slot = 1; slot < options_.input_slots; ++slot) {
      step_.input_slots.push_back(copy_inputs(Place::kDevice, "slot", slot));
    }
    if (options_.evaluation) {
      step_.evaluation_inputs = copy_inputs(Place::kDevice, "evaluation", -1);
    }
    if (options_.staged_inputs) {
      for (int slot = 0; slot < options_.input_slots; ++slot) {
        step_.staging.push_back(copy_inputs(Place::kHost, "staging", slot));
      }
    }
    if (needs_norm()) {
      step_.squared_norm = add({.name = {.stem = "gradients", .leaf = "squared_norm"},
                                .type = {Shape{}, DType::kF32},
                                .category = Category::kTemporaries,
                                .lifetime = Lifetime::kRun});
      norm_op_ = own(std::make_unique<SquaredNorm>());
    }
    if (options_.matmul_workspace.value() > 0) {
      step_.matmul_workspace =
          add({.name = {.stem = "matmul", .leaf = "workspace"},
               .type = {Shape{{"bytes", options_.matmul_workspace.value()}}, DType::kU8},
               .category = Category::kWorkspace,
               .lifetime = Lifetime::kRun});
    }
  }

  std::vector<TensorId> copy_inputs(Place place, std::string_view word, int slot) {
    std::vector<TensorId> copies;
    for (TensorId original : graph_.inputs()) {
      TensorInfo info = step_.tensor(original);
      info.name.suffix = word;
      info.name.index = slot;
      info.place = place;
      copies.push_back(add(info));
    }
    return copies;
  }

  const Operation* own(std::unique_ptr<Operation> operation) {
    step_.operations.push_back(std::move(operation));
    return step_.operations.back().get();
  }

  /// A gradient flows to a tensor if a parameter lies on a differentiable path above it.
  void find_gradient_flow() {
    needs_gradient_.assign(graph_.tensors().size(), false);
    for (TensorId id : graph_.parameters()) needs_gradient_[id.at()] = true;
    for (const ForwardCall& call : graph_.calls()) {
      for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        if (!needs_gradient_[call.inputs[i].at()] || !call.op->differentiable(i)) continue;
        for (TensorId out : call.outputs) needs_gradient_[out.at()] = true;
      }
    }
    gradient_of_.assign(step_.tensors.size(), TensorId{});
    for (std::size_t p = 0; p < step_.parameters.size(); ++p)
      parameter_index(step_.parameters[p]) = p;
  }

  std::size_t& parameter_index(TensorId id) {
    if (parameter_index_.empty()) parameter_index_.assign(step_.tensors.size(), 0);
    return parameter_index_[id.at()];
  }

  TensorId gradient_tensor(TensorId of) {
    TensorId& gradient = gradient_of_[of.at()];
    if (gradient.none()) {
      const TensorInfo source = step_.tensor(of);
      TensorName name = source.name;
      name.suffix = "grad";
      const bool parameter = source.category == Category::kParameters;
      // Gradients of 16-bit parameters are sums of many small numbers, kept in f32.
      TensorType type = source.type;
      if (parameter && type.dtype != DType::kF64) type.dtype = DType::kF32;
      const TensorId id =
          add({.name = name,
               .type = type,
               .category = parameter ? Category::kGradients : Category::kTemporaries});
      gradient_of_[of.at()] = id;
      return id;
    }
    return gradient;
  }

  void append_section(bool first, bool last, std::int64_t repeat) {
    section_ = Section{.calls = {}, .repeat = repeat};
    // Uses still to come, so that the update can follow the last contribution to a gradient.
    uses_left_.assign(graph_.tensors().size(), 0);
    written_.assign(graph_.tensors().size(), false);
    had_again_.assign(graph_.tensors().size(), false);
    for (const ForwardCall& call : graph_.calls()) {
      for (TensorId id : call.inputs) ++uses_left_[id.at()];
    }
    for (const ForwardCall& call : graph_.calls()) append_forward(call, first);
    for (std::size_t c = graph_.calls().size(); c-- > 0;) {
      append_backward(graph_.calls()[c], first, last);
    }
    if (last && !updates_in_backward()) append_updates();
    step_.sections.push_back(std::move(section_));
  }

  [[nodiscard]] bool updates_in_backward() const {
    return options_.optimizer_in_backward && !needs_norm();
  }
  [[nodiscard]] bool needs_norm() const {
    return options_.grad_norm || options_.grad_clip_norm > 0;
  }

  TensorId workspace(Bytes size) {
    if (size.value() == 0) return {};
    return add({.name = {.stem = "workspace"},
                .type = {Shape{{"bytes", size.value()}}, DType::kU8},
                .category = Category::kWorkspace});
  }

  void append_forward(const ForwardCall& forward, bool first) {
    OpCall call{.op = forward.op, .pass = Pass::kForward, .phase = forward.phase};
    const TensorTypes types = graph_.input_types(forward);
    for (TensorId id : forward.inputs) {
      call.reads.push_back(id);
      call.operands.push_back(id);
    }
    for (std::size_t i = 0; i < forward.outputs.size(); ++i) {
      call.writes.push_back(forward.outputs[i]);
      // The loss of later micro batches is added to that of the first.
      if (!first && forward.outputs[i] == step_.loss) call.accumulate |= 1U << i;
    }
    const std::span<const TensorType> inputs(types.data(), types.size());
    const GradientMask wanted = forward.op->fuses_backward() ? wanted_gradients(forward) : 0;
    if (wanted != 0) {
      if (forward.outputs[0] != step_.loss) {
        throw ShapeError("[" + std::string(forward.op->name()) +
                         "] computes its gradients with its result, which must be the loss");
      }
      call.pass = Pass::kForwardBackward;
      add_gradient_writes(forward, wanted, first, call);
      call.workspace = workspace(forward.op->backward_workspace(inputs, wanted));
    } else {
      call.workspace = workspace(forward.op->forward_workspace(inputs));
    }
    section_.calls.push_back(call);
  }

  [[nodiscard]] GradientMask wanted_gradients(const ForwardCall& forward) const {
    GradientMask wanted = 0;
    for (std::size_t i = 0; i < forward.inputs.size(); ++i) {
      if (forward.op->differentiable(i) && needs_gradient_[forward.inputs[i].at()]) {
        wanted |= 1U << i;
      }
    }
    return wanted;
  }

  void append_backward(const ForwardCall& forward, bool first, bool last) {
    const GradientMask wanted = wanted_gradients(forward);
    if (wanted != 0 && !forward.op->fuses_backward()) {
      OpCall call{.op = forward.op,
                  .pass = Pass::kBackward,
                  .phase = Phase::kBackward,
                  .operands = forward.inputs};
      add_backward_reads(forward, call);
      add_gradient_writes(forward, wanted, first, call);
      const TensorTypes types = graph_.input_types(forward);
      call.workspace =
          workspace(forward.op->backward_workspace({types.data(), types.size()}, wanted));
      section_.calls.push_back(call);
    }
    for (TensorId id : forward.inputs) {
      const bool complete = --uses_left_[id.at()] == 0;
      const bool parameter = step_.tensor(id).category == Category::kParameters;
      if (complete && parameter && last && updates_in_backward()) {
        append_update(parameter_index(id));
      }
    }
  }

  void add_backward_reads(const ForwardCall& forward, OpCall& call) {
    const SavedOperands saved = forward.op->saved();
    const auto has = [](const auto& list, std::size_t i) {
      return std::find(list.begin(), list.end(), static_cast<int>(i)) != list.end();
    };
    for (std::size_t i = 0; i < forward.inputs.size(); ++i) {
      call.reads.push_back(has(saved.inputs, i) ? available(forward.inputs[i]) : TensorId{});
    }
    for (std::size_t i = 0; i < forward.outputs.size(); ++i) {
      call.reads.push_back(has(saved.outputs, i) ? available(forward.outputs[i]) : TensorId{});
    }
    for (TensorId output : forward.outputs) {
      const bool contributed = written_[output.at()];
      call.reads.push_back(contributed ? gradient_of_[output.at()] : TensorId{});
    }
  }

  /// The tensor that backward reads for one of forward: itself, or the copy that is computed again
  /// by calls appended here, just before the first call that needs it.
  TensorId available(TensorId id) {
    if (kept_[id.at()]) return id;
    if (!had_again_[id.at()]) append_recompute(id);
    return again_[id.at()];
  }

  void append_recompute(TensorId id) {
    const ForwardCall& forward = graph_.calls()[producer(id)];
    std::size_t output = 0;
    while (forward.outputs[output] != id) ++output;
    Recipe recipe = forward.op->recipe(output);
    if (recipe.op == nullptr) {
      recipe.op = forward.op;
      for (std::size_t i = 0; i < forward.inputs.size(); ++i) {
        recipe.operands.push_back(static_cast<int>(i));
      }
      for (std::size_t i = 0; i < forward.outputs.size(); ++i) {
        recipe.outputs.push_back(static_cast<int>(i));
      }
    }
    OpCall call{
        .op = recipe.op, .pass = Pass::kForward, .phase = Phase::kBackward, .recompute = true};
    TensorTypes types;
    for (int position : recipe.operands) {
      const auto p = static_cast<std::size_t>(position);
      const std::size_t n = forward.inputs.size();
      const TensorId operand = p < n ? forward.inputs[p] : forward.outputs[p - n];
      call.reads.push_back(available(operand));
      call.operands.push_back(operand);
      types.push_back(step_.tensor(operand).type);
    }
    // Having an operand again may have brought this result along.
    if (had_again_[id.at()]) return;
    for (int position : recipe.outputs) {
      const TensorId original = forward.outputs[static_cast<std::size_t>(position)];
      call.writes.push_back(copy_of(original));
      had_again_[original.at()] = true;
    }
    call.workspace = workspace(recipe.op->forward_workspace({types.data(), types.size()}));
    section_.calls.push_back(call);
  }

  TensorId copy_of(TensorId original) {
    TensorId& copy = again_[original.at()];
    if (copy.none()) {
      TensorInfo info = step_.tensor(original);
      info.name.suffix = "again";
      copy = add(info);
    }
    return copy;
  }

  /// The call that makes a tensor.
  std::size_t producer(TensorId id) {
    if (producer_.empty()) {
      producer_.assign(graph_.tensors().size(), 0);
      for (std::size_t c = 0; c < graph_.calls().size(); ++c) {
        for (TensorId output : graph_.calls()[c].outputs) producer_[output.at()] = c;
      }
    }
    return producer_[id.at()];
  }

  void add_gradient_writes(const ForwardCall& forward,
                           GradientMask wanted,
                           bool first,
                           OpCall& call) {
    for (std::size_t i = 0; i < forward.inputs.size(); ++i) {
      if (!wants(wanted, i)) {
        call.writes.push_back(TensorId{});
        continue;
      }
      const TensorId of = forward.inputs[i];
      const bool parameter = step_.tensor(of).category == Category::kParameters;
      if (written_[of.at()] || (parameter && !first)) call.accumulate |= 1U << call.writes.size();
      call.writes.push_back(gradient_tensor(of));
      written_[of.at()] = true;
    }
  }

  void append_updates() {
    if (norm_op_ != nullptr) {
      bool first = true;
      for (TensorId id : step_.parameters) {
        OpCall call{.op = norm_op_, .pass = Pass::kUpdate, .phase = Phase::kOptimizer};
        call.reads.push_back(gradient_of_[id.at()]);
        call.writes.push_back(*step_.squared_norm);
        call.accumulate = first ? 0U : 1U;
        call.workspace = workspace(SquaredNorm::workspace());
        section_.calls.push_back(call);
        first = false;
      }
    }
    for (std::size_t p = 0; p < step_.parameters.size(); ++p) append_update(p);
  }

  void append_update(std::size_t p) {
    OpCall call{.op = rule_, .pass = Pass::kUpdate, .phase = Phase::kOptimizer};
    call.reads.push_back(gradient_of_[step_.parameters[p].at()]);
    if (step_.squared_norm) call.reads.push_back(*step_.squared_norm);
    call.writes.push_back(step_.parameters[p]);
    for (TensorId state : step_.states[p]) call.writes.push_back(state);
    call.accumulate = (1U << call.writes.size()) - 1U;
    section_.calls.push_back(call);
  }

  /// A write may take the storage of a read that ends with the call, if the op allows it and the
  /// sizes are equal.
  void decide_in_place() {
    const auto lives = liveness(step_);
    for (std::size_t s = 0; s < step_.sections.size(); ++s) {
      for (std::size_t c = 0; c < step_.sections[s].calls.size(); ++c) {
        OpCall& call = step_.sections[s].calls[c];
        const auto* op = dynamic_cast<const Op*>(call.op);
        if (op == nullptr) continue;
        for (const InPlace& rule : in_place_rules(*op, call)) {
          if (allowed(call, lives[s][c], rule)) call.in_place.push_back(rule);
        }
      }
    }
  }

  [[nodiscard]] static InPlaceRules in_place_rules(const Op& op, const OpCall& call) {
    const std::size_t n = call.operands.size();
    if (call.pass == Pass::kForward) return op.forward_in_place();
    if (call.pass == Pass::kBackward) return op.backward_in_place(n, (call.reads.size() - n) / 2);
    // Gradients stand behind the outputs, and of what backward reads there are only the inputs.
    InPlaceRules rules;
    const std::size_t outputs = call.writes.size() - n;
    for (InPlace rule : op.backward_in_place(n, outputs)) {
      rule.write += static_cast<int>(outputs);
      if (rule.read < static_cast<int>(n)) rules.push_back(rule);
    }
    return rules;
  }

  [[nodiscard]] bool allowed(const OpCall& call, const CallLiveness& live, InPlace rule) const {
    const TensorId read = call.reads[static_cast<std::size_t>(rule.read)];
    const TensorId write = call.writes[static_cast<std::size_t>(rule.write)];
    if (read.none() || write.none() || read == write) return false;
    const bool ends = std::find(live.dies.begin(), live.dies.end(), read) != live.dies.end();
    const bool begins = ((live.born >> static_cast<unsigned>(rule.write)) & 1U) != 0;
    // A parameter's gradient lives on into the next micro batch, where what it took over is born
    // again at the same place.
    if (step_.accumulation > 1 && step_.tensor(write).category == Category::kGradients)
      return false;
    if (!ends || !begins || step_.bytes(read) != step_.bytes(write)) return false;
    for (const InPlace& taken : call.in_place) {
      if (taken.read == rule.read || taken.write == rule.write ||
          call.reads[static_cast<std::size_t>(taken.read)] == read) {
        return false;
      }
    }
    return true;
  }

  Graph graph_;
  StepOptions options_;
  const UpdateRule* rule_;
  const Operation* norm_op_ = nullptr;
  Step step_;
  Section section_;
  std::vector<bool> needs_gradient_, written_;
  std::vector<bool> kept_, had_again_;  ///< per tensor of the graph; the latter in this section
  std::vector<TensorId> again_;         ///< its recomputed copy
  std::vector<std::size_t> producer_;
  std::vector<TensorId> gradient_of_;
  std::vector<std::size_t> parameter_index_;
  std::vector<int> uses_left_;
};

}  // namespace

Step make_step(Graph graph, std::unique_ptr<UpdateRule> rule, const StepOptions& options) {
  return StepMaker(std::move(graph), std::move(rule), options).make();
}

Step make_forward_step(Graph graph, TensorId result, const StepOptions& options) {
  Step step;
  step.tensors = graph.tensors();
  step.parameters = graph.parameters();
  step.states.resize(step.parameters.size());
  step.parameter_count = graph.parameter_count();
  step.input_slots = {graph.inputs()};
  step.evaluation_inputs = graph.inputs();
  step.loss = result;
  step.tensors[result.at()].lifetime = Lifetime::kRun;
  const auto scratch = [&](Bytes size, Lifetime lifetime) {
    step.tensors.push_back({.name = {.stem = "workspace"},
                            .type = {Shape{{"bytes", size.value()}}, DType::kU8},
                            .category = Category::kWorkspace,
                            .lifetime = lifetime});
    return TensorId{static_cast<std::int32_t>(step.tensors.size() - 1)};
  };
  if (options.matmul_workspace.value() > 0) {
    step.matmul_workspace = scratch(options.matmul_workspace, Lifetime::kRun);
  }
  Section section;
  for (const ForwardCall& forward : graph.calls()) {
    OpCall call{.op = forward.op, .pass = Pass::kForward, .phase = forward.phase};
    for (TensorId id : forward.inputs) {
      call.reads.push_back(id);
      call.operands.push_back(id);
    }
    for (TensorId id : forward.outputs) call.writes.push_back(id);
    const TensorTypes types = graph.input_types(forward);
    const Bytes size = forward.op->forward_workspace({types.data(), types.size()});
    if (size.value() > 0) call.workspace = scratch(size, Lifetime::kStep);
    section.calls.push_back(call);
  }
  step.sections.push_back(std::move(section));
  step.operations = graph.release_ops();
  return step;
}

Work SquaredNorm::work(const TensorType& gradient) {
  Work work;
  work.other_flops = Flops(2.0 * static_cast<double>(gradient.shape.numel()));
  work.read = gradient.bytes();
  work.written = Bytes(4);
  return work;
}

}  // namespace headroom
