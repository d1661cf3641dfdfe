#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headroom {

enum class ActivationKind : std::uint8_t { kRelu, kGelu, kGeluTanh, kSilu };
enum class TransformerKind : std::uint8_t { kGpt2, kLlama, kMoe };
enum class AttentionBias : std::uint8_t { kNone, kQkv, kAll };
enum class RopeScaling : std::uint8_t { kNone, kLinear, kLlama3 };
enum class LossKind : std::uint8_t { kMse, kCrossEntropy };
enum class Initialization : std::uint8_t {
  kFanInNormal,
  kXavierNormal,
  kXavierUniform,
  kKaimingNormal,
  kKaimingUniform,
  kTorchLinear,
  kTruncatedNormal,
  kGpt2,
};
enum class Precision : std::uint8_t { kF32, kTf32, kBf16Mixed, kBf16True, kFp16Mixed, kFp8Mixed };
enum class OptimizerKind : std::uint8_t { kSgd, kAdagrad, kRmsprop, kAdam, kAdamw };
enum class LrSchedule : std::uint8_t { kConstant, kLinear, kCosine, kWsd };
enum class RecomputePolicy : std::uint8_t { kNone, kElementwise, kSelective, kFull, kEvery };
enum class Attention : std::uint8_t { kEager, kFlash };
enum class Determinism : std::uint8_t { kSameThreads, kStrict };
enum class DataFormat : std::uint8_t { kAuto, kBin, kNpy, kCsv, kTokens };
enum class Normalize : std::uint8_t { kNone, kStandardize };
enum class DeviceKind : std::uint8_t { kAuto, kCpu, kCuda };
enum class Framework : std::uint8_t { kHeadroom, kPytorch, kMegatron, kDeepspeed, kTextbook };

/// A word that a plan key accepts, and what it means.
struct Choice {
  std::string_view name;
  std::string_view meaning;
};

/// The words of one enum, in the order of its values: `choices<Precision>()[1].name == "tf32"`.
template <class Enum>
[[nodiscard]] std::span<const Choice> choices() = delete;

template <>
std::span<const Choice> choices<ActivationKind>();
template <>
std::span<const Choice> choices<TransformerKind>();
template <>
std::span<const Choice> choices<AttentionBias>();
template <>
std::span<const Choice> choices<RopeScaling>();
template <>
std::span<const Choice> choices<LossKind>();
template <>
std::span<const Choice> choices<Initialization>();
template <>
std::span<const Choice> choices<Precision>();
template <>
std::span<const Choice> choices<OptimizerKind>();
template <>
std::span<const Choice> choices<LrSchedule>();
template <>
std::span<const Choice> choices<RecomputePolicy>();
template <>
std::span<const Choice> choices<Attention>();
template <>
std::span<const Choice> choices<Determinism>();
template <>
std::span<const Choice> choices<DataFormat>();
template <>
std::span<const Choice> choices<Normalize>();
template <>
std::span<const Choice> choices<DeviceKind>();
template <>
std::span<const Choice> choices<Framework>();

/// An enum whose words are listed by choices().
template <class Enum>
concept PlanEnum = requires {
  choices<Enum>();
};

/// The word of a value as in plan files: `name(Precision::kBf16Mixed) == "bf16-mixed"`.
template <PlanEnum Enum>
[[nodiscard]] std::string_view name(Enum value) {
  return choices<Enum>()[static_cast<std::size_t>(value)].name;
}

/// The value of a word, or nothing: `from_name<OptimizerKind>("adamw")`.
template <PlanEnum Enum>
[[nodiscard]] std::optional<Enum> from_name(std::string_view word) {
  const std::span<const Choice> all = choices<Enum>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace headroom
