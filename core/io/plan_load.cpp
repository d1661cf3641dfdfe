#include "core/describe/plan_collect.h"
#include "core/describe/plan_override.h"
#include "core/io/config_dirs.h"
#include "core/io/hf_config.h"
#include "core/io/plan_yaml.h"
#include "core/io/yaml.h"

#include <algorithm>
#include <optional>

namespace headroom::io {
namespace {

namespace fs = std::filesystem;

bool from_override(const SourceLocation& where) {
  return where.line == 0 && where.file.starts_with("override ");
}

/// What a relative path in this place is relative to.
fs::path base_of(const SourceLocation& where, const fs::path& folder) {
  return from_override(where) ? fs::current_path() : folder;
}

/// The `model:` mapping of a preset file, alone. A file without one is all model, like a
/// configuration of Hugging Face.
ConfigNode model_part(ConfigNode file, std::vector<Problem>& notes) {
  ConfigNode wrapped{.kind = ConfigNode::Kind::kMap, .where = file.where};
  if (const ConfigNode* model = file.find("model")) {
    for (const ConfigNode::Entry& entry : file.entries) {
      if (&entry.value == model) wrapped.entries.push_back(entry);
    }
    return wrapped;
  }
  if (is_hf_config(file)) {
    HfModel hf = read_hf_model(file);
    notes.insert(notes.end(), hf.notes.begin(), hf.notes.end());
    file = std::move(hf.model);
  }
  const SourceLocation where = file.where;
  wrapped.entries.push_back({"model", where, std::move(file)});
  return wrapped;
}

/// Follows `model.config` if the plan gives it.
std::optional<ConfigNode> load_preset(const ConfigNode& root,
                                      const fs::path& folder,
                                      std::vector<Problem>& problems,
                                      std::vector<Problem>& notes) {
  const FoundKeys found = find_keys(root);
  const auto config = std::find_if(found.keys.begin(), found.keys.end(), [](const FoundKey& key) {
    return key.key->path == "model.config";
  });
  if (config == found.keys.end()) return std::nullopt;
  const ConfigNode& value = *config->value;
  if (value.kind != ConfigNode::Kind::kScalar || value.scalar.empty()) {
    problems.push_back({config->where, config->written, "expected the name of a file", {}});
    return std::nullopt;
  }
  const auto path = find_config("models", value.scalar, base_of(value.where, folder));
  if (!path) {
    problems.push_back({value.where, config->written, "there is no file '" + value.scalar + "'",
                        "give a path relative to the plan file, or a name of configs/models/"});
    return std::nullopt;
  }
  try {
    return model_part(read_yaml(*path), notes);
  } catch (const ConfigError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  } catch (const IoError& error) {
    problems.push_back({value.where, config->written, error.what(), {}});
  }
  return std::nullopt;
}

std::string absolute_path(const std::string& path, const fs::path& base) {
  return fs::absolute(base / path).lexically_normal().string();
}

bool looks_like_file(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".yaml") || name.ends_with(".yml");
}

void make_paths_absolute(LoadedPlan& loaded, const fs::path& folder) {
  const auto base = [&](std::string_view key) {
    const auto origin = loaded.origins.find(key);
    return origin == loaded.origins.end() ? folder : base_of(origin->second.where, folder);
  };
  std::string& data = loaded.plan.data.path;
  if (!data.empty()) data = absolute_path(data, base("data.path"));
  std::string& weights = loaded.plan.model.weights;
  if (!weights.empty()) weights = absolute_path(weights, base("model.weights"));
  std::string& gpu = loaded.plan.hardware.gpu;
  if (looks_like_file(gpu)) gpu = absolute_path(gpu, base("hardware.gpu"));
}

/// A path that cannot be a plan is a slip of the user, not a failure of the machine.
void check_is_plan_file(const fs::path& path) {
  const auto refuse = [&](std::string message, std::string hint) {
    throw ConfigError({{{.file = path.string()}, {}, std::move(message), std::move(hint)}});
  };
  std::error_code error;
  if (fs::is_directory(path, error)) {
    refuse("is a folder, not a plan file",
           fs::exists(path / "plan.yaml", error)
               ? "the plan of this run is " + (path / "plan.yaml").string()
               : "give the path of a YAML file");
  }
  if (!fs::exists(path, error)) {
    refuse("there is no such plan file", "give the path of a YAML file, or - for standard input");
  }
}

}  // namespace

LoadedPlan load_run_plan(const fs::path& run, std::span<const std::string> overrides) {
  const fs::path path = run / "plan.yaml";
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw IoError(path.string() +
                  " is missing: without it nobody knows what the run trained; put the plan that "
                  "it was started with there, changed as it was by the command line");
  }
  return load_plan(path, overrides);
}

LoadedPlan load_plan(ConfigNode root,
                     const fs::path& folder,
                     std::span<const std::string> overrides) {
  std::vector<Problem> notes;
  if (is_hf_config(root)) {
    HfModel hf = read_hf_model(root);
    notes = std::move(hf.notes);
    notes.push_back({root.where,
                     "",
                     "a bare model: batch, precision, optimizer and length of the run "
                     "are our defaults (--print-config shows them)",
                     {}});
    root = plan_around(std::move(hf.model));
  }
  std::vector<Problem> problems = apply_overrides(root, overrides);
  const std::optional<ConfigNode> preset = load_preset(root, folder, problems, notes);
  PlanReading reading = read_plan_collecting(root, preset ? &*preset : nullptr);
  // While a preset is missing, so are its keys.
  const bool lacks_preset = !preset && !problems.empty();
  for (Problem& problem : reading.problems) {
    const bool follows =
        lacks_preset && problem.message == "is missing" && problem.key.starts_with("model.");
    if (!follows) problems.push_back(std::move(problem));
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
  std::vector<Problem>& all = reading.loaded.notes;
  all.insert(all.begin(), notes.begin(), notes.end());
  make_paths_absolute(reading.loaded, folder);
  return std::move(reading.loaded);
}

LoadedPlan load_plan(const fs::path& path, std::span<const std::string> overrides) {
  if (path != "-") check_is_plan_file(path);
  ConfigNode root = read_yaml(path);
  const fs::path folder = path == "-" ? fs::current_path() : fs::absolute(path).parent_path();
  return load_plan(std::move(root), folder, overrides);
}

}  // namespace headroom::io
