#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace headroom::runtime::rows {

/// A function on a stack of its own that runs in turns: resume() lets it go on until it calls
/// pause() or returns. Known to the address and thread sanitizers.
/// Threads: resumed and paused on one thread only. Destroying a paused fiber does not unwind its
/// stack.
class Fiber {
 public:
  /// Ample for a row program, unoptimised or under a sanitizer; only pages in use take memory.
  static constexpr std::size_t kStackBytes = std::size_t{64} << 10;

  /// The stack must outlive the fiber and hold at least kStackBytes.
  Fiber(std::function<void()> body, std::span<std::byte> stack);
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
