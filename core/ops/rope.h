#pragma once

#include "core/describe/op.h"
#include "core/describe/plan_enums.h"

#include <array>

namespace headroom::ops {

/// Which two elements of a head turn together: i and i + head_dim/2 (Hugging Face's
/// `rotate_half`), or 2i and 2i + 1 (the paper's).
enum class RopePairs : std::uint8_t { kHalves, kNeighbours };

/// Rotary position embedding: in each of the first `heads` heads of a row, pair i of elements turns
/// by the angle position * theta^(-2i / head_dim). What lies behind those heads passes unchanged,
/// so that the queries and keys of a packed projection can be turned where they are. Shapes: x
/// (batch, time, columns), columns a multiple of head_dim -> y of the same shape. Keeps nothing:
/// backward turns the gradient back. Works in place, forward and backward. Angles are reduced in
/// f64 and the result is exact to a few roundings at any position; Hugging Face rounds them to f32
/// first, an error of position * 2^-24. FLOPs: 3 per element turned (6 per pair). Workspace: cosine
/// and sine per position and pair. Source: Su et al. 2021; `rope_scaling` of Hugging Face
/// transformers (linear, llama3).
class Rope final : public Op {
 public:
  struct Options {
    std::int64_t heads = 1;
    std::int64_t head_dim = 2;
    RopePairs pairs = RopePairs::kHalves;
    double theta = 10000;
    std::int64_t first_position = 0;  ///< of the first row of every sequence
    RopeScaling scaling = RopeScaling::kNone;
    double factor = 1;
    double low_freq_factor = 1;   ///< llama3: wavelengths above original / low are divided
    double high_freq_factor = 4;  ///< llama3: wavelengths below original / high are kept
    std::int64_t original_max_position = 8192;  ///< llama3
  };
  static constexpr std::string_view kName = "rope";
  static constexpr std::int64_t kMaxPairs = 128;

  explicit Rope(Options options) : options_(options) {}
  [[nodiscard]] const Options& options() const { return options_; }
  /// Radians per position of each pair; head_dim / 2 of them.
  [[nodiscard]] std::array<double, kMaxPairs> frequencies() const;

  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override { return {}; }
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes forward_workspace(std::span<const TensorType> inputs) const override;
  [[nodiscard]] Bytes backward_workspace(std::span<const TensorType> inputs,
                                         GradientMask wanted) const override;
  [[nodiscard]] InPlaceRules forward_in_place() const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t inputs,
                                               std::size_t outputs) const override;

 private:
  void check_options() const;

  Options options_;
};

}  // namespace headroom::ops
