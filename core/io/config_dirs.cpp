#include "core/io/config_dirs.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <system_error>

namespace headroom::io {
namespace {

namespace fs = std::filesystem;

bool is_config(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml" || path.extension() == ".json";
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// `path` itself or with one of the endings that configuration files have.
std::optional<fs::path> with_ending(const fs::path& path) {
  if (is_file(path)) return path;
  for (const char* ending : {".yaml", ".yml", ".json"}) {
    fs::path candidate = path;
    candidate += ending;
    if (is_file(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace

std::vector<fs::path> config_dirs() {
  std::vector<fs::path> candidates;
  if (const char* chosen = std::getenv("HEADROOM_CONFIGS"); chosen != nullptr && *chosen != '\0') {
    candidates.emplace_back(chosen);
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    candidates.push_back(program.parent_path().parent_path() / "share/headroom/configs");
  }
  candidates.emplace_back(HEADROOM_SOURCE_CONFIGS);
  std::erase_if(candidates, [](const fs::path& folder) {
    std::error_code ignored;
    return !fs::is_directory(folder, ignored);
  });
  return candidates;
}

std::optional<fs::path> find_config(std::string_view kind,
                                    const std::string& name,
                                    const fs::path& base) {
  if (auto found = with_ending(base / name)) return found;
  if (fs::path(name).is_absolute()) return std::nullopt;
  for (const fs::path& folder : config_dirs()) {
    if (auto found = with_ending(folder / kind / name)) return found;
  }
  return std::nullopt;
}

std::vector<fs::path> list_configs(std::string_view kind) {
  std::vector<fs::path> files;
  std::set<fs::path> names;
  for (const fs::path& folder : config_dirs()) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / kind, ignored)) {
      if (!is_config(entry.path()) || !is_file(entry.path())) continue;
      if (names.insert(entry.path().stem()).second) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.filename() < b.filename(); });
  return files;
}

}  // namespace headroom::io
