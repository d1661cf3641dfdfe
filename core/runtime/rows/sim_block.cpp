#include "core/runtime/rows/sim_block.h"

#include "core/describe/error.h"
#include "core/runtime/rows/fiber.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace headroom::runtime::rows {

namespace {

bool same(const Collective& a, const Collective& b) {
  return std::strcmp(a.name, b.name) == 0 && a.n == b.n;
}

std::string describe(const Collective& where) {
  return std::string("team.") + where.name + " with n = " + std::to_string(where.n);
}

}  // namespace

class SimBlock::Lanes {
 public:
  Lanes(int count, LaneOrder order)
      : order_(order),
        turns_(static_cast<std::size_t>(count)),
        stacks_(new std::byte[turns_.size() * Fiber::kStackBytes]) {
    std::iota(turns_.begin(), turns_.end(), 0);
    if (order == LaneOrder::kReverse) std::reverse(turns_.begin(), turns_.end());
    reached_.resize(turns_.size());
  }

  void run(const std::function<void(int)>& lane_body) {
    fibers_.clear();
    for (std::size_t lane = 0; lane < turns_.size(); ++lane) {
      fibers_.push_back(std::make_unique<Fiber>(
          [&lane_body, lane] { lane_body(static_cast<int>(lane)); },
          std::span(stacks_.get() + lane * Fiber::kStackBytes, Fiber::kStackBytes)));
    }
    while (!run_to_barrier()) {
    }
    fibers_.clear();
  }

  void pause(Collective where) {
    const std::size_t lane = current_;
    reached_[lane] = where;
    fibers_[lane]->pause();
  }

 private:
  /// Gives every lane one turn. Returns whether all are done.
  bool run_to_barrier() {
    if (order_ == LaneOrder::kShuffled) std::shuffle(turns_.begin(), turns_.end(), random_);
    for (const int lane : turns_) {
      current_ = static_cast<std::size_t>(lane);
      fibers_[current_]->resume();
    }
    for (std::size_t lane = 1; lane < fibers_.size(); ++lane) check_together(lane);
    return fibers_[0]->done();
  }

  void check_together(std::size_t lane) const {
    const bool done = fibers_[lane]->done();
    if (done == fibers_[0]->done() && (done || same(reached_[lane], reached_[0]))) return;
    const auto state = [this](std::size_t l) {
      return "lane " + std::to_string(l) +
             (fibers_[l]->done() ? " has ended" : " is at " + describe(reached_[l]));
    };
    throw Error("row program: " + state(0) + " while " + state(lane) +
                "; every lane must reach the same collectives: let no branch depend on a value "
                "that lanes may see differently");
  }

  LaneOrder order_;
  std::vector<int> turns_;
  std::unique_ptr<std::byte[]> stacks_;
  std::vector<Collective> reached_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::size_t current_ = 0;
  std::mt19937 random_{20240229};
};

SimBlock::SimBlock(int lanes, LaneOrder order)
    : lanes_(std::make_unique<Lanes>(lanes, order)),
      cells_(new std::byte[static_cast<std::size_t>(lanes) * kCellBytes]) {}

SimBlock::~SimBlock() = default;

void SimBlock::run(const std::function<void(int)>& lane_body) { lanes_->run(lane_body); }

void SimBlock::barrier(Collective where) { lanes_->pause(where); }

std::byte* SimBlock::shared_bytes(std::size_t bytes) {
  if (bytes > shared_size_) {
    shared_.reset(new std::byte[bytes]);
    shared_size_ = bytes;
    // All bits set is NaN in every float type: reading what no lane wrote shows.
    std::memset(shared_.get(), 0xff, bytes);
  }
  return shared_.get();
}

}  // namespace headroom::runtime::rows
