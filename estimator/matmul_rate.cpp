#include "estimator/matmul_rate.h"

#include "core/describe/error.h"

#include <algorithm>
#include <cmath>

namespace headroom::estimator {
namespace {

struct Tile {
  int m, n;
  double efficiency;
};
// Output tiles that vendor libraries use, with the rate of each relative to the best.
constexpr Tile kTiles[] = {{128, 256, 1.0}, {256, 128, 1.0}, {128, 128, 0.95}, {64, 128, 0.80}};
constexpr double kSplitEfficiency = 0.93;  // of kernels that cut K in 2 or 4 and add the parts
constexpr int kAlignment = 64;
constexpr double kUnalignedEfficiency = 0.82;
constexpr double kFp8RampFactor = 3;

// How far a measured table is trusted: near a measured size, and far from all of them.
constexpr double kNearBand = 0.08, kFarBand = 0.30;
const double kNearDistance = std::log(2.0), kFarDistance = std::log(16.0);
constexpr std::size_t kNeighbours = 4;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double tile_use(const MatmulSize& size, std::int64_t units) {
  double best = 0;
  for (const Tile& tile : kTiles) {
    const std::int64_t tiles = ceil_div(size.m, tile.m) * ceil_div(size.n, tile.n) * size.batch;
    const double in_tiles = static_cast<double>(tiles) * tile.m * tile.n;
    for (const int split : {1, 2, 4}) {
      // Tiles over the places for tiles in all waves.
      const std::int64_t places = ceil_div(tiles * split, units) * units;
      const double filled = static_cast<double>(tiles * split) / static_cast<double>(places);
      best =
          std::max(best, filled / in_tiles * tile.efficiency * (split > 1 ? kSplitEfficiency : 1));
    }
  }
  const double outputs =
      static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.batch);
  return std::min(best * outputs, 1.0);
}

bool on_matrix_units(DType dtype) { return dtype != DType::kF32 && dtype != DType::kF64; }

std::size_t index(Case c) { return static_cast<std::size_t>(c); }

}  // namespace

double shape_factor(const MatmulSpec& spec, const MatmulSize& size, DType dtype) {
  if (!spec.units) return 1;
  double factor = tile_use(size, std::max<std::int64_t>(1, std::llround(spec.units->value)));
  const auto k = static_cast<double>(size.k);
  if (spec.k_half) {
    factor *=
        k / (k + spec.k_half->value * (rate_key(dtype) == DType::kF8e4m3 ? kFp8RampFactor : 1));
  }
  if (on_matrix_units(dtype) && (size.n % kAlignment != 0 || size.k % kAlignment != 0)) {
    factor *= kUnalignedEfficiency;
  }
  return factor;
}

bool MatmulRates::known(const Hardware& hardware, DType dtype) {
  if (hardware.peak.contains(rate_key(dtype))) return true;
  if (!hardware.measured) return false;
  const auto& rows = hardware.measured->matmul;
  return std::any_of(rows.begin(), rows.end(), [&](const MeasuredMatmul& row) {
    return rate_key(row.dtype) == rate_key(dtype);
  });
}

MatmulRates::MatmulRates(const Hardware& hardware, DType dtype)
    : spec_(hardware.matmul), dtype_(rate_key(dtype)) {
  if (!known(hardware, dtype)) {
    throw Error(missing_rate_message(hardware, dtype), ExitCode::kUsage);
  }
  if (hardware.measured) {
    for (const MeasuredMatmul& row : hardware.measured->matmul) {
      if (rate_key(row.dtype) != dtype_) continue;
      const double shape = shape_factor(spec_, {row.m, row.n, row.k, 1}, dtype_);
      points_.push_back({std::log(static_cast<double>(row.m)), std::log(static_cast<double>(row.n)),
                         std::log(static_cast<double>(row.k)), std::log(row.rate.value() / shape)});
    }
  }
  if (measured()) return;
  const Figure<FlopsPerSecond>& peak = hardware.peak.at(dtype_);
  const auto own = spec_.fraction.find(dtype_);
  const Figure<double>& fraction =
      own == spec_.fraction.end() ? spec_.default_fraction : own->second;
  for (const Case c : {Case::kBest, Case::kTypical, Case::kWorst}) {
    sustained_[index(c)] = rate_at(peak, c) * rate_at(fraction, c);
  }
}

MatmulRates::Rates MatmulRates::at(const MatmulSize& size) const {
  Rates rates = measured() ? interpolated(size) : sustained_;
  const double shape = shape_factor(spec_, size, dtype_);
  for (FlopsPerSecond& rate : rates) rate = rate * shape;
  return rates;
}

MatmulRates::Rates MatmulRates::interpolated(const MatmulSize& size) const {
  const double m = std::log(static_cast<double>(size.m));
  const double n = std::log(static_cast<double>(size.n));
  const double k = std::log(static_cast<double>(size.k));
  // The nearest few, kept sorted by distance. A product and its transpose take the same time, so
  // m and n may change places.
  std::array<std::pair<double, double>, kNeighbours> near;  // distance, log rate
  std::size_t count = 0;
  for (const Point& point : points_) {
    const double along_k = point.log_k - k;
    const double straight = std::hypot(point.log_m - m, point.log_n - n, along_k);
    const double swapped = std::hypot(point.log_m - n, point.log_n - m, along_k);
    std::pair<double, double> entry(std::min(straight, swapped), point.log_rate);
    for (std::size_t i = 0; i < count; ++i) {
      if (entry.first < near[i].first) std::swap(entry, near[i]);
    }
    if (count < kNeighbours) near[count++] = entry;
  }
  constexpr double kSamePlace = 1e-9;
  double weights = 0, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (near[0].first < kSamePlace && near[i].first >= kSamePlace) break;
    const double distance = std::max(near[i].first, kSamePlace);
    const double weight = 1 / (distance * distance);
    weights += weight;
    sum += weight * near[i].second;
  }
  const double rate = std::exp(sum / weights);
  const double away =
      std::clamp((near[0].first - kNearDistance) / (kFarDistance - kNearDistance), 0.0, 1.0);
  const double band = kNearBand + (kFarBand - kNearBand) * away;
  Rates rates;
  rates[index(Case::kBest)] = FlopsPerSecond(rate * (1 + band));
  rates[index(Case::kTypical)] = FlopsPerSecond(rate);
  rates[index(Case::kWorst)] = FlopsPerSecond(rate * (1 - band));
  return rates;
}

}  // namespace headroom::estimator
