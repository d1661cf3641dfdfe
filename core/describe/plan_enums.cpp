#include "core/describe/plan_enums.h"

#include <array>

namespace headroom {
namespace {

constexpr std::array kActivations = {
    Choice{"relu", "max(x, 0)"},
    Choice{"gelu", "x times the normal distribution function, by erf"},
    Choice{"gelu_tanh", "the tanh approximation of gelu, as GPT-2 uses"},
    Choice{"silu", "x times its sigmoid"},
};
constexpr std::array kTransformers = {
    Choice{"gpt2", "learned positions, layer norms with biases, an MLP with one activation"},
    Choice{"llama", "rotary positions, RMS norms, a gated MLP; Llama, Mistral, Qwen, SmolLM"},
    Choice{"moe", "llama with several gated MLPs, of which each token goes through some; Mixtral"},
};
constexpr std::array kAttentionBiases = {
    Choice{"none", "no projection adds one"},
    Choice{"qkv", "the projections to q, k and v do, as in Qwen2"},
    Choice{"all", "the output projection does as well"},
};
constexpr std::array kRopeScalings = {
    Choice{"none", "positions as they are"},
    Choice{"linear", "positions divided by the factor"},
    Choice{"llama3", "long wavelengths divided by the factor, short ones kept, as in Llama 3.1"},
};
constexpr std::array kLosses = {
    Choice{"mse", "mean squared error against real targets"},
    Choice{"cross_entropy", "softmax and the negative log of the right class"},
};
constexpr std::array kInitializations = {
    Choice{"fan_in_normal", "normal with sigma 1/sqrt(fan_in), as in the lecture notes"},
    Choice{"xavier_normal", "normal with sigma sqrt(2/(fan_in + fan_out))"},
    Choice{"xavier_uniform", "uniform within sqrt(6/(fan_in + fan_out))"},
    Choice{"kaiming_normal", "normal with sigma sqrt(2/fan_in)"},
    Choice{"kaiming_uniform", "uniform within sqrt(6/fan_in)"},
    Choice{"torch_linear", "uniform within 1/sqrt(fan_in), biases too, as torch.nn.Linear"},
    Choice{"truncated_normal", "fan_in_normal, drawn again beyond 3 sigma"},
    Choice{"gpt2",
           "normal with sigma initializer_range (0.02), outputs to the residual stream over "
           "sqrt(2 layers)"},
};
constexpr std::array kPrecisions = {
    Choice{"f32", "everything in 32-bit floats"},
    Choice{"tf32", "32-bit storage, matrix products rounded to tf32"},
    Choice{"bf16-mixed", "matrix products and activations in bf16, master weights in f32"},
    Choice{"bf16-true", "weights, gradients and optimizer state in bf16 as well"},
    Choice{"fp16-mixed", "matrix products and activations in f16 with loss scaling, f32 masters"},
    Choice{"fp8-mixed", "matrix products in f8, the rest as in bf16-mixed"},
};
constexpr std::array kOptimizers = {
    Choice{"sgd", "gradient descent; momentum, dampening and Nesterov on request"},
    Choice{"adagrad", "scales by the root of the sum of all squared gradients"},
    Choice{"rmsprop", "scales by the root of a running mean of squared gradients"},
    Choice{"adam", "momentum and rmsprop together, with bias correction"},
    Choice{"adamw", "adam with weight decay applied to the weights, not to the gradient"},
};
constexpr std::array kLrSchedules = {
    Choice{"constant", "the same rate after the warm-up"},
    Choice{"linear", "a straight line from lr down to min_lr at the last step"},
    Choice{"cosine", "half a cosine from lr down to min_lr at the last step"},
    Choice{"wsd", "constant, then over the last 20% of the steps down to min_lr as 1 - sqrt"},
};
constexpr std::array kRecomputePolicies = {
    Choice{"none", "keep everything that backward needs"},
    Choice{"elementwise", "recompute what costs no matrix product"},
    Choice{"selective", "recompute the inside of attention and the elementwise outputs"},
    Choice{"full", "keep only the input of every layer"},
    Choice{"every", "keep only the input of every k-th layer"},
};
constexpr std::array kAttentions = {
    Choice{"eager", "holds the whole score matrix"},
    Choice{"flash", "never holds the score matrix; keeps its log-sum-exp"},
};
constexpr std::array kDeterminisms = {
    Choice{"same_threads", "the same bits with the same seed and number of threads"},
    Choice{"strict", "the same bits whatever the number of threads; somewhat slower"},
};
constexpr std::array kDataFormats = {
    Choice{"auto", "by the file's first bytes and its ending"},
    Choice{"bin", "raw values of `data.dtype`, row after row, without a header"},
    Choice{"npy", "NumPy array file"},
    Choice{"csv", "one sample per line; the first line may be a header"},
    Choice{"tokens", "token numbers as nanoGPT or llm.c write them"},
};
constexpr std::array kNormalizes = {
    Choice{"none", "values as they are"},
    Choice{"standardize", "each input column to mean 0 and deviation 1 over the whole file"},
};
constexpr std::array kDevices = {
    Choice{"auto", "the GPU if one can be used, otherwise this processor"},
    Choice{"cpu", "this processor"},
    Choice{"cuda", "an NVIDIA GPU; refused when there is none"},
};
constexpr std::array kFrameworks = {
    Choice{"headroom", "what this engine holds and computes"},
    Choice{"pytorch", "what eager PyTorch holds, with its caching allocator"},
    Choice{"megatron", "Megatron-LM's published rules"},
    Choice{"deepspeed", "DeepSpeed's published rules"},
    Choice{"textbook", "4 (P + A + G + O) bytes, as in the lecture notes"},
};

}  // namespace

template <>
std::span<const Choice> choices<ActivationKind>() {
  return kActivations;
}
template <>
std::span<const Choice> choices<TransformerKind>() {
  return kTransformers;
}
template <>
std::span<const Choice> choices<AttentionBias>() {
  return kAttentionBiases;
}
template <>
std::span<const Choice> choices<RopeScaling>() {
  return kRopeScalings;
}
template <>
std::span<const Choice> choices<LossKind>() {
  return kLosses;
}
template <>
std::span<const Choice> choices<Initialization>() {
  return kInitializations;
}
template <>
std::span<const Choice> choices<Precision>() {
  return kPrecisions;
}
template <>
std::span<const Choice> choices<OptimizerKind>() {
  return kOptimizers;
}
template <>
std::span<const Choice> choices<LrSchedule>() {
  return kLrSchedules;
}
template <>
std::span<const Choice> choices<RecomputePolicy>() {
  return kRecomputePolicies;
}
template <>
std::span<const Choice> choices<Attention>() {
  return kAttentions;
}
template <>
std::span<const Choice> choices<Determinism>() {
  return kDeterminisms;
}
template <>
std::span<const Choice> choices<DataFormat>() {
  return kDataFormats;
}
template <>
std::span<const Choice> choices<Normalize>() {
  return kNormalizes;
}
template <>
std::span<const Choice> choices<DeviceKind>() {
  return kDevices;
}
template <>
std::span<const Choice> choices<Framework>() {
  return kFrameworks;
}

}  // namespace headroom
