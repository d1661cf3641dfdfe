#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headroom {

/// What a program ends with; documented in README ("Exit codes").
enum class ExitCode : int {
  kOk = 0,
  kFailure = 1,
  kUsage = 2,
  kDoesNotFit = 3,
  kDiverged = 4,
  kOutOfMemory = 5,
  kInterrupted = 130,
};

/// Base of every error this project throws. Only main() and the window's boundary catch it.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode code = ExitCode::kFailure)
      : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// A file could not be read or written, or its contents are damaged. The message names the path.
class IoError : public Error {
 public:
  using Error::Error;
};

/// Shapes or dtypes that do not fit together: `[op] what: got (...) expected (...)`.
class ShapeError : public Error {
 public:
  explicit ShapeError(const std::string& message) : Error(message, ExitCode::kUsage) {}
};

/// Where a value came from. Line and column count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One thing wrong with what the user wrote.
struct Problem {
  SourceLocation where;
  std::string key;      ///< dotted path, e.g. `training.seq_len`; empty for the whole file
  std::string message;  ///< what is wrong
  std::string hint;     ///< what to do about it; may be empty
};

/// `file:line:column: key: message (hint)`, leaving out what is unknown.
[[nodiscard]] std::string to_string(const Problem& problem);

/// Bad user input. Carries all problems found, so that one run shows them all.
class ConfigError : public Error {
 public:
  explicit ConfigError(std::vector<Problem> problems);
  [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace headroom
