#include "core/io/run_log.h"

#include "core/describe/error.h"
#include "tests/support/temporary_folder.h"

#include <boost/test/unit_test.hpp>
#include <signal.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace headroom::io {
namespace {

struct LogFile {
  test::TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "run.jsonl";
  void add(const std::string& text) const {
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
  }
};

StepRecord step(std::int64_t number) {
  return {.step = number,
          .loss = 0.1,
          .learning_rate = 3e-4,
          .step_s = 0.25,
          .items_per_s = 1024,
          .memory_peak = Bytes(123456789012)};
}

BOOST_AUTO_TEST_CASE(every_record_reads_back_as_written) {
  const LogFile log;
  MemoryRecord memory{.step = 1, .tensors_peak = Bytes(77), .peak_phase = "backward"};
  memory.tensors[Category::kGradients] = Bytes(70);
  memory.allocated[Category::kGradients] = Bytes(256);
  memory.fixed_parts = {{"OpenBLAS buffers", Bytes(4096)}};
  RunLogWriter writer(log.path);
  writer.append(RunRecord{.model = "mlp", .parameters = 12, .peak_flops_per_s = 1e11});
  writer.append(step(1));
  writer.append(memory);
  writer.append(EndRecord{.reason = "finished", .message = "a \"quote\"\n", .last_loss = 0.5});

  const auto records = read_run_log(log.path);
  BOOST_REQUIRE(records.size() == 4U);
  BOOST_TEST(std::get<RunRecord>(records[0]).parameters == 12);
  BOOST_TEST(*std::get<RunRecord>(records[0]).peak_flops_per_s == 1e11);
  BOOST_TEST(std::get<StepRecord>(records[1]).loss == 0.1);
  BOOST_TEST(std::get<StepRecord>(records[1]).memory_peak.value() == 123456789012);
  BOOST_TEST(!std::get<StepRecord>(records[1]).mfu.has_value());
  const auto& read = std::get<MemoryRecord>(records[2]);
  BOOST_TEST((read.tensors == memory.tensors));
  BOOST_TEST((read.allocated == memory.allocated));
  BOOST_TEST((read.fixed_parts == memory.fixed_parts));
  BOOST_TEST(read.peak_phase == "backward");
  BOOST_TEST(std::get<EndRecord>(records[3]).message == "a \"quote\"\n");
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite_stay_what_they_are) {
  const LogFile log;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  StepRecord diverged = step(1);
  diverged.loss = std::numeric_limits<double>::quiet_NaN();
  diverged.grad_norm = kInfinity;
  RunLogWriter(log.path).append(diverged);
  RunLogWriter(log.path).append(EndRecord{.last_loss = -kInfinity});
  const auto records = read_run_log(log.path);
  BOOST_REQUIRE(records.size() == 2U);
  BOOST_TEST(std::isnan(std::get<StepRecord>(records[0]).loss));
  BOOST_TEST(std::get<StepRecord>(records[0]).grad_norm.value() == kInfinity);
  BOOST_TEST(std::get<EndRecord>(records[1]).last_loss.value() == -kInfinity);
}

BOOST_AUTO_TEST_CASE(a_second_writer_is_refused) {
  const LogFile log;
  const RunLogWriter writer(log.path);
  BOOST_CHECK_EXCEPTION(RunLogWriter{log.path}, IoError, [](const IoError& error) {
    return std::string(error.what()).find("another process is writing it") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_no_half_record) {
  // The process may not make files larger than two records and a half.
  const LogFile log;
  RunLogWriter writer(log.path);
  writer.append(step(1));
  const auto size = std::filesystem::file_size(log.path);
  rlimit old{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  const rlimit small{.rlim_cur = size * 5 / 2, .rlim_max = old.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  writer.append(step(2));
  BOOST_CHECK_THROW(writer.append(step(3)), IoError);
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
  ::signal(SIGXFSZ, handler);
  BOOST_TEST(std::filesystem::file_size(log.path) == 2 * size);
  writer.append(step(4));
  const auto records = read_run_log(log.path);
  BOOST_REQUIRE(records.size() == 3U);
  BOOST_TEST(std::get<StepRecord>(records[2]).step == 4);
}

BOOST_AUTO_TEST_CASE(a_line_cut_short_is_waited_for_and_removed_when_writing_goes_on) {
  const LogFile log;
  RunLogWriter(log.path).append(step(1));
  log.add(R"({"type":"step","st)");
  RunLogReader reader(log.path);
  BOOST_TEST(reader.poll().size() == 1U);
  BOOST_TEST(reader.poll().empty());
  RunLogWriter(log.path).append(step(2));
  const auto all = read_run_log(log.path);
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(std::get<StepRecord>(all[1]).step == 2);
}

BOOST_AUTO_TEST_CASE(a_growing_log_is_read_piece_by_piece) {
  const LogFile log;
  RunLogWriter writer(log.path);
  RunLogReader reader(log.path);
  for (std::int64_t i = 1; i <= 50; ++i) {
    writer.append(step(i));
    const auto records = reader.poll();
    BOOST_REQUIRE(records.size() == 1U);
    BOOST_TEST(std::get<StepRecord>(records[0]).step == i);
  }
  BOOST_TEST(!reader.restarted());
}

BOOST_AUTO_TEST_CASE(a_truncated_log_is_noticed) {
  const LogFile log;
  RunLogWriter(log.path).append(step(1));
  RunLogReader reader(log.path);
  BOOST_TEST(reader.poll().size() == 1U);
  std::ofstream(log.path, std::ios::trunc).close();
  BOOST_TEST(reader.poll().empty());
  BOOST_TEST(reader.restarted());
}

BOOST_AUTO_TEST_CASE(unknown_types_and_fields_are_passed_over) {
  const LogFile log;
  log.add(
      "{\"type\":\"weather\",\"rain\":1}\n{\"type\":\"eval\",\"step\":3,\"loss\":2.5,\"new\":[]}"
      "\n");
  const auto records = read_run_log(log.path);
  BOOST_REQUIRE(records.size() == 1U);
  BOOST_TEST(std::get<EvalRecord>(records[0]).loss == 2.5);
}

BOOST_AUTO_TEST_CASE(damaged_lines_are_named) {
  const LogFile log;
  log.add("{\"type\":\"eval\",\"step\":3}\nnot json\n");
  BOOST_CHECK_EXCEPTION((void)read_run_log(log.path), IoError, [](const IoError& error) {
    return std::string(error.what()).find("run.jsonl:2: ") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(damage_is_told_in_our_own_words) {
  const auto message = [](const std::string& line) -> std::string {
    const LogFile log;
    log.add(line + "\n");
    try {
      (void)read_run_log(log.path);
    } catch (const IoError& error) {
      const std::string text = error.what();
      return text.substr(text.find("run.jsonl"));
    }
    return "no complaint";
  };
  const std::string head = "run.jsonl:1: this record is damaged: ";
  const std::string tail = "; remove the line to read the rest of the log";
  BOOST_TEST(message("not json") == head + "it is no valid JSON from column 2 on" + tail);
  BOOST_TEST(message("[1, 2]") == head + "it is no JSON object {...}" + tail);
  BOOST_TEST(message("{\"step\":1}") == head + "\"type\" does not say what it is" + tail);
  BOOST_TEST(message("{\"type\":\"step\",\"step\":\"one\"}") ==
             head + "\"step\" must be a whole number" + tail);
  BOOST_TEST(message("{\"type\":\"step\",\"step\":1.5}") ==
             head + "\"step\" must be a whole number" + tail);
  BOOST_TEST(message("{\"type\":\"step\",\"loss\":[]}") ==
             head + "\"loss\" must be a number" + tail);
  BOOST_TEST(message("{\"type\":\"end\",\"reason\":7}") == head + "\"reason\" must be text" + tail);
  BOOST_TEST(message("{\"type\":\"memory\",\"fixed_parts\":[3]}") ==
             head + "\"fixed_parts\" must be a list of {name, bytes}" + tail);
  BOOST_TEST(message("{\"type\":\"memory\",\"tensors\":{\"inputs_bytes\":\"x\"}}") ==
             head + "\"inputs_bytes\" must be a whole number" + tail);
}

BOOST_AUTO_TEST_CASE(a_newer_schema_is_refused) {
  const LogFile log;
  log.add("{\"type\":\"run\",\"schema_version\":99}\n");
  BOOST_CHECK_THROW((void)read_run_log(log.path), IoError);
}

}  // namespace
}  // namespace headroom::io
