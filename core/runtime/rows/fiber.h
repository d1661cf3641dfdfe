#pragma once

#include <functional>
#include <memory>

namespace headroom::runtime::rows {

/// A function on a stack of its own that runs in turns: resume() lets it go on until it calls
/// pause() or returns. Known to the address and thread sanitizers.
/// Threads: resumed and paused on one thread only. Destroying a paused fiber drops its stack
/// without unwinding it.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Errors: what the body throws is thrown on; the fiber is then done.
  void resume();
  /// To be called by the body.
  void pause();
  [[nodiscard]] bool done() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headroom::runtime::rows
