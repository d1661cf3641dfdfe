#include "core/runtime/rows/fiber.h"

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace headroom::runtime::rows {

struct Fiber::State {
  std::function<void()> body;
  std::span<std::byte> stack;
  ucontext_t inside{};
  ucontext_t outside{};
  std::exception_ptr error;
  bool done = false;
#if defined(__SANITIZE_ADDRESS__)
  void* inside_fake_stack = nullptr;
  void* outside_fake_stack = nullptr;
  const void* outside_stack = nullptr;
  std::size_t outside_stack_bytes = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* inside_fiber = __tsan_create_fiber(0);
  void* outside_fiber = nullptr;
#endif

  void enter() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&outside_fake_stack, stack.data(), stack.size());
#endif
#if defined(__SANITIZE_THREAD__)
    outside_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_fiber, 0);
#endif
    swapcontext(&outside, &inside);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(outside_fake_stack, nullptr, nullptr);
#endif
  }

  void leave() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(done ? nullptr : &inside_fake_stack, outside_stack,
                                   outside_stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(outside_fiber, 0);
#endif
    swapcontext(&inside, &outside);
    arrive();
  }

  void arrive() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(inside_fake_stack, &outside_stack, &outside_stack_bytes);
#endif
  }

  void run() {
    arrive();
    try {
      body();
    } catch (...) {
      error = std::current_exception();
    }
    done = true;
    leave();
  }

  // makecontext hands over nothing but ints.
  static void start(unsigned high, unsigned low) {
    const auto address = (std::uintptr_t{high} << 32) | low;
    reinterpret_cast<State*>(address)->run();
  }
};

Fiber::Fiber(std::function<void()> body, std::span<std::byte> stack)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.body = std::move(body);
  state.stack = stack;
  if (getcontext(&state.inside) != 0) throw std::runtime_error("fiber: getcontext failed");
  state.inside.uc_stack.ss_sp = stack.data();
  state.inside.uc_stack.ss_size = stack.size();
  state.inside.uc_link = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(state_.get());
  makecontext(&state.inside, reinterpret_cast<void (*)()>(&State::start), 2,
              static_cast<unsigned>(static_cast<std::uint64_t>(address) >> 32),
              static_cast<unsigned>(address & 0xffffffffu));
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(state_->inside_fiber);
#endif
}

void Fiber::resume() {
  state_->enter();
  if (state_->error) std::rethrow_exception(std::exchange(state_->error, nullptr));
}

void Fiber::pause() { state_->leave(); }

bool Fiber::done() const { return state_->done; }

}  // namespace headroom::runtime::rows
