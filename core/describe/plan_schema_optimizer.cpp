#include "core/describe/plan_schema_parts.h"

#include <algorithm>
#include <initializer_list>

namespace headroom::schema {
namespace {

using enum OptimizerKind;

template <OptimizerKind... kKinds>
std::string only_optimizers(const Plan& plan) {
  const OptimizerKind used = plan.training.optimizer.name;
  if (((used == kKinds) || ...)) return {};
  std::string names;
  for (OptimizerKind kind : {kKinds...}) {
    if (!names.empty()) names += ", ";
    names += name(kind);
  }
  return "it belongs to " + names + "; the optimizer is " + std::string(name(used));
}

/// PyTorch's defaults, from the signatures in torch.optim.
KeyValue default_lr(const Plan& plan) {
  const OptimizerKind kind = plan.training.optimizer.name;
  return kind == kAdagrad || kind == kRmsprop ? 1e-2 : 1e-3;
}

KeyValue default_weight_decay(const Plan& plan) {
  return plan.training.optimizer.name == kAdamw ? 1e-2 : 0.0;
}

/// AdaGrad inside the root is the notes' form, with the notes' 1e-5; the rest is PyTorch's.
KeyValue default_eps(const Plan& plan) {
  const OptimizerPlan& optimizer = plan.training.optimizer;
  if (optimizer.name != kAdagrad) return 1e-8;
  return optimizer.eps_inside_root ? 1e-5 : 1e-10;
}

KeyLimits fraction() { return {.min = 0, .max = 1, .max_excluded = true}; }

KeySpec name_key() {
  return {.path = "training.optimizer.name",
          .kind = KeyKind::kWord,
          .default_text = "required",
          .choices = choices<OptimizerKind>(),
          .meaning = "The rule that turns gradients into weight changes.",
          .memory =
              "Values kept per parameter: sgd 0 (1 with momentum), adagrad 1, rmsprop 1 (+1 "
              "with momentum, +1 when centered), adam and adamw 2.",
          .time = "Reads and writes the kept values once per step.",
          .aliases = {{"optim"}},
          .word_aliases = {{"adamw_torch", "adamw"}, {"adamw_torch_fused", "adamw"}},
          .access = field([](auto& plan) { return &plan.training.optimizer.name; })};
}

KeySpec lr_key() {
  return {.path = "training.optimizer.lr",
          .kind = KeyKind::kReal,
          .default_text = "PyTorch's: 1e-3 (sgd, adam, adamw), 1e-2 (adagrad, rmsprop)",
          .limits = at_least(0),
          .slider = log_slider(1e-6, 10, 1.25892541179),
          .meaning = "Learning rate after the warm-up.",
          .aliases = {{"learning_rate"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer.lr; }),
          .fallback = default_lr,
          .depends_on = "training.optimizer.name"};
}

KeySpec weight_decay_key() {
  return {.path = "training.optimizer.weight_decay",
          .kind = KeyKind::kReal,
          .default_text = "0; 1e-2 with adamw",
          .limits = at_least(0),
          .slider = linear_slider(0, 0.5, 0.01),
          .meaning =
              "Pull of the weights towards 0: added to the gradient, or with adamw taken "
              "from the weights directly.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer.weight_decay; }),
          .fallback = default_weight_decay,
          .depends_on = "training.optimizer.name"};
}

KeySpec decay_vectors_key() {
  return {
      .path = "training.optimizer.decay_vectors",
      .kind = KeyKind::kBool,
      .default_text = "true; false for transformers",
      .meaning = "Whether weight decay also takes from biases and norms, or from matrices alone.",
      .access = field([](auto& plan) { return &plan.training.optimizer.decay_vectors; }),
      .fallback = [](const Plan& plan) -> KeyValue { return !reads_tokens(plan.model); },
      .depends_on = "training.optimizer.name",
      .not_applicable = only_optimizers<kAdamw>};
}

KeySpec momentum_key() {
  return {.path = "training.optimizer.momentum",
          .kind = KeyKind::kReal,
          .default_text = "0",
          .limits = fraction(),
          .slider = linear_slider(0, 0.99, 0.01),
          .meaning = "Part of the last change that is kept.",
          .memory = "Above 0: one more value per parameter.",
          .time = "Above 0: one more value per parameter to read and write.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer.momentum; }),
          .fallback = always<0.0>,
          .depends_on = "training.optimizer.name",
          .not_applicable = only_optimizers<kSgd, kRmsprop>};
}

KeySpec dampening_key() {
  return {.path = "training.optimizer.dampening",
          .kind = KeyKind::kReal,
          .default_text = "0",
          .limits = between(0, 1),
          .slider = linear_slider(0, 1, 0.01),
          .meaning = "Part of the new gradient left out of the momentum.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer.dampening; }),
          .fallback = always<0.0>,
          .depends_on = "training.optimizer.name",
          .not_applicable = only_optimizers<kSgd>};
}

KeySpec nesterov_key() {
  return {.path = "training.optimizer.nesterov",
          .kind = KeyKind::kBool,
          .default_text = "false",
          .meaning = "Look ahead along the momentum. Needs momentum above 0 and no dampening.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer.nesterov; }),
          .fallback = always<false>,
          .depends_on = "training.optimizer.name",
          .not_applicable = only_optimizers<kSgd>};
}

KeySpec alpha_key() {
  return {.path = "training.optimizer.alpha",
          .kind = KeyKind::kReal,
          .default_text = "0.99",
          .limits = fraction(),
          .slider = linear_slider(0, 0.999, 0.001),
          .meaning = "How slowly the running mean of squared gradients forgets.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer.alpha; }),
          .fallback = always<0.99>,
          .depends_on = "training.optimizer.name",
          .not_applicable = only_optimizers<kRmsprop>};
}

KeySpec centered_key() {
  return {.path = "training.optimizer.centered",
          .kind = KeyKind::kBool,
          .default_text = "false",
          .meaning = "Subtract the squared running mean of the gradients: scale by their variance.",
          .memory = "One more value per parameter.",
          .time = "One more value per parameter to read and write.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer.centered; }),
          .fallback = always<false>,
          .depends_on = "training.optimizer.name",
          .not_applicable = only_optimizers<kRmsprop>};
}

KeySpec betas_key() {
  KeyLimits limits = fraction();
  limits.min_items = limits.max_items = 2;
  return {.path = "training.optimizer.betas",
          .kind = KeyKind::kReals,
          .default_text = "[0.9, 0.999]",
          .limits = limits,
          .meaning = "How slowly the running means of the gradient and of its square forget.",
          .flat = true,
          .access = {[](const Plan& plan) -> KeyValue {
                       const OptimizerPlan& optimizer = plan.training.optimizer;
                       return std::vector<double>{optimizer.beta1, optimizer.beta2};
                     },
                     [](Plan& plan, const KeyValue& value) {
                       const auto* betas = std::get_if<std::vector<double>>(&value);
                       if (betas == nullptr || betas->size() != 2) refuse_value(value);
                       plan.training.optimizer.beta1 = betas->front();
                       plan.training.optimizer.beta2 = betas->back();
                     }},
          .fallback = [](const Plan&) -> KeyValue {
            return std::vector<double>{0.9, 0.999};
          },
          .depends_on = "training.optimizer.name",
          .not_applicable = only_optimizers<kAdam, kAdamw>};
}

KeySpec eps_inside_root_key() {
  return {.path = "training.optimizer.eps_inside_root",
          .kind = KeyKind::kBool,
          .default_text = "false",
          .meaning =
              "AdaGrad as in the lecture notes, g / sqrt(sum + eps), instead of PyTorch's "
              "g / (sqrt(sum) + eps).",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer.eps_inside_root; }),
          .fallback = always<false>,
          .depends_on = "training.optimizer.name",
          .not_applicable = only_optimizers<kAdagrad>};
}

KeySpec eps_key() {
  return {.path = "training.optimizer.eps",
          .kind = KeyKind::kReal,
          .default_text = "1e-8; adagrad 1e-10, or 1e-5 with eps_inside_root",
          .limits = at_least(0),
          .slider = log_slider(1e-12, 1e-2, 10),
          .meaning = "Keeps the division finite when squared gradients are tiny.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer.eps; }),
          .fallback = default_eps,
          .depends_on = "training.optimizer.name",
          .not_applicable = only_optimizers<kAdagrad, kRmsprop, kAdam, kAdamw>};
}

}  // namespace

std::vector<KeySpec> optimizer_keys() {
  return {name_key(),     lr_key(),        weight_decay_key(),    decay_vectors_key(),
          momentum_key(), dampening_key(), nesterov_key(),        alpha_key(),
          centered_key(), betas_key(),     eps_inside_root_key(), eps_key()};
}

}  // namespace headroom::schema
