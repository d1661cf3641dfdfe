#include "tests/doubles/cuda/config.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace headroom::cuda_double {
namespace {

[[noreturn]] void reject(std::string_view key, std::string_view value, std::string_view allowed) {
  throw std::invalid_argument(std::string(key) + "=" + std::string(value) + ": expected " +
                              std::string(allowed));
}

std::uint64_t integer(std::string_view key,
                      std::string_view value,
                      std::string_view digits,
                      std::string_view allowed) {
  int base = 10;
  if (digits.substr(0, 2) == "0x") {
    base = 16;
    digits.remove_prefix(2);
  }
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) reject(key, value, allowed);
  return number;
}

std::size_t size(std::string_view key, std::string_view value) {
  constexpr std::string_view kAllowed = "bytes such as 4096, 512MiB or 80GiB";
  struct Unit {
    std::string_view name;
    int shift;
  };
  constexpr Unit kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"B", 0}};
  for (const Unit& unit : kUnits) {
    if (!value.ends_with(unit.name)) continue;
    const auto count =
        integer(key, value, value.substr(0, value.size() - unit.name.size()), kAllowed);
    if (count > (std::uint64_t{1} << (63 - unit.shift))) reject(key, value, kAllowed);
    return static_cast<std::size_t>(count << unit.shift);
  }
  return static_cast<std::size_t>(integer(key, value, value, kAllowed));
}

int small(std::string_view key, std::string_view value, std::uint64_t limit) {
  const std::string allowed = "a number from 0 to " + std::to_string(limit);
  const auto number = integer(key, value, value, allowed);
  if (number > limit) reject(key, value, allowed);
  return static_cast<int>(number);
}

/// True for the first word, false for the second.
bool choice(std::string_view key,
            std::string_view value,
            std::string_view yes,
            std::string_view no) {
  if (value == yes) return true;
  if (value == no) return false;
  reject(key, value, std::string(yes) + " or " + std::string(no));
}

void apply_order(Config& config, std::string_view value) {
  constexpr std::string_view kRandom = "random:";
  if (value == "latest") {
    config.order = Order::kLatest;
  } else if (value == "oldest") {
    config.order = Order::kOldest;
  } else if (value.starts_with(kRandom)) {
    config.order = Order::kRandom;
    config.seed =
        integer("order", value, value.substr(kRandom.size()), "random:SEED with a number");
  } else {
    reject("order", value, "latest, oldest or random:SEED");
  }
}

void apply_cc(Config& config, std::string_view value) {
  const auto dot = value.find('.');
  if (dot == std::string_view::npos) reject("cc", value, "a compute capability such as 9.0");
  config.cc_major = small("cc", value.substr(0, dot), 99);
  config.cc_minor = small("cc", value.substr(dot + 1), 9);
}

void apply(Config& config, std::string_view key, std::string_view value) {
  if (key == "devices") {
    config.devices = small(key, value, 64);
  } else if (key == "driver") {
    config.driver_version = value == "none" ? 0 : small(key, value, 99999);
  } else if (key == "cc") {
    apply_cc(config, value);
  } else if (key == "image") {
    config.image_missing = choice(key, value, "missing", "auto");
  } else if (key == "memory") {
    config.memory = size(key, value);
  } else if (key == "context") {
    config.context = size(key, value);
  } else if (key == "granularity") {
    config.granularity = size(key, value);
    if (config.granularity == 0) reject(key, value, "at least 1 byte");
  } else if (key == "sms") {
    config.sms = small(key, value, 1024);
  } else if (key == "order") {
    apply_order(config, value);
  } else if (key == "default_stream") {
    config.reject_default_stream = choice(key, value, "reject", "legacy");
  } else if (key == "pageable") {
    config.stage_pageable = choice(key, value, "stage", "error");
  } else if (key == "host_guard") {
    config.host_guard = choice(key, value, "on", "off");
  } else if (key == "scan_arguments") {
    config.scan_arguments = choice(key, value, "on", "off");
  } else if (key == "blocks") {
    config.simulate_blocks = choice(key, value, "simulate", "serial");
  } else if (key == "races") {
    config.races = choice(key, value, "on", "off");
  } else if (key == "poison") {
    config.poison = static_cast<unsigned char>(small(key, value, 255));
  } else if (key == "abort") {
    config.abort_on_violation = choice(key, value, "on", "off");
  } else if (key == "report") {
    config.report_at_exit = choice(key, value, "on", "off");
  } else {
    throw std::invalid_argument(std::string(key) + ": unknown key (see cuda_double.h)");
  }
}

}  // namespace

Config parse_config(const Config& base, std::string_view spec) {
  Config config = base;
  while (!spec.empty()) {
    const auto comma = spec.find(',');
    const std::string_view word = spec.substr(0, comma);
    spec.remove_prefix(comma == std::string_view::npos ? spec.size() : comma + 1);
    if (word.empty()) continue;
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) {
      throw std::invalid_argument(std::string(word) + ": expected key=value");
    }
    apply(config, word.substr(0, equals), word.substr(equals + 1));
  }
  if (config.context > config.memory) {
    throw std::invalid_argument("context: larger than memory");
  }
  return config;
}

Config config_from_environment() {
  const char* spec = std::getenv("HEADROOM_CUDA_DOUBLE");
  if (spec == nullptr) return {};
  try {
    return parse_config({}, spec);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "HEADROOM_CUDA_DOUBLE: %s\n", error.what());
    std::abort();
  }
}

}  // namespace headroom::cuda_double
