#pragma once

#include "core/describe/category.h"
#include "core/describe/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace headroom {

/// The lines of a run log. Every struct is one record type; what a record does not know is unset.

/// First line of a session: a run that was resumed has several.
struct RunRecord {
  static constexpr int kSchemaVersion = 1;
  int schema_version = kSchemaVersion;
  std::string program;  ///< name and version
  std::string time;     ///< when the session started, ISO 8601 UTC
  std::string model;    ///< `cruncher`, `mlp`, ...
  std::string device;   ///< `cpu`, `cuda`
  std::string device_name;
  std::string data;  ///< where the data came from; says so when it is synthetic
  std::int64_t parameters = 0;
  std::int64_t items_per_step = 0;
  std::string item = "sample";  ///< `sample` or `token`
  std::int64_t first_step = 1;
  std::int64_t total_steps = 0;
  std::optional<double> peak_flops_per_s;  ///< what MFU divides by
  std::string peak_source;
};

struct StepRecord {
  std::int64_t step = 0;
  double loss = 0;
  double learning_rate = 0;
  std::optional<double> grad_norm;
  double step_s = 0;
  double items_per_s = 0;
  std::optional<double> mfu;
  Bytes memory_now;        ///< payload of live tensors after the step
  Bytes memory_peak;       ///< most during the step
  double data_wait_s = 0;  ///< part of step_s spent waiting for a batch
};

/// What the ledger and the operating system or driver saw. Written after the first step and again
/// at the end of a session.
struct MemoryRecord {
  std::int64_t step = 0;
  PerCategory<Bytes> tensors;    ///< payload at the peak
  PerCategory<Bytes> allocated;  ///< after rounding, at the same moment
  PerCategory<Bytes> steady;     ///< payload between steps
  Bytes tensors_peak, allocated_peak, reserved_peak;
  Bytes host_reserved;  ///< pinned host memory
  Bytes device_start;   ///< counted by system or driver before the device was opened
  Bytes device_peak;    ///< the most seen since, in the same count
  std::vector<std::pair<std::string, Bytes>> fixed_parts;
  std::string peak_phase, peak_op;
};

struct EvalRecord {
  std::int64_t step = 0;
  double loss = 0;
};

struct CheckpointRecord {
  std::int64_t step = 0;
  std::string path;  ///< relative to the run folder
  double seconds = 0;
};

/// Last line of a session that ended in any orderly way.
struct EndRecord {
  std::string reason;  ///< `finished`, `interrupted`, `diverged`, `failed`
  std::string message;
  std::int64_t step = 0;  ///< last one done
  double wall_s = 0;      ///< of this session
  std::optional<double> first_loss, last_loss, best_loss;
  std::optional<double> items_per_s, mfu;  ///< over the session, without its first steps
};

struct OomRecord {
  std::int64_t step = 0;
  Bytes requested, free, capacity;
  std::string message;
};

using LogRecord = std::variant<RunRecord,
                               StepRecord,
                               MemoryRecord,
                               EvalRecord,
                               CheckpointRecord,
                               EndRecord,
                               OomRecord>;

}  // namespace headroom
