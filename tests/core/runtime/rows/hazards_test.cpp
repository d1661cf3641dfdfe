// Row programs that break a rule of core/runtime/rows/team.h. On the CPU team each gives what its
// author meant; the simulated GPU block must show that a GPU would not.

#include "core/describe/error.h"
#include "core/runtime/rows/host_rows.h"
#include "core/runtime/rows/sim_team.h"
#include "core/runtime/rows/team.h"
#include "tests/core/runtime/rows/programs.h"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace headroom::runtime::rows::testing {
namespace {

constexpr std::int64_t kColumns = 300;

std::vector<float> ramp() {
  std::vector<float> values;
  for (std::int64_t i = 0; i < kColumns; ++i) values.push_back(static_cast<float>(i + 1));
  return values;
}

/// The data a program leaves after `rows` rows on a team.
template <class Team, class Program>
std::vector<float> run_on_ramp(std::int64_t rows = 1) {
  std::vector<float> data = ramp();
  run_rows_host<Team>(Program{data.data()}, rows);
  return data;
}

template <class Program>
void check_caught(const std::vector<float>& meant, std::int64_t rows = 1) {
  BOOST_TEST((run_on_ramp<SerialTeam, Program>(rows) == meant));
  BOOST_TEST((run_on_ramp<SimTeam<256>, Program>(rows) != meant));
}

/// Subtracts at one place outside once(): every lane does it.
struct UniformUpdate {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t /*row*/) const {
    float* to = z;
    team.for_each(kColumns, [=](std::int64_t i) { to[i] *= 2.0f; });
    z[7] -= 1.0f;
  }
};

BOOST_AUTO_TEST_CASE(an_update_outside_once_is_caught) {
  std::vector<float> meant = ramp();
  for (float& v : meant) v *= 2;
  meant[7] -= 1;
  check_caught<UniformUpdate>(meant);
}

/// Reads and replaces a value outside once(): only the first lane sees the old one.
struct UniformExchange {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t /*row*/) const {
    const float old = z[0];
    z[0] = 100.0f;
    team.apply(
        kColumns, [=](float& v) { v += old; }, inout(z));
  }
};

BOOST_AUTO_TEST_CASE(a_read_and_write_without_a_barrier_between_is_caught) {
  std::vector<float> meant = ramp();
  meant[0] = 100;
  for (float& v : meant) v += 1;
  check_caught<UniformExchange>(meant);
}

/// Sums into a captured variable: each lane has its own.
struct CapturedSum {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t /*row*/) const {
    float sum = 0;
    const float* from = z;
    team.for_each(kColumns, [&](std::int64_t i) { sum += from[i] > 0 ? 1.0f : 0.0f; });
    team.apply(
        kColumns, [=](float& v) { v = sum; }, inout(z));
  }
};

BOOST_AUTO_TEST_CASE(a_sum_in_a_captured_variable_is_caught) {
  // What SerialTeam makes of it is undefined too: its loop is vectorised without a reduction.
  const std::vector<float> meant(kColumns, static_cast<float>(kColumns));
  BOOST_TEST((run_on_ramp<SimTeam<256>, CapturedSum>() != meant));
}

/// Passes a value out of once() in a local variable: only lane 0 has it.
struct CapturedOnce {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t /*row*/) const {
    float scale = 1;
    team.once([&] { scale = 3; });
    team.apply(
        kColumns, [=](float& v) { v *= scale; }, inout(z));
  }
};

BOOST_AUTO_TEST_CASE(a_local_assigned_in_once_is_caught) {
  std::vector<float> meant = ramp();
  for (float& v : meant) v *= 3;
  check_caught<CapturedOnce>(meant);
}

/// Body i reads what body i + 1 writes.
struct NeighbourInLoop {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t /*row*/) const {
    float* to = z;
    team.for_each(kColumns - 1, [=](std::int64_t i) { to[i] = to[i + 1]; });
  }
};

BOOST_AUTO_TEST_CASE(a_loop_that_reads_its_neighbours_is_caught) {
  std::vector<float> meant = ramp();
  meant.erase(meant.begin());
  meant.push_back(meant.back());
  check_caught<NeighbourInLoop>(meant);
}

/// Row r reads what row r - 1 wrote.
struct RowReadsRow {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t row) const {
    float* to = z + row;
    team.once([=] { to[1] += to[0]; });
  }
};

BOOST_AUTO_TEST_CASE(a_row_that_needs_the_row_before_is_caught) {
  std::vector<float> meant = ramp();
  meant[1] += meant[0];
  meant[2] += meant[1];
  check_caught<RowReadsRow>(meant, 2);
}

/// Lanes disagree on a branch, so that some reach a collective that others do not.
struct LanesDisagree {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t /*row*/) const {
    z[0] -= 1.0f;
    if (z[0] < -100.0f) team.once([] {});
  }
};
struct LengthsDisagree {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t /*row*/) const {
    z[0] += 1.0f;
    team.apply(
        static_cast<std::int64_t>(z[0]), [](float& v) { v = 0; }, inout(z + 1));
  }
};

bool says(const Error& error, const std::string& words) {
  return std::string(error.what()).find(words) != std::string::npos;
}

BOOST_AUTO_TEST_CASE(lanes_that_reach_different_collectives_are_reported) {
  BOOST_CHECK_EXCEPTION((run_on_ramp<SimTeam<256>, LanesDisagree>()), Error,
                        [](const Error& e) { return says(e, "lane 0 is at team.once"); });
  BOOST_CHECK_EXCEPTION((run_on_ramp<SimTeam<256>, LengthsDisagree>()), Error, [](const Error& e) {
    return says(e, "lane 0 is at team.apply with n = 257") && says(e, "with n = 256");
  });
}

struct Throws {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t /*row*/) const {
    team.once([] { throw Error("from a lane"); });
  }
};

BOOST_AUTO_TEST_CASE(what_a_lane_throws_comes_out) {
  BOOST_CHECK_EXCEPTION((run_on_ramp<SimTeam<256>, Throws>()), Error,
                        [](const Error& e) { return says(e, "from a lane"); });
}

/// A block team with one of its barriers left out: the mistakes the simulation is there to find in
/// LaneTeam and BlockTeam themselves.
template <bool Enter, bool Leave>
class LackingTeam : public LaneTeam<LackingTeam<Enter, Leave>, 256> {
 public:
  explicit LackingTeam(SimTeam<256>& whole) : whole_(whole) {}
  int lane() const { return whole_.lane(); }
  void enter(Collective call) {
    if (Enter) whole_.enter(call);
  }
  void sync() {
    if (Leave) whole_.sync();
  }
  template <class Op, class V>
  V reduce(V value) {
    return whole_.template reduce<Op>(value);
  }
  template <class V, int Count>
  V* scratch() {
    return whole_.template scratch<V, Count>();
  }

 private:
  SimTeam<256>& whole_;
};

template <bool Enter, bool Leave, class Program>
struct OnLackingTeam {
  Program program;
  void operator()(SimTeam<256>& team, std::int64_t row) const {
    LackingTeam<Enter, Leave> lacking(team);
    program(lacking, row);
  }
};

/// Reads an element between two loops that write it.
struct ReadsBetweenLoops {
  float* z;
  template <class Team>
  void operator()(Team& team, std::int64_t /*row*/) const {
    team.apply(
        kColumns, [](float& v) { v *= 2; }, inout(z));
    const float first = z[0];
    const float last = z[kColumns - 1];
    team.apply(
        kColumns, [=](float& v) { v = first + last; }, inout(z));
  }
};

template <bool Enter, bool Leave>
std::vector<float> run_lacking() {
  std::vector<float> data = ramp();
  run_rows_host<SimTeam<256>>(OnLackingTeam<Enter, Leave, ReadsBetweenLoops>{{data.data()}}, 1);
  return data;
}

BOOST_AUTO_TEST_CASE(a_missing_barrier_at_either_end_of_a_collective_is_caught) {
  const std::vector<float> meant(kColumns, 2.0f + 2.0f * static_cast<float>(kColumns));
  BOOST_TEST((run_lacking<true, true>() == meant));
  BOOST_TEST((run_lacking<false, true>() != meant));
  BOOST_TEST((run_lacking<true, false>() == meant) == false);
}

/// A legal program gives the same bits in every order of lanes and rows; a race mostly does not.
BOOST_AUTO_TEST_CASE(only_races_depend_on_the_lane_order) {
  const auto softmax = [](auto team) {
    std::vector<float> data = ramp();
    run_rows_host<typename decltype(team)::Type>(Softmax<float>{data.data(), 100}, 3);
    return data;
  };
  struct Reverse {
    using Type = SimTeam<256>;
  };
  struct Forward {
    using Type = SimTeam<256, LaneOrder::kForward>;
  };
  struct Shuffled {
    using Type = SimTeam<256, LaneOrder::kShuffled>;
  };
  BOOST_TEST((softmax(Reverse{}) == softmax(Forward{})));
  BOOST_TEST((softmax(Reverse{}) == softmax(Shuffled{})));
  BOOST_TEST((run_on_ramp<SimTeam<256>, UniformExchange>() !=
              run_on_ramp<SimTeam<256, LaneOrder::kForward>, UniformExchange>()));
}

}  // namespace
}  // namespace headroom::runtime::rows::testing
