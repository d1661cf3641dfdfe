#pragma once

#include "tests/support/temporary_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace headroom::test {

/// What a finished program left behind.
struct ProgramResult {
  int code = -1;  ///< exit status; -signal when a signal ended it
  std::string out, err;
};

/// The `headroom` program as a child process with its own output files.
class Program {
 public:
  explicit Program(std::vector<std::string> words) {
    child_ = ::fork();
    if (child_ != 0) return;
    redirect(STDOUT_FILENO, folder_.path() / "out");
    redirect(STDERR_FILENO, folder_.path() / "err");
    std::vector<char*> arguments{const_cast<char*>(HEADROOM_PROGRAM)};
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(HEADROOM_PROGRAM, arguments.data());
    ::_exit(127);
  }
  void signal(int number) const { ::kill(child_, number); }
  [[nodiscard]] std::string err() const { return read(folder_.path() / "err"); }
  ProgramResult wait() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    ProgramResult result{.out = read(folder_.path() / "out"), .err = err()};
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return result;
  }

 private:
  static void redirect(int descriptor, const std::filesystem::path& path) {
    if (std::freopen(path.c_str(), "w", descriptor == STDOUT_FILENO ? stdout : stderr) == nullptr) {
      ::_exit(126);
    }
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  TemporaryFolder folder_;
  pid_t child_ = -1;
};

inline ProgramResult headroom(std::vector<std::string> words) {
  return Program(std::move(words)).wait();
}

inline std::string shipped(const std::string& plan) {
  return std::string(HEADROOM_SOURCE_DIR) + "/configs/runs/" + plan;
}

}  // namespace headroom::test
