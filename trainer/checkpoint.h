#pragma once

#include "core/describe/plan.h"
#include "core/runtime/executor.h"
#include "trainer/loss_scaler.h"
#include "trainer/run_directory.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace headroom::trainer {

/// What a checkpoint knows beside its tensors.
struct CheckpointState {
  std::int64_t step = 0;  ///< optimizer steps done
  std::uint64_t seed = 0;
  std::optional<double> first_loss, best_loss;
  LossScaler::State loss_scale;  ///< fp16-mixed
};

/// Writes parameters, optimizer states and `state` into the folder `path`, whole or not at all.
/// Errors: IoError, e.g. when the disk is full; an older checkpoint stays as it was.
void save_checkpoint(const std::filesystem::path& path,
                     const runtime::Executor& executor,
                     const CheckpointState& state);

/// Restores what save_checkpoint wrote. Nothing is changed unless all of it fits.
/// Errors: IoError naming the file when it is damaged, a tensor is missing, or shapes or dtypes
/// differ from the model's.
[[nodiscard]] CheckpointState load_checkpoint(const std::filesystem::path& path,
                                              runtime::Executor& executor);

/// Restores the newest checkpoint of a run that is whole. Newer ones that are damaged are renamed
/// to `step-N.damaged`, so that they are neither taken for the newest nor kept in place of whole
/// ones; `warn` is told of each. Errors: IoError when there is none, or none is whole; then nothing
/// is renamed.
[[nodiscard]] CheckpointState restore_newest(const RunDirectory& run,
                                             runtime::Executor& executor,
                                             const std::function<void(const std::string&)>& warn);

/// Restores the parameters alone, for using a trained model. Errors: as load_checkpoint.
void load_parameters(const std::filesystem::path& path, runtime::Executor& executor);

}  // namespace headroom::trainer
