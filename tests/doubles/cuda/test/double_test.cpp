#define BOOST_TEST_MODULE cuda_double
#include "tests/doubles/cuda/test/double_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace headroom::cuda_double {

FreshDouble::FreshDouble(const char* spec) {
  unsetenv("HEADROOM_CUDA_DOUBLE");
  cuda_double_reset();
  BOOST_REQUIRE_MESSAGE(cuda_double_configure(spec) == 0, cuda_double_configure_error());
}

FreshDouble::~FreshDouble() { cuda_double_reset(); }

boost::test_tools::predicate_result violated(const std::string& text) {
  boost::test_tools::predicate_result result(true);
  const std::size_t count = cuda_double_violation_count();
  const std::string last = count == 0 ? "" : cuda_double_violation(count - 1);
  if (count != 1 || last.find(text) == std::string::npos) {
    result = false;
    result.message() << count << " violations, the last: '" << last << "', expected one with '"
                     << text << "'";
  }
  cuda_double_clear_violations();
  return result;
}

boost::test_tools::predicate_result clean() {
  boost::test_tools::predicate_result result(cuda_double_violation_count() == 0);
  if (!result) result.message() << cuda_double_violation(0);
  cuda_double_clear_violations();
  return result;
}

Death run_apart(const std::function<void()>& body) {
  int ends[2];
  BOOST_REQUIRE_EQUAL(pipe(ends), 0);
  const pid_t child = fork();
  BOOST_REQUIRE_GE(child, 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
    std::signal(SIGABRT, SIG_DFL);
    cuda_double_install_fault_handler();
    body();
    _exit(0);
  }
  close(ends[1]);
  Death death;
  char buffer[512];
  ssize_t count = 0;
  while ((count = read(ends[0], buffer, sizeof(buffer))) > 0) {
    death.message.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  death.faulted = WIFSIGNALED(status);
  return death;
}

}  // namespace headroom::cuda_double
