#pragma once

#include "tests/doubles/cuda/config.h"
#include "tests/doubles/cuda/memory.h"
#include "tests/doubles/cuda/races.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace headroom::cuda_double {

struct Stream;

/// "Everything of `stream` up to `operation` has run."
struct Dependency {
  std::shared_ptr<Stream> stream;
  std::uint64_t operation = 0;
};

struct Operation {
  std::uint64_t number = 0;  ///< order of issue over all streams
  std::string what;
  std::function<cudaError_t()> run;
  std::vector<Dependency> after;
  bool marker = false;  ///< a record or a wait: orders work and does none
};

struct Stream {
  std::uint32_t id = 0;
  unsigned flags = cudaStreamDefault;
  int device = 0;
  int priority = 0;
  bool is_default = false;
  bool destroyed = false;
  std::deque<Operation> queue;
  std::uint64_t issued = 0;  ///< number of its latest operation
  Clock clock;               ///< all that comes before its next operation

  [[nodiscard]] bool done(std::uint64_t operation) const {
    return queue.empty() || queue.front().number > operation;
  }
  [[nodiscard]] bool blocking() const {
    return !is_default && (flags & cudaStreamNonBlocking) == 0;
  }
};

/// One cudaEventRecord.
struct Record {
  Dependency position;
  Clock clock;
  bool done = false;
  std::chrono::steady_clock::time_point time;
};

struct Event {
  std::uint32_t id = 0;
  unsigned flags = 0;
  std::shared_ptr<Record> latest;
};

/// Streams as queues that run as late as possible and in a hostile but legal order.
/// Not synchronised; callers hold the runtime's lock.
class Scheduler {
 public:
  Scheduler(const Config& config, Memory& memory) : config_(config), memory_(memory) {}
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  std::shared_ptr<Stream> create_stream(unsigned flags, int device, int priority);
  std::shared_ptr<Stream> find_stream(cudaStream_t handle);
  std::shared_ptr<Stream> default_stream(int device);
  void destroy_stream(const std::shared_ptr<Stream>& stream);
  static cudaStream_t handle(const Stream& stream);

  std::shared_ptr<Event> create_event(unsigned flags);
  std::shared_ptr<Event> find_event(cudaEvent_t handle);
  void destroy_event(const Event& event);
  static cudaEvent_t handle(const Event& event);

  /// Queues an operation; `accesses` are what it is known to touch.
  void issue(const std::shared_ptr<Stream>& stream,
             std::string what,
             std::function<cudaError_t()> run,
             const std::vector<Access>& accesses = {});
  void record(const std::shared_ptr<Stream>& stream, Event& event);
  void wait(const std::shared_ptr<Stream>& stream, const Event& event);

  /// The host waits; each runs what it must (and, being hostile, more).
  void synchronise(Stream& stream);
  void synchronise(const Record& record);
  void synchronise_device(int device);
  /// True when nothing is left to wait for; else runs one operation, so that polling ends.
  bool progress(Stream& stream);
  bool progress(const Record& record);

  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] std::size_t outstanding() const;
  /// The error of a queued operation; it sticks, as on hardware.
  [[nodiscard]] cudaError_t failure() const { return failure_; }
  [[nodiscard]] std::vector<std::string> alive() const;

 private:
  void run_until(const std::function<bool()>& goal);
  bool run_one();
  Stream* pick();
  void run_front(Stream& stream);
  void forget_finished();
  void host_joins(const Clock& clock);

  const Config& config_;
  Memory& memory_;
  RaceDetector races_;
  std::map<std::uint32_t, std::shared_ptr<Stream>> streams_;
  std::map<int, std::shared_ptr<Stream>> default_streams_;
  std::map<std::uint32_t, std::shared_ptr<Event>> events_;
  Clock host_;
  std::mt19937_64 random_;
  std::uint64_t next_operation_ = 1;
  std::uint32_t next_id_ = 1;
  bool running_ = false;
  std::optional<std::uint64_t> seed_;  ///< the one random_ was started with
  cudaError_t failure_ = cudaSuccess;
};

}  // namespace headroom::cuda_double
