#pragma once

#include "core/describe/error.h"
#include "core/describe/plan.h"
#include "core/describe/run_records.h"
#include "core/runtime/device.h"
#include "trainer/run_directory.h"

#include <atomic>
#include <memory>
#include <optional>

namespace headroom::trainer {

/// Told what happens, in the order of the run log. Called on the training thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void on_record(const LogRecord& record) = 0;
  /// Something that the user must know although the run goes on, such as a damaged checkpoint.
  virtual void on_warning(const std::string& text) = 0;
};

struct RunOptions {
  /// Continue from the run folder's newest whole checkpoint; a damaged one is set aside with a
  /// warning.
  bool resume = false;
  /// Set from a signal handler: the step in work is finished and saved, then the run ends.
  const std::atomic<bool>* stop = nullptr;
  std::string program = "headroom";  ///< name and version for the log
};

struct RunOutcome {
  EndRecord end;
  ExitCode code = ExitCode::kOk;
  bool had_all_steps = false;  ///< resumed at its end: nothing was left to do
};

/// A device, and what the system or driver counted before it was opened.
struct OpenedDevice {
  std::unique_ptr<runtime::Device> device;
  Bytes memory_before;
};
/// Opens the device that the plan trains on. Errors: as make_device.
[[nodiscard]] OpenedDevice open_device(const Plan& plan);

/// Trains a plan in a run folder that holds its plan.yaml: opens the data, restores or initialises,
/// runs all steps, logs and saves.
/// Errors: everything that is wrong before the first step is thrown; after it, divergence and
/// running out of memory end the run with their exit code and a record. Other errors are recorded
/// and thrown on.
[[nodiscard]] RunOutcome train(const Plan& plan,
                               OpenedDevice device,
                               const RunDirectory& directory,
                               const RunOptions& options,
                               RunObserver& observer);

}  // namespace headroom::trainer
