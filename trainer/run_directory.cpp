#include "trainer/run_directory.h"

#include "core/describe/error.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace headroom::trainer {
namespace {

namespace fs = std::filesystem;

/// The number behind `prefix` in a file name, or nothing.
std::optional<std::int64_t> number_after(const std::string& name, const std::string& prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  std::int64_t number = 0;
  const char* begin = name.data() + prefix.size();
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || rest != end || begin == end) return std::nullopt;
  return number;
}

/// Numbers of the folders `prefix`N in `folder`, ascending.
std::vector<std::int64_t> numbered(const fs::path& folder, const std::string& prefix) {
  std::vector<std::int64_t> numbers;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_directory()) continue;
    if (const auto number = number_after(entry.path().filename().string(), prefix)) {
      numbers.push_back(*number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

RunDirectory RunDirectory::create(const fs::path& base, const std::string& name) {
  std::error_code error;
  fs::create_directories(base, error);
  if (error) {
    throw IoError("cannot create the folder for runs " + base.string() + ": " + error.message());
  }
  const std::vector<std::int64_t> taken = numbered(base, name + "-");
  for (std::int64_t k = taken.empty() ? 1 : taken.back() + 1;; ++k) {
    const fs::path path = base / (name + "-" + std::to_string(k));
    if (fs::create_directory(path, error)) {
      fs::create_directory(path / "checkpoints");
      return RunDirectory(path);
    }
    if (error)
      throw IoError("cannot create the run folder " + path.string() + ": " + error.message());
  }
}

RunDirectory RunDirectory::open(const fs::path& path) {
  const RunDirectory run(path);
  if (!fs::exists(run.plan()) && !fs::exists(run.log())) {
    throw IoError(path.string() + " is not a run folder: it has neither plan.yaml nor run.jsonl");
  }
  return run;
}

std::optional<RunDirectory> RunDirectory::newest_with_checkpoint(const fs::path& base,
                                                                 const std::string& name) {
  const std::vector<std::int64_t> runs = numbered(base, name + "-");
  for (auto k = runs.rbegin(); k != runs.rend(); ++k) {
    RunDirectory run(base / (name + "-" + std::to_string(*k)));
    if (!run.checkpoints().empty()) return run;
  }
  return std::nullopt;
}

fs::path RunDirectory::checkpoint(std::int64_t step) const {
  return path_ / "checkpoints" / ("step-" + std::to_string(step));
}

std::vector<std::int64_t> RunDirectory::checkpoints() const {
  return numbered(path_ / "checkpoints", "step-");
}

fs::path RunDirectory::set_aside(std::int64_t step) const {
  const fs::path old = checkpoint(step);
  fs::path aside = old;
  aside += ".damaged";
  for (int k = 2; fs::exists(aside); ++k) {
    aside = old;
    aside += ".damaged-" + std::to_string(k);
  }
  std::error_code error;
  fs::rename(old, aside, error);
  if (error) throw IoError("cannot rename " + old.string() + ": " + error.message());
  return aside;
}

void RunDirectory::prune(std::int64_t keep) const {
  if (keep <= 0) return;
  std::vector<std::int64_t> steps = checkpoints();
  while (static_cast<std::int64_t>(steps.size()) > keep) {
    // Renamed first: a checkpoint is never seen half removed.
    const fs::path old = checkpoint(steps.front());
    fs::path doomed = old;
    doomed += ".old";
    fs::rename(old, doomed);
    fs::remove_all(doomed);
    steps.erase(steps.begin());
  }
}

}  // namespace headroom::trainer
