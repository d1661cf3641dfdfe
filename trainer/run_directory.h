#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headroom::trainer {

/// One run on disk:
///   plan.yaml                 the resolved plan
///   run.jsonl                 the run log
///   checkpoints/step-N/       model.safetensors, optimizer.safetensors, state.json
///   summary.json              written when the run ends
class RunDirectory {
 public:
  /// Creates `base/name-K` with the smallest K that is free. Errors: IoError.
  [[nodiscard]] static RunDirectory create(const std::filesystem::path& base,
                                           const std::string& name);
  /// Opens an existing run. Errors: IoError if it holds no run log and no plan.
  [[nodiscard]] static RunDirectory open(const std::filesystem::path& path);
  /// The newest run `base/name-K` that has a checkpoint; nothing if there is none.
  [[nodiscard]] static std::optional<RunDirectory> newest_with_checkpoint(
      const std::filesystem::path& base, const std::string& name);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path plan() const { return path_ / "plan.yaml"; }
  [[nodiscard]] std::filesystem::path log() const { return path_ / "run.jsonl"; }
  [[nodiscard]] std::filesystem::path summary() const { return path_ / "summary.json"; }
  [[nodiscard]] std::filesystem::path checkpoint(std::int64_t step) const;
  /// Steps of the complete checkpoints, oldest first.
  [[nodiscard]] std::vector<std::int64_t> checkpoints() const;
  /// Renames a checkpoint so that it no longer counts as one, and returns its new path.
  std::filesystem::path set_aside(std::int64_t step) const;
  /// Removes all but the newest `keep` checkpoints; 0 keeps all.
  void prune(std::int64_t keep) const;

 private:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace headroom::trainer
