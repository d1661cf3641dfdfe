#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headroom::cuda_double {

enum class Order { kLatest, kOldest, kRandom };

/// The settings of cuda_double.h.
struct Config {
  int devices = 1;
  int driver_version = 13000;  ///< 0: no driver
  int cc_major = 9;
  int cc_minor = 0;
  bool image_missing = false;
  std::size_t memory = std::size_t{80} << 30;
  std::size_t context = std::size_t{512} << 20;
  std::size_t granularity = std::size_t{2} << 20;
  int sms = 132;
  Order order = Order::kLatest;
  std::uint64_t seed = 0;
  bool reject_default_stream = false;
  bool stage_pageable = false;
  bool host_guard = true;
  bool scan_arguments = true;
  bool simulate_blocks = false;
  bool races = true;
  unsigned char poison = 0xCD;
  bool abort_on_violation = false;
  bool report_at_exit = false;
};

/// Applies `key=value,…` to a copy of `base`.
/// Errors: std::invalid_argument, saying which word is wrong and what is allowed.
Config parse_config(const Config& base, std::string_view spec);

/// The defaults with HEADROOM_CUDA_DOUBLE applied; a wrong value prints why and aborts, because a
/// test that silently ran under other rules than it asked for proves nothing.
Config config_from_environment();

}  // namespace headroom::cuda_double
