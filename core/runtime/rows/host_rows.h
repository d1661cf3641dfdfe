#pragma once

#include "core/runtime/rows/serial_team.h"

#include <cstdint>

namespace headroom::runtime::rows {

/// Row elements below which waking other threads costs more than it saves.
inline constexpr std::int64_t kParallelElements = 32768;

/// What a program that does not say how long its rows are is assumed to have.
inline constexpr std::int64_t kAssumedRowElements = 1024;

/// Elements one row works on: the program's `row_elements()` where it has one.
template <class Program>
[[nodiscard]] std::int64_t row_elements(const Program& program) {
  if constexpr (requires { program.row_elements(); }) {
    return program.row_elements();
  } else {
    return kAssumedRowElements;
  }
}

namespace host_detail {

// flatten: the loops vectorise only if the whole row program, lambdas included, is inlined.
template <class Team, class Program>
__attribute__((flatten, noinline)) void run_one_row(const Program& program, std::int64_t row) {
  Team team;
  program(team, row);
}

}  // namespace host_detail

/// Runs rows 0 to rows - 1 of a program on the calling thread.
template <class Program>
void run_rows_serially(const Program& program, std::int64_t rows) {
  for (std::int64_t row = 0; row < rows; ++row) {
    host_detail::run_one_row<SerialTeam>(program, row);
  }
}

/// Runs rows 0 to rows - 1 of a program on this machine's cores. Every row is computed the same way
/// whatever the thread count; threads take equal, contiguous shares of the rows.
/// Threads: opens an OpenMP region unless the job is small. A team with its own run_rows (SimTeam)
/// runs its rows one after another on the calling thread.
template <class Team = SerialTeam, class Program>
void run_rows_host(const Program& program, std::int64_t rows) {
  if constexpr (requires { Team::run_rows(program, rows); }) {
    Team::run_rows(program, rows);
  } else if (rows > 1 && rows * row_elements(program) >= kParallelElements) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      host_detail::run_one_row<Team>(program, row);
    }
  } else {
    for (std::int64_t row = 0; row < rows; ++row) host_detail::run_one_row<Team>(program, row);
  }
}

}  // namespace headroom::runtime::rows
