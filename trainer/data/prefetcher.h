#pragma once

#include "core/describe/units.h"
#include "trainer/data/batch.h"
#include "trainer/data/loader.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace headroom::trainer {

/// Fills batches in order on a thread of its own, ahead of the one who uses them.
///
/// The caller owns the buffers: a ring of at least two, which the thread fills from the first on.
/// `acquire` hands out the next batch, `release` gives the oldest one handed out back to be filled
/// again; several may be out at once, as long as one buffer remains. Nothing is allocated after the
/// constructor. An error while loading is thrown by the `acquire` that would have handed out that
/// batch, and by each one after it. The destructor stops the thread after the batch in work.
/// Threads: one consumer.
class Prefetcher {
 public:
  struct Batch {
    std::int64_t step = 0;
    std::int64_t micro_step = 0;
    std::size_t slot = 0;  ///< which buffer of the ring
    BatchBuffers buffers;
  };

  /// Loads steps first_step .. end_step - 1, all micro steps of each. `loader` and the memory
  /// behind `ring` must outlive the prefetcher. Errors: Error when the ring has fewer than two
  /// buffers.
  Prefetcher(const Loader& loader,
             std::vector<BatchBuffers> ring,
             std::int64_t first_step,
             std::int64_t end_step);
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;
  ~Prefetcher();

  /// Waits for the next batch. Errors: whatever loading threw; Error when all batches were handed
  /// out, or when every buffer is out.
  [[nodiscard]] Batch acquire();
  /// Errors: Error when no batch is out.
  void release();

  /// Time the consumer has spent waiting in `acquire`: what data loading costs the run.
  [[nodiscard]] Seconds waited() const { return waited_; }

 private:
  void run();
  [[nodiscard]] bool has_room() const { return filled_ - released_ < ring_.size(); }

  const Loader& loader_;
  const std::vector<BatchBuffers> ring_;
  const std::int64_t first_micro_batch_;
  const std::size_t total_;  ///< batches to load in all

  std::mutex mutex_;
  std::condition_variable filled_changed_, released_changed_;
  // Counts since the start; guarded by mutex_. Batch i is in slot i % ring size.
  std::size_t filled_ = 0, acquired_ = 0, released_ = 0;
  bool stopping_ = false;
  std::exception_ptr error_;

  Seconds waited_{0};
  std::thread thread_;  ///< last, so that everything it uses exists before it starts
};

}  // namespace headroom::trainer
