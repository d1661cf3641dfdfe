#pragma once

#include "core/io/plan_yaml.h"
#include "tests/support/temporary_folder.h"
#include "trainer/resume.h"
#include "trainer/training_run.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace headroom::test {

inline std::filesystem::path shipped_plan(const std::string& name) {
  return std::filesystem::path(HEADROOM_SOURCE_DIR) / "configs/runs" / name;
}

/// The device under test: `cpu`, or `cuda` where the test double stands in for a GPU.
inline std::string test_device() {
  const char* device = std::getenv("HEADROOM_TEST_DEVICE");
  return device == nullptr ? "cpu" : device;
}

/// A shipped plan, changed by words, for the device under test.
inline Plan load(const std::string& name, std::vector<std::string> words) {
  words.push_back("hardware.device=" + test_device());
  return io::load_plan(shipped_plan(name), words).plan;
}

/// Keeps the records of a run.
class Recorder final : public trainer::RunObserver {
 public:
  void on_record(const LogRecord& record) override {
    records.push_back(record);
    if (stop_after > 0) {
      const auto* step = std::get_if<StepRecord>(&record);
      if (step != nullptr && step->step >= stop_after) stop.store(true);
    }
  }
  void on_warning(const std::string& text) override { warnings.push_back(text); }
  template <class Record>
  [[nodiscard]] std::vector<Record> all() const {
    std::vector<Record> list;
    for (const LogRecord& record : records) {
      if (const auto* found = std::get_if<Record>(&record)) list.push_back(*found);
    }
    return list;
  }
  std::vector<LogRecord> records;
  std::vector<std::string> warnings;
  std::int64_t stop_after = 0;
  std::atomic<bool> stop{false};
};

struct Finished {
  trainer::RunDirectory directory;
  trainer::RunOutcome outcome;
};

/// Runs a plan in `folder`, as `headroom train` does.
inline Finished run(Plan plan,
                    const std::filesystem::path& folder,
                    const std::string& resume,
                    Recorder& recorder) {
  plan.output.dir = folder.string();
  const trainer::ResumeChoice choice = trainer::choose_run(plan, "run", resume);
  trainer::RunOutcome outcome = trainer::train(
      plan, trainer::open_device(plan), choice.directory,
      {.resume = choice.resume, .stop = &recorder.stop, .program = "test"}, recorder);
  return {choice.directory, std::move(outcome)};
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Model and optimizer of a checkpoint, byte for byte.
inline std::string checkpoint_bytes(const trainer::RunDirectory& run, std::int64_t step) {
  return contents(run.checkpoint(step) / "model.safetensors") +
         contents(run.checkpoint(step) / "optimizer.safetensors");
}

}  // namespace headroom::test
