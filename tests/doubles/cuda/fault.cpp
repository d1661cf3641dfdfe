#include "tests/doubles/cuda/fault.h"

#include "tests/doubles/cuda/runtime.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

namespace headroom::cuda_double {
namespace {

// One slot per signal; a handler can only find what it replaced in memory that outlives everything.
struct sigaction previous_segv;
struct sigaction previous_bus;

// Not async-signal-safe, knowingly: the process is about to end, and a line that names the
// allocation is worth the small chance of a second fault (which then ends it silently).
void explain(int signal, siginfo_t* info, void*) {
  sigaction(signal, signal == SIGSEGV ? &previous_segv : &previous_bus, nullptr);
  const Runtime& rt = runtime();
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (rt.memory->in_device_range(address) || rt.memory->in_pinned_range(address)) {
    const bool host = !rt.scheduler->running();
    std::fprintf(stderr, "cuda double: %s touched %s at %p\n", host ? "the host" : "queued work",
                 rt.memory->describe(info->si_addr).c_str(), info->si_addr);
    std::fflush(stderr);
  }
  // Returning repeats the access under the handler that was there before.
}

void install(int signal, struct sigaction* previous) {
  struct sigaction action {};
  action.sa_sigaction = explain;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  struct sigaction before {};
  sigaction(signal, &action, &before);
  if ((before.sa_flags & SA_SIGINFO) == 0 || before.sa_sigaction != explain) *previous = before;
}

}  // namespace

void ensure_fault_handler() {
  static std::once_flag once;
  std::call_once(once, [] { cuda_double_install_fault_handler(); });
}

}  // namespace headroom::cuda_double

extern "C" void cuda_double_install_fault_handler() {
  headroom::cuda_double::install(SIGSEGV, &headroom::cuda_double::previous_segv);
  headroom::cuda_double::install(SIGBUS, &headroom::cuda_double::previous_bus);
}
