#include "trainer/data/prefetcher.h"

#include "core/describe/error.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headroom::trainer {
namespace {

std::vector<BatchBuffers> checked_ring(std::vector<BatchBuffers> ring) {
  if (ring.size() < 2) throw Error("prefetching needs at least two buffers");
  return ring;
}

}  // namespace

Prefetcher::Prefetcher(const Loader& loader,
                       std::vector<BatchBuffers> ring,
                       std::int64_t first_step,
                       std::int64_t end_step)
    : loader_(loader),
      ring_(checked_ring(std::move(ring))),
      first_micro_batch_(first_step * loader.sampler().options().accumulation),
      total_(static_cast<std::size_t>(std::max<std::int64_t>(end_step - first_step, 0) *
                                      loader.sampler().options().accumulation)),
      thread_([this] { run(); }) {}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  released_changed_.notify_one();
  thread_.join();
}

void Prefetcher::run() {
  const std::int64_t accumulation = loader_.sampler().options().accumulation;
  for (std::size_t i = 0; i < total_; ++i) {
    {
      std::unique_lock lock(mutex_);
      released_changed_.wait(lock, [&] { return stopping_ || has_room(); });
      if (stopping_) return;
    }
    const std::int64_t micro_batch = first_micro_batch_ + static_cast<std::int64_t>(i);
    try {
      loader_.load(micro_batch / accumulation, micro_batch % accumulation, ring_[i % ring_.size()]);
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        error_ = std::current_exception();
      }
      filled_changed_.notify_one();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      ++filled_;
    }
    filled_changed_.notify_one();
  }
}

Prefetcher::Batch Prefetcher::acquire() {
  std::unique_lock lock(mutex_);
  if (acquired_ == total_) throw Error("all batches of the run have been handed out");
  if (acquired_ - released_ == ring_.size()) {
    throw Error("every batch buffer is in use; release one before acquiring the next");
  }
  if (filled_ == acquired_ && !error_) {
    const auto start = std::chrono::steady_clock::now();
    filled_changed_.wait(lock, [&] { return filled_ > acquired_ || error_; });
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    waited_ += Seconds(elapsed.count());
  }
  if (filled_ == acquired_) std::rethrow_exception(error_);
  const std::int64_t micro_batch = first_micro_batch_ + static_cast<std::int64_t>(acquired_);
  const std::int64_t accumulation = loader_.sampler().options().accumulation;
  Batch batch;
  batch.step = micro_batch / accumulation;
  batch.micro_step = micro_batch % accumulation;
  batch.slot = acquired_ % ring_.size();
  batch.buffers = ring_[batch.slot];
  ++acquired_;
  return batch;
}

void Prefetcher::release() {
  {
    const std::lock_guard lock(mutex_);
    if (released_ == acquired_) throw Error("no batch is out to be released");
    ++released_;
  }
  released_changed_.notify_one();
}

}  // namespace headroom::trainer
