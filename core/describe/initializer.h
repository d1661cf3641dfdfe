#pragma once

#include <cstdint>

namespace headroom {

/// The distribution a tensor's first values are drawn from, independently of each other. The usual
/// schemes are functions that choose its numbers from the layer's size.
/// Errors: they throw ShapeError when a fan is not positive or when cuts enclose nothing.
struct Initializer {
  enum class Kind : std::uint8_t {
    kConstant,         ///< every element is `scale`
    kNormal,           ///< mean 0, standard deviation `scale`
    kUniform,          ///< from -scale up to, not including, scale
    kTruncatedNormal,  ///< kNormal given that the value lies between lower and upper times scale
  };
  Kind kind = Kind::kConstant;
  double scale = 0;
  double lower = 0, upper = 0;  ///< cuts in units of `scale`; only of kTruncatedNormal

  /// What a layer must multiply with to keep the variance its activation takes away.
  /// Source: He et al. 2015, section 2.2 (relu halves the mean square).
  static constexpr double kLinearGain = 1;
  static constexpr double kReluGain = 1.4142135623730950488;

  [[nodiscard]] static Initializer zeros() { return constant(0); }
  [[nodiscard]] static Initializer ones() { return constant(1); }
  [[nodiscard]] static Initializer constant(double value);
  [[nodiscard]] static Initializer normal(double sigma);
  [[nodiscard]] static Initializer uniform(double bound);
  /// randn / sqrt(fan_in): keeps the variance of a linear layer's input.
  [[nodiscard]] static Initializer fan_in_normal(std::int64_t fan_in);
  /// Within 1/sqrt(fan_in), which PyTorch's nn.Linear uses for weight and bias.
  [[nodiscard]] static Initializer fan_in_uniform(std::int64_t fan_in);
  /// Variance gain^2 * 2 / (fan_in + fan_out).
  /// Source: Glorot and Bengio 2010, eq. 12 and 16.
  [[nodiscard]] static Initializer xavier_normal(std::int64_t fan_in,
                                                 std::int64_t fan_out,
                                                 double gain = kLinearGain);
  [[nodiscard]] static Initializer xavier_uniform(std::int64_t fan_in,
                                                  std::int64_t fan_out,
                                                  double gain = kLinearGain);
  /// Variance gain^2 / fan_in.
  /// Source: He et al. 2015, eq. 10.
  [[nodiscard]] static Initializer kaiming_normal(std::int64_t fan_in, double gain = kReluGain);
  [[nodiscard]] static Initializer kaiming_uniform(std::int64_t fan_in, double gain = kReluGain);
  /// A normal distribution cut at `cut` times sigma on both sides. The cut lowers the standard
  /// deviation, to 0.9866 sigma at 3; like PyTorch we do not scale it back.
  [[nodiscard]] static Initializer truncated_normal(double sigma, double cut = 3);
  /// The same with cuts given as values, as in PyTorch's trunc_normal_(w, std=sigma, a=lower,
  /// b=upper). There a=-3, b=3 with sigma 1/sqrt(fan_in) is 3 sqrt(fan_in) sigmas out, which cuts
  /// nothing in practice.
  [[nodiscard]] static Initializer truncated_normal_between(double sigma,
                                                            double lower,
                                                            double upper);

  friend bool operator==(const Initializer&, const Initializer&) = default;
};

}  // namespace headroom
