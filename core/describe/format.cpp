#include "core/describe/format.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace headroom {
namespace {

std::string print(const char* format, double value) {
  // A NaN's sign bit means nothing, but would be printed.
  if (std::isnan(value)) value = std::abs(value);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// Three significant digits without an exponent.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return print("%.0f", value);
  if (size >= 9.995) return print("%.1f", value);
  return print("%.2f", value);
}

/// The value in the largest unit that leaves at least 1, with its name.
template <std::size_t N>
std::string scaled(double value, double base, const std::array<std::string_view, N>& units) {
  const double original = value;
  std::size_t unit = 0;
  if (!std::isfinite(value)) return print("%f", value);
  // 999.5 would be printed as 1000: it belongs to the next unit.
  while (unit + 1 < N && std::abs(value) >= (base == 1000 ? 999.5 : base - 0.5)) {
    value /= base;
    ++unit;
  }
  // Past the largest unit nobody counts digits.
  const bool endless = unit + 1 == N && std::abs(value) >= 99'999.5;
  if (endless) unit = 0;
  const bool whole = unit == 0 && value == std::floor(value);
  std::string text = endless ? print("%.2e", original)
                     : whole ? print("%.0f", value)
                             : three_digits(value);
  if (!units[unit].empty()) text.append(" ").append(units[unit]);
  return text;
}

constexpr std::array<std::string_view, 7> kBinary = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
constexpr std::array<std::string_view, 7> kDecimal = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
constexpr std::array<std::string_view, 5> kCounts = {"", "K", "M", "B", "T"};
constexpr std::array<std::string_view, 7> kFlops = {"FLOP",  "kFLOP", "MFLOP", "GFLOP",
                                                    "TFLOP", "PFLOP", "EFLOP"};

}  // namespace

std::string format_bytes(Bytes bytes) {
  return scaled(static_cast<double>(bytes.value()), 1024, kBinary);
}

std::string format_bytes_decimal(Bytes bytes) {
  return scaled(static_cast<double>(bytes.value()), 1000, kDecimal);
}

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string format_counted(std::int64_t count, std::string_view thing) {
  std::string text = format_count(count) + ' ';
  text.append(thing);
  if (count != 1) text += 's';
  return text;
}

std::string format_value(double value, int digits) {
  if (std::isnan(value)) return "nan";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

std::string format_short_count(double count) { return scaled(count, 1000, kCounts); }

std::string format_flops(Flops flops) {
  constexpr double kLargest = 1e21;
  if (flops.value() >= kLargest) return print("%.2e FLOP", flops.value());
  return scaled(flops.value(), 1000, kFlops);
}

std::string format_rate(FlopsPerSecond rate) { return format_flops(Flops(rate.value())) + "/s"; }

std::string format_seconds(Seconds time) {
  const double s = time.value();
  if (!std::isfinite(s)) return print("%f s", s);
  if (s == 0) return "0 s";
  if (s < 0.9995e-3) return three_digits(s * 1e6) + " us";
  if (s < 0.9995) return three_digits(s * 1e3) + " ms";
  if (s < 60) return three_digits(s) + " s";
  constexpr double kDay = 86400, kYear = 365.25 * kDay;
  if (s >= 1e6 * kYear) return print("%.2g years", s / kYear);
  if (s >= 9999.5 * kYear) {
    return format_count(static_cast<std::int64_t>(s / kYear + 0.5)) + " years";
  }
  if (s >= 2 * kYear) return three_digits(s / kYear) + " years";
  const auto whole = static_cast<std::int64_t>(s + 0.5);
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  }
  const std::int64_t minutes = (whole + 30) / 60;
  if (minutes < 48 * 60) {
    return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
  }
  return three_digits(s / kDay) + " days";
}

std::string format_usd(Usd amount) {
  const double usd = amount.value();
  constexpr double kLongest = 1e15;
  if (!(std::abs(usd) < kLongest)) return "$" + print("%.2e", usd);
  if (std::abs(usd) >= 1000) return "$" + format_count(std::llround(usd));
  if (std::abs(usd) >= 0.1 || usd == 0) return "$" + print("%.2f", usd);
  return "$" + print("%.2g", usd);
}

std::string format_percent(double share) { return print("%.1f%%", share * 100); }

std::string format_error(double error) { return print("%+.2f%%", error * 100); }

}  // namespace headroom
