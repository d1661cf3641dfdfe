#pragma once

#include "core/describe/dtype.h"
#include "core/describe/plan_enums.h"
#include "core/describe/recompute_plan.h"
#include "core/describe/transformer_plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headroom {

/// `num_layers` square linear layers without bias and a last one to a single value, trained with
/// the mean squared error: the model of the lecture notes.
struct CruncherPlan {
  std::int64_t dim = 0;
  std::int64_t num_layers = 0;
  friend bool operator==(const CruncherPlan&, const CruncherPlan&) = default;
};

/// Linear layers with an activation between them. No hidden sizes: one linear layer.
struct MlpPlan {
  std::int64_t input_size = 0;
  std::vector<std::int64_t> hidden_sizes;
  std::int64_t output_size = 0;
  ActivationKind activation = ActivationKind::kRelu;
  LossKind loss = LossKind::kMse;
  bool bias = true;
  friend bool operator==(const MlpPlan&, const MlpPlan&) = default;
};

/// One alternative per model family. A new family is added here, in plan_schema_model.cpp and in
/// core/models.
using FamilyPlan = std::variant<CruncherPlan, MlpPlan, TransformerPlan>;

struct ModelPlan {
  FamilyPlan family;
  Initialization init = Initialization::kFanInNormal;
  /// Safetensors to start from instead of drawn values: a file or a folder; empty: none.
  std::string weights;
  friend bool operator==(const ModelPlan&, const ModelPlan&) = default;
};

/// Fields that the chosen optimizer does not have stay at these values.
struct OptimizerPlan {
  OptimizerKind name = OptimizerKind::kSgd;
  double lr = 0;
  double weight_decay = 0;
  bool decay_vectors = true;     ///< adamw: biases and norms decay too
  double momentum = 0;           ///< sgd, rmsprop
  double dampening = 0;          ///< sgd
  bool nesterov = false;         ///< sgd
  double alpha = 0;              ///< rmsprop: decay of the running mean of squared gradients
  bool centered = false;         ///< rmsprop
  double beta1 = 0, beta2 = 0;   ///< adam, adamw: `betas: [beta1, beta2]`
  double eps = 0;                ///< all but sgd
  bool eps_inside_root = false;  ///< adagrad: g / sqrt(sum + eps) instead of g / (sqrt(sum) + eps)
  friend bool operator==(const OptimizerPlan&, const OptimizerPlan&) = default;
};

struct LrSchedulePlan {
  LrSchedule name = LrSchedule::kConstant;
  std::int64_t warmup_steps = 0;
  double min_lr = 0;
  friend bool operator==(const LrSchedulePlan&, const LrSchedulePlan&) = default;
};

struct TrainingPlan {
  std::int64_t micro_batch_size = 0;
  std::int64_t gradient_accumulation_steps = 1;
  std::optional<std::int64_t> seq_len;  ///< only of models that read tokens
  Precision precision = Precision::kF32;
  OptimizerPlan optimizer;
  LrSchedulePlan lr_schedule;
  double grad_clip_norm = 0;  ///< 0: off
  /// Each parameter is updated as soon as its gradient is complete, and the gradient is freed.
  /// The bits are the same; gradients no longer all live at once. Never with clipping, which needs
  /// the norm over all gradients first.
  bool optimizer_in_backward = true;
  RecomputePlan activation_checkpointing;
  Attention attention = Attention::kFlash;
  /// Exactly one of these three is set in a resolved plan.
  std::optional<std::int64_t> max_steps;
  std::optional<std::int64_t> max_tokens;
  std::optional<double> epochs;
  std::uint64_t seed = 0;
  Determinism deterministic = Determinism::kSameThreads;
  std::int64_t eval_every = 0;     ///< optimizer steps between evaluations; 0: never
  std::int64_t eval_batches = 20;  ///< micro batches per evaluation
  int threads = 0;                 ///< 0: all cores
  friend bool operator==(const TrainingPlan&, const TrainingPlan&) = default;
};

struct DataPlan {
  std::string path;  ///< absolute once loaded; empty when synthetic, or when nothing was said
  DataFormat format = DataFormat::kAuto;
  std::optional<DType> dtype;       ///< of raw binary files, which do not say it themselves
  std::int64_t target_columns = 0;  ///< how many of the last columns are the target
  Normalize normalize = Normalize::kNone;
  bool synthetic = false;  ///< seeded random data: for measuring only
  double held_out = 0;     ///< share of the data, its end, that is only evaluated on
  friend bool operator==(const DataPlan&, const DataPlan&) = default;
};

struct ParallelPlan {
  std::int64_t data = 1;
  std::int64_t zero_stage = 0;
  std::int64_t tensor = 1;
  bool sequence_parallel = false;
  std::int64_t pipeline = 1;
  std::int64_t virtual_stages = 1;
  std::int64_t context = 1;
  std::int64_t expert = 1;
  friend bool operator==(const ParallelPlan&, const ParallelPlan&) = default;
};

struct HardwarePlan {
  DeviceKind device = DeviceKind::kAuto;
  /// A name in configs/hardware/ or the path of a hardware file. Empty: this machine's processor.
  std::string gpu;
  std::int64_t count = 1;
  std::optional<double> price_per_gpu_hour;  ///< USD; unset: the hardware file's
  friend bool operator==(const HardwarePlan&, const HardwarePlan&) = default;
};

struct OutputPlan {
  std::string dir = "runs";  ///< run directories are made in here; relative to where we are started
  std::int64_t log_every = 1;
  std::int64_t save_every = 0;  ///< steps between checkpoints; 0: only at the end
  std::int64_t keep = 2;        ///< newest checkpoints kept; 0: all
  friend bool operator==(const OutputPlan&, const OutputPlan&) = default;
};

/// Everything a run needs to know: one schema for estimate, train and window.
struct Plan {
  ModelPlan model;
  TrainingPlan training;
  DataPlan data;
  ParallelPlan parallel;
  HardwarePlan hardware;
  Framework framework = Framework::kHeadroom;
  OutputPlan output;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// `cruncher`, `mlp`, `gpt2`, ...: the word of `model.type`.
[[nodiscard]] std::string_view model_type(const ModelPlan& model);
/// True when the model reads token sequences, so that `seq_len` means something.
[[nodiscard]] bool reads_tokens(const ModelPlan& model);
/// Values per sample that go in, and that the loss compares with (1 for a class number).
[[nodiscard]] std::int64_t input_columns(const ModelPlan& model);
[[nodiscard]] std::int64_t target_columns(const ModelPlan& model);

/// Samples per optimizer step over all ranks: micro batch x accumulation x data parallel ranks.
/// Errors: ShapeError when a product passes 2^63 - 1 (also below).
[[nodiscard]] std::int64_t global_batch_size(const Plan& plan);
/// Tokens per optimizer step; samples for models that do not read tokens.
[[nodiscard]] std::int64_t tokens_per_step(const Plan& plan);
/// GPUs that the parallel section asks for: data x tensor x pipeline x context.
[[nodiscard]] std::int64_t world_size(const ParallelPlan& parallel);
/// Optimizer steps of the whole run, rounded up to whole steps. `samples` is the size of the data
/// set and only read when the plan counts epochs.
/// Errors: Error when the plan counts epochs and `samples` is 0.
[[nodiscard]] std::int64_t total_steps(const Plan& plan, std::int64_t samples = 0);
/// What the matrix products of `precision` take in: f32, tf32, bf16, f16 or f8e4m3.
[[nodiscard]] DType compute_dtype(Precision precision);

}  // namespace headroom
