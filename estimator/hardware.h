#pragma once

#include "core/describe/config_node.h"
#include "core/describe/dtype.h"
#include "core/describe/units.h"
#include "estimator/figure.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headroom::estimator {

enum class HardwareKind : std::uint8_t { kGpu, kCpu };
[[nodiscard]] std::string_view name(HardwareKind kind);

struct MemorySpec {
  /// As marketed, GB read as 10^9 bytes. Absent for a generic processor: the machine decides.
  std::optional<Figure<Bytes>> nominal;
  /// What a program finds: `value` is the total the vendor's tool shows, `low` what the runtime
  /// offers where that is known to be less.
  std::optional<Figure<Bytes>> usable;
  Figure<BytesPerSecond> bandwidth;      ///< datasheet peak
  Figure<double> bandwidth_fraction;     ///< share of the peak that streaming kernels reach
  std::optional<Figure<Bytes>> context;  ///< driver context and loaded kernels, per process
  friend bool operator==(const MemorySpec&, const MemorySpec&) = default;
};

/// How much of the peak a matrix product reaches. Without measurements the sustained rate is
/// peak x fraction, lowered by tile quantisation (`units`) and short inner sizes (`k_half`).
struct MatmulSpec {
  std::map<DType, Figure<double>> fraction;  ///< both fp8 formats are filed under f8e4m3
  Figure<double> default_fraction;           ///< for dtypes without their own
  std::optional<Figure<double>> units;       ///< multiprocessors or compute units
  std::optional<Figure<double>> k_half;      ///< inner size K at which half the rate is reached
  friend bool operator==(const MatmulSpec&, const MatmulSpec&) = default;
};

struct LaunchSpec {
  Figure<Seconds> gap;       ///< start and drain of one kernel or parallel region on the device
  Figure<Seconds> interval;  ///< shortest time between two launches by the host
  friend bool operator==(const LaunchSpec&, const LaunchSpec&) = default;
};

struct HostLinkSpec {
  std::string name;  ///< `PCIe 5.0 x16`, ...
  Figure<BytesPerSecond> pinned;
  Figure<BytesPerSecond> pageable;
  friend bool operator==(const HostLinkSpec&, const HostLinkSpec&) = default;
};

/// One direction, per GPU.
struct InterconnectSpec {
  std::optional<Figure<BytesPerSecond>> gpu_link;  ///< NVLink, Infinity Fabric
  std::optional<Figure<BytesPerSecond>> network;   ///< share of the node's network cards
  friend bool operator==(const InterconnectSpec&, const InterconnectSpec&) = default;
};

struct Price {
  Usd low, typical, high;  ///< per GPU and hour
  std::string date;        ///< when it was true: `2026-05`
  Standing standing = Standing::kPublished;
  std::string source;
  friend bool operator==(const Price&, const Price&) = default;
};

struct MeasuredMatmul {
  DType dtype = DType::kF32;
  std::int64_t m = 0, n = 0, k = 0;
  FlopsPerSecond rate;
  friend bool operator==(const MeasuredMatmul&, const MeasuredMatmul&) = default;
};

/// What `headroom bench` read on the very device. Sustained values, never the best of several.
struct MeasuredRates {
  std::string device_name;
  std::string date;        ///< `2026-11-30`
  std::string conditions;  ///< threads, clock, power limit, temperature: whatever moves the rates
  std::vector<MeasuredMatmul> matmul;
  std::optional<BytesPerSecond> bandwidth;  ///< bytes read plus bytes written by a copy
  std::optional<Seconds> launch_gap;        ///< an empty kernel or parallel region
  std::optional<BytesPerSecond> pinned, pageable;
  std::optional<Bytes> memory_total;
  friend bool operator==(const MeasuredRates&, const MeasuredRates&) = default;
};

/// One device as the estimator sees it. Peaks are dense; what is not known is absent.
struct Hardware {
  std::string name;     ///< `h100-sxm`: how plans call it
  std::string display;  ///< `H100 SXM`
  std::string vendor;
  HardwareKind kind = HardwareKind::kGpu;
  std::vector<std::string> aliases;
  MemorySpec memory;
  std::map<DType, Figure<FlopsPerSecond>> peak;  ///< both fp8 formats are filed under f8e4m3
  std::vector<DType> unsupported;                ///< known not to exist on this device
  MatmulSpec matmul;
  LaunchSpec launch;
  std::optional<HostLinkSpec> host_link;
  InterconnectSpec interconnect;
  std::optional<Price> price;
  std::optional<MeasuredRates> measured;
  std::vector<std::string> notes;
  friend bool operator==(const Hardware&, const Hardware&) = default;
};

/// f8e5m2 is filed under f8e4m3; every other dtype under itself.
[[nodiscard]] constexpr DType rate_key(DType dtype) {
  return dtype == DType::kF8e5m2 ? DType::kF8e4m3 : dtype;
}

/// The dense peak that utilisation is divided by, or nothing when the file has none.
[[nodiscard]] std::optional<Figure<FlopsPerSecond>> peak(const Hardware& hardware, DType dtype);
/// Why there is no rate for `dtype`: `v100-sxm-16gb has no bf16 matrix units; it has f16, f32,
/// f64`.
[[nodiscard]] std::string missing_rate_message(const Hardware& hardware, DType dtype);

/// Bytes a program may count on: measured, else usable, else nominal; nothing for a generic CPU.
[[nodiscard]] std::optional<Figure<Bytes>> capacity(const Hardware& hardware);

/// `base` with what was measured laid over it. Peaks missing in `base` become the best rate
/// measured for that dtype, marked so.
[[nodiscard]] Hardware with_measured(Hardware base, MeasuredRates rates);

/// Reads a hardware file. Errors: ConfigError with every problem of the file.
[[nodiscard]] Hardware hardware_from_node(const ConfigNode& node);
/// The file that hardware_from_node reads back to an equal value.
[[nodiscard]] std::string hardware_to_yaml(const Hardware& hardware);

}  // namespace headroom::estimator
