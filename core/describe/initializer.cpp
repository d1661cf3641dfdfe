#include "core/describe/initializer.h"

#include "core/describe/error.h"

#include <cmath>
#include <string>

namespace headroom {
namespace {

double positive(std::int64_t fan, const char* what) {
  if (fan <= 0) {
    throw ShapeError(std::string("[initialize] ") + what + ": got " + std::to_string(fan) +
                     ", expected at least 1");
  }
  return static_cast<double>(fan);
}

double positive_sigma(double sigma) {
  if (!(sigma > 0)) {
    throw ShapeError("[initialize] truncated normal: got sigma " + std::to_string(sigma) +
                     ", expected a positive one");
  }
  return sigma;
}

double positive_width(double width) {
  if (!(width > 0)) {
    throw ShapeError("[initialize] truncated normal: the cuts are " + std::to_string(width) +
                     " apart, expected the lower one below the upper one");
  }
  return width;
}

}  // namespace

Initializer Initializer::constant(double value) {
  return {.kind = Initializer::Kind::kConstant, .scale = value};
}
Initializer Initializer::normal(double sigma) {
  return {.kind = Initializer::Kind::kNormal, .scale = sigma};
}
Initializer Initializer::uniform(double bound) {
  return {.kind = Initializer::Kind::kUniform, .scale = bound};
}

Initializer Initializer::fan_in_normal(std::int64_t fan_in) {
  return normal(1 / std::sqrt(positive(fan_in, "fan_in")));
}
Initializer Initializer::fan_in_uniform(std::int64_t fan_in) {
  return uniform(1 / std::sqrt(positive(fan_in, "fan_in")));
}

Initializer Initializer::xavier_normal(std::int64_t fan_in, std::int64_t fan_out, double gain) {
  return normal(gain * std::sqrt(2 / (positive(fan_in, "fan_in") + positive(fan_out, "fan_out"))));
}
Initializer Initializer::xavier_uniform(std::int64_t fan_in, std::int64_t fan_out, double gain) {
  // A uniform distribution within b has variance b^2 / 3.
  return uniform(gain * std::sqrt(6 / (positive(fan_in, "fan_in") + positive(fan_out, "fan_out"))));
}

Initializer Initializer::kaiming_normal(std::int64_t fan_in, double gain) {
  return normal(gain / std::sqrt(positive(fan_in, "fan_in")));
}
Initializer Initializer::kaiming_uniform(std::int64_t fan_in, double gain) {
  return uniform(gain * std::sqrt(3 / positive(fan_in, "fan_in")));
}

Initializer Initializer::truncated_normal(double sigma, double cut) {
  return {.kind = Kind::kTruncatedNormal,
          .scale = positive_sigma(sigma),
          .lower = -positive_width(cut),
          .upper = cut};
}
Initializer Initializer::truncated_normal_between(double sigma, double lower, double upper) {
  (void)positive_width(upper - lower);
  return {.kind = Kind::kTruncatedNormal,
          .scale = positive_sigma(sigma),
          .lower = lower / sigma,
          .upper = upper / sigma};
}

}  // namespace headroom
