#include "tests/doubles/cuda/scheduler.h"

#include "tests/doubles/cuda/runtime.h"

#include <algorithm>
#include <utility>

namespace headroom::cuda_double {
namespace {

// Handles are numbers dressed as addresses that no mapping has: following one faults.
constexpr std::uintptr_t kStreamHandles = 0x5717'0000'0000;
constexpr std::uintptr_t kEventHandles = 0x5718'0000'0000;
constexpr std::uintptr_t kHandleStep = 16;

std::uint32_t id_of(const void* handle, std::uintptr_t base) {
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  if (address < base || (address - base) % kHandleStep != 0) return 0;
  return static_cast<std::uint32_t>((address - base) / kHandleStep);
}

}  // namespace

Scheduler::~Scheduler() {
  // Queued operations hold their streams and records, which hold the operations.
  for (const auto& [id, stream] : streams_) stream->queue.clear();
}

std::shared_ptr<Stream> Scheduler::create_stream(unsigned flags, int device, int priority) {
  auto stream = std::make_shared<Stream>();
  stream->id = next_id_++;
  stream->flags = flags;
  stream->device = device;
  stream->priority = priority;
  stream->clock = host_;
  streams_.emplace(stream->id, stream);
  return stream;
}

std::shared_ptr<Stream> Scheduler::find_stream(cudaStream_t handle) {
  const auto position = streams_.find(id_of(handle, kStreamHandles));
  if (position == streams_.end() || position->second->destroyed) return nullptr;
  return position->second;
}

std::shared_ptr<Stream> Scheduler::default_stream(int device) {
  auto& stream = default_streams_[device];
  if (!stream) {
    stream = create_stream(cudaStreamDefault, device, 0);
    stream->is_default = true;
  }
  return stream;
}

void Scheduler::destroy_stream(const std::shared_ptr<Stream>& stream) {
  stream->destroyed = true;
  forget_finished();
}

cudaStream_t Scheduler::handle(const Stream& stream) {
  return reinterpret_cast<cudaStream_t>(kStreamHandles + kHandleStep * stream.id);
}

std::shared_ptr<Event> Scheduler::create_event(unsigned flags) {
  auto event = std::make_shared<Event>();
  event->id = next_id_++;
  event->flags = flags;
  events_.emplace(event->id, event);
  return event;
}

std::shared_ptr<Event> Scheduler::find_event(cudaEvent_t handle) {
  const auto position = events_.find(id_of(handle, kEventHandles));
  return position == events_.end() ? nullptr : position->second;
}

void Scheduler::destroy_event(const Event& event) { events_.erase(event.id); }

cudaEvent_t Scheduler::handle(const Event& event) {
  return reinterpret_cast<cudaEvent_t>(kEventHandles + kHandleStep * event.id);
}

void Scheduler::issue(const std::shared_ptr<Stream>& stream,
                      std::string what,
                      std::function<cudaError_t()> run,
                      const std::vector<Access>& accesses) {
  Operation operation;
  operation.number = next_operation_++;
  operation.run = std::move(run);
  stream->clock.join(host_);
  // The legacy default stream waits for every blocking stream, and each of them for it.
  const auto wait_for = [&](const std::shared_ptr<Stream>& other) {
    stream->clock.join(other->clock);
    if (!other->queue.empty()) operation.after.push_back({other, other->issued});
  };
  if (stream->is_default) {
    for (const auto& [id, other] : streams_) {
      if (other->blocking() && other->device == stream->device) wait_for(other);
    }
  } else if (stream->blocking()) {
    const auto legacy = default_streams_.find(stream->device);
    if (legacy != default_streams_.end()) wait_for(legacy->second);
  }
  if (config_.races) {
    for (const std::string& race :
         races_.issue(stream->id, operation.number, stream->clock, what, accesses)) {
      violate(race);
    }
  }
  stream->issued = operation.number;
  stream->clock.advance(stream->id, operation.number);
  operation.what = std::move(what);
  stream->queue.push_back(std::move(operation));
}

void Scheduler::record(const std::shared_ptr<Stream>& stream, Event& event) {
  auto record = std::make_shared<Record>();
  issue(stream, "cudaEventRecord", [record] {
    record->done = true;
    record->time = std::chrono::steady_clock::now();
    return cudaSuccess;
  });
  stream->queue.back().marker = true;
  record->position = {stream, stream->issued};
  record->clock = stream->clock;
  event.latest = std::move(record);
}

void Scheduler::wait(const std::shared_ptr<Stream>& stream, const Event& event) {
  if (!event.latest)
    return;  // nothing was recorded: by the rules of CUDA there is nothing to wait for
  issue(stream, "cudaStreamWaitEvent", [] { return cudaSuccess; });
  stream->queue.back().marker = true;
  stream->queue.back().after.push_back(event.latest->position);
  stream->clock.join(event.latest->clock);
}

Stream* Scheduler::pick() {
  std::vector<Stream*> ready;
  for (const auto& [id, stream] : streams_) {
    if (stream->queue.empty()) continue;
    const auto& after = stream->queue.front().after;
    const bool free = std::all_of(after.begin(), after.end(), [](const Dependency& dependency) {
      return dependency.stream->done(dependency.operation);
    });
    if (free) ready.push_back(stream.get());
  }
  if (ready.empty()) return nullptr;
  const auto older = [](const Stream* a, const Stream* b) {
    return a->queue.front().number < b->queue.front().number;
  };
  switch (config_.order) {
    case Order::kOldest:
      return *std::min_element(ready.begin(), ready.end(), older);
    case Order::kLatest: {
      // Markers go first: behind one may wait the work that was issued last.
      const auto marker = std::find_if(ready.begin(), ready.end(), [](const Stream* stream) {
        return stream->queue.front().marker;
      });
      if (marker != ready.end()) return *marker;
      return *std::max_element(ready.begin(), ready.end(), older);
    }
    case Order::kRandom:
      if (seed_ != config_.seed) {
        seed_ = config_.seed;
        random_.seed(config_.seed);
      }
      return ready[random_() % ready.size()];
  }
  return nullptr;
}

void Scheduler::run_front(Stream& stream) {
  running_ = true;
  // A failed operation leaves the context unusable: what follows is dropped, as on hardware.
  const cudaError_t error = failure_ == cudaSuccess ? stream.queue.front().run() : cudaSuccess;
  running_ = false;
  if (error != cudaSuccess) failure_ = error;
  stream.queue.pop_front();
  ++runtime().counters.executed;
}

bool Scheduler::run_one() {
  Stream* const stream = pick();
  if (stream == nullptr) return false;
  run_front(*stream);
  return true;
}

void Scheduler::run_until(const std::function<bool()>& goal) {
  if (goal()) return;
  {
    const DeviceAccess access(memory_);
    while (!goal() && run_one()) {
    }
  }
  forget_finished();
}

void Scheduler::synchronise(Stream& stream) {
  run_until([&] { return stream.queue.empty(); });
  host_joins(stream.clock);
}

void Scheduler::synchronise(const Record& record) {
  run_until([&] { return record.done || failure_ != cudaSuccess; });
  host_joins(record.clock);
}

void Scheduler::synchronise_device(int device) {
  run_until([&] {
    return std::all_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
      return entry.second->device != device || entry.second->queue.empty();
    });
  });
  for (const auto& [id, stream] : streams_) {
    if (stream->device == device) host_joins(stream->clock);
  }
}

bool Scheduler::progress(Stream& stream) {
  if (stream.queue.empty()) {
    host_joins(stream.clock);
    return true;
  }
  const DeviceAccess access(memory_);
  run_one();
  return false;
}

bool Scheduler::progress(const Record& record) {
  if (record.done || failure_ != cudaSuccess) {
    host_joins(record.clock);
    return true;
  }
  const DeviceAccess access(memory_);
  run_one();
  return false;
}

std::size_t Scheduler::outstanding() const {
  std::size_t count = 0;
  for (const auto& [id, stream] : streams_) count += stream->queue.size();
  return count;
}

std::vector<std::string> Scheduler::alive() const {
  std::vector<std::string> lines;
  for (const auto& [id, stream] : streams_) {
    if (!stream->is_default && !stream->destroyed) lines.push_back("stream " + std::to_string(id));
    if (!stream->queue.empty()) {
      lines.push_back(std::to_string(stream->queue.size()) +
                      " operations that never ran on stream " + std::to_string(id) +
                      ", the first " + stream->queue.front().what);
    }
  }
  for (const auto& [id, event] : events_) lines.push_back("event " + std::to_string(id));
  return lines;
}

void Scheduler::forget_finished() {
  std::erase_if(streams_, [](const auto& entry) {
    return entry.second->destroyed && entry.second->queue.empty();
  });
}

void Scheduler::host_joins(const Clock& clock) {
  host_.join(clock);
  races_.forget(host_);
}

}  // namespace headroom::cuda_double
