#pragma once

#include "core/runtime/executor.h"
#include "trainer/data/loader.h"
#include "trainer/data/prefetcher.h"

#include <memory>
#include <string>
#include <vector>

namespace headroom::trainer {

/// Opens the data of a plan and says which samples make up each batch.
/// Errors: as open_dataset; ConfigError when the plan names no data.
[[nodiscard]] std::unique_ptr<Loader> make_loader(const Plan& plan);
/// The same for what is held out; nothing when the plan does not evaluate.
[[nodiscard]] std::unique_ptr<Loader> make_evaluation_loader(const Plan& plan);

/// One line on where the data came from, for the log.
[[nodiscard]] std::string data_description(const Loader& loader);

/// Feeds the executor from a loading thread that stays one batch ahead.
class PrefetchedBatches final : public runtime::BatchSource {
 public:
  /// `buffers` as Executor::batch_buffers: per slot, inputs then targets. `steps_done` optimizer
  /// steps have been run before; the executor may look one step past `end_step`.
  PrefetchedBatches(const Loader& loader,
                    const std::vector<std::vector<void*>>& buffers,
                    std::int64_t steps_done,
                    std::int64_t end_step);
  void acquire(std::int64_t micro, int slot) override;
  void release(std::int64_t micro, int slot) override;
  [[nodiscard]] Seconds waited() const { return prefetcher_.waited(); }

 private:
  Prefetcher prefetcher_;
};

}  // namespace headroom::trainer
