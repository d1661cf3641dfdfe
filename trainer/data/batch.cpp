#include "trainer/data/batch.h"

#include <string>
#include <variant>

namespace headroom::trainer {

Bytes BatchSpec::input_bytes() const {
  const std::int64_t per_sample = kind == DataKind::kTokens ? sequence_length : features;
  return Bytes(4) * checked_multiply(batch, per_sample, "values of an input batch");
}

Bytes BatchSpec::target_bytes() const {
  std::int64_t per_sample = 1;
  if (targets == TargetKind::kNextTokens) per_sample = sequence_length;
  if (targets == TargetKind::kValues) per_sample = target_columns;
  return Bytes(4) * checked_multiply(batch, per_sample, "values of a target batch");
}

BatchSpec batch_spec(const Plan& plan) {
  BatchSpec spec;
  spec.batch = plan.training.micro_batch_size;
  spec.features = input_columns(plan.model);
  spec.target_columns = target_columns(plan.model);
  if (const auto* mlp = std::get_if<MlpPlan>(&plan.model.family);
      mlp != nullptr && mlp->loss == LossKind::kCrossEntropy) {
    spec.targets = TargetKind::kClasses;
    spec.classes = mlp->output_size;
  }
  if (const auto* transformer = std::get_if<TransformerPlan>(&plan.model.family)) {
    spec.kind = DataKind::kTokens;
    spec.targets = TargetKind::kNextTokens;
    spec.sequence_length = plan.training.seq_len.value_or(0);
    spec.classes = transformer->vocab_size;
  }
  return spec;
}

}  // namespace headroom::trainer
