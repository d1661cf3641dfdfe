#pragma once

namespace headroom::cli {

/// Runs one command of the `headroom` program and returns its exit code. Data go to standard
/// output, messages and progress to standard error. No exception leaves it.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace headroom::cli
