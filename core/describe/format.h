#pragma once

#include "core/describe/units.h"

#include <string>
#include <string_view>

namespace headroom {

/// How numbers look to people, the same in the terminal, in the window and in reports.

/// `512 B`, `1.50 KiB`, `23.4 GiB`: three significant digits, units of 2^10.
[[nodiscard]] std::string format_bytes(Bytes bytes);
/// The same in units of 10^3 (`25.1 GB`), for those who ask for them.
[[nodiscard]] std::string format_bytes_decimal(Bytes bytes);
/// `8,393,728`
[[nodiscard]] std::string format_count(std::int64_t count);
/// `1 step`, `8,393 steps`: a count of things, whose plural takes an s.
[[nodiscard]] std::string format_counted(std::int64_t count, std::string_view thing);
/// A value in the shortest form of up to `digits` significant digits; `nan` whatever its sign.
[[nodiscard]] std::string format_value(double value, int digits);
/// `8.39 M`, `7.24 B`: for parameters and samples.
[[nodiscard]] std::string format_short_count(double count);
/// `12.9 GFLOP`
[[nodiscard]] std::string format_flops(Flops flops);
/// `95.3 GFLOP/s`
[[nodiscard]] std::string format_rate(FlopsPerSecond rate);
/// `310 us`, `12.4 ms`, `3.20 s`, `5 min 12 s`, `3 h 20 min`, `12.5 days`,
/// `3.20 years`, `4.1e+09 years`
[[nodiscard]] std::string format_seconds(Seconds time);
/// `$0.0042`, `$12.30`, `$1,250`
[[nodiscard]] std::string format_usd(Usd amount);
/// `54.2%`
[[nodiscard]] std::string format_percent(double share);
/// `+0.00%`, `-1.25%`: an error, always with its sign.
[[nodiscard]] std::string format_error(double error);

}  // namespace headroom
