#include "trainer/checkpoint.h"

#include "core/describe/error.h"
#include "core/describe/format.h"
#include "core/io/atomic_file.h"
#include "core/io/json_file.h"
#include "core/io/safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace headroom::trainer {
namespace {

namespace fs = std::filesystem;

constexpr int kSchemaVersion = 1;
/// Bytes copied from or to the device at a time.
constexpr std::size_t kChunk = 4 << 20;

fs::path model_file(const fs::path& folder) { return folder / "model.safetensors"; }
fs::path optimizer_file(const fs::path& folder) { return folder / "optimizer.safetensors"; }
fs::path state_file(const fs::path& folder) { return folder / "state.json"; }

std::vector<TensorId> all_states(const Step& step) {
  std::vector<TensorId> ids;
  for (const auto& states : step.states) ids.insert(ids.end(), states.begin(), states.end());
  return ids;
}

void save_tensors(const fs::path& path,
                  const runtime::Executor& executor,
                  const std::vector<TensorId>& ids) {
  std::vector<io::TensorSource> sources;
  for (TensorId id : ids) {
    const TensorInfo& info = executor.step().tensor(id);
    io::TensorSource source{.name = to_string(info.name), .dtype = info.type.dtype};
    for (const Dim& dim : info.type.shape) source.shape.push_back(dim.size);
    source.fill = [&executor, id](std::uint64_t offset, std::span<std::byte> chunk) {
      executor.read_tensor(id, offset, chunk);
    };
    sources.push_back(std::move(source));
  }
  io::write_safetensors(path, sources);
}

/// Throws unless the file holds exactly these tensors, each as the model has it.
void check_tensors(const io::SafetensorsFile& file,
                   const fs::path& path,
                   const Step& step,
                   const std::vector<TensorId>& ids) {
  for (TensorId id : ids) {
    const TensorInfo& info = step.tensor(id);
    const std::string name = to_string(info.name);
    const io::StoredTensor* stored = file.find(name);
    if (stored == nullptr) throw IoError(path.string() + ": tensor " + name + " is missing");
    std::vector<std::int64_t> shape;
    for (const Dim& dim : info.type.shape) shape.push_back(dim.size);
    if (stored->dtype != info.type.dtype || stored->shape != shape) {
      throw IoError(path.string() + ": tensor " + name + " is not the model's: expected " +
                    std::string(headroom::name(info.type.dtype)) + " " +
                    to_string(info.type.shape));
    }
  }
  if (file.tensors().size() != ids.size()) {
    throw IoError(path.string() + " holds " +
                  format_counted(static_cast<std::int64_t>(file.tensors().size()), "tensor") +
                  ", expected " + std::to_string(ids.size()));
  }
}

void load_tensors(const io::SafetensorsFile& file,
                  runtime::Executor& executor,
                  const std::vector<TensorId>& ids) {
  std::vector<std::byte> chunk(kChunk);
  for (TensorId id : ids) {
    const io::StoredTensor& stored = file.at(to_string(executor.step().tensor(id).name));
    const auto size = static_cast<std::uint64_t>(stored.size.value());
    for (std::uint64_t offset = 0; offset < size; offset += chunk.size()) {
      const std::span<std::byte> part(chunk.data(),
                                      std::min<std::uint64_t>(chunk.size(), size - offset));
      file.read(stored, part, offset);
      executor.write_tensor(id, offset, part);
    }
  }
}

CheckpointState read_state(const fs::path& path) {
  const io::JsonFile file(path);
  if (file.whole("schema_version") != kSchemaVersion) {
    throw IoError(path.string() + " was written by another version of the program");
  }
  CheckpointState state{.step = file.whole("step"),
                        .seed = file.natural("seed"),
                        .first_loss = file.optional_real("first_loss"),
                        .best_loss = file.optional_real("best_loss")};
  if (state.step < 0) throw IoError(path.string() + ": the step is negative");
  if (const auto scale = file.optional_real("loss_scale")) {
    state.loss_scale = {.scale = *scale,
                        .clean_steps = file.whole("loss_scale_clean_steps"),
                        .skipped_steps = file.whole("loss_scale_skipped_steps")};
  }
  return state;
}

}  // namespace

void save_checkpoint(const fs::path& path,
                     const runtime::Executor& executor,
                     const CheckpointState& state) {
  io::AtomicDirectory folder(path);
  save_tensors(model_file(folder.staging()), executor, executor.step().parameters);
  save_tensors(optimizer_file(folder.staging()), executor, all_states(executor.step()));
  nlohmann::ordered_json json;
  json["schema_version"] = kSchemaVersion;
  json["step"] = state.step;
  json["seed"] = state.seed;
  if (state.first_loss) json["first_loss"] = *state.first_loss;
  if (state.best_loss) json["best_loss"] = *state.best_loss;
  if (state.loss_scale != LossScaler::State{}) {
    json["loss_scale"] = state.loss_scale.scale;
    json["loss_scale_clean_steps"] = state.loss_scale.clean_steps;
    json["loss_scale_skipped_steps"] = state.loss_scale.skipped_steps;
  }
  io::write_atomically(state_file(folder.staging()), json.dump(2) + "\n");
  folder.commit();
}

void load_parameters(const fs::path& path, runtime::Executor& executor) {
  const io::SafetensorsFile model(model_file(path));
  check_tensors(model, model_file(path), executor.step(), executor.step().parameters);
  load_tensors(model, executor, executor.step().parameters);
}

CheckpointState load_checkpoint(const fs::path& path, runtime::Executor& executor) {
  const CheckpointState state = read_state(state_file(path));
  const std::vector<TensorId>& parameters = executor.step().parameters;
  const std::vector<TensorId> states = all_states(executor.step());
  const io::SafetensorsFile model(model_file(path));
  const io::SafetensorsFile optimizer(optimizer_file(path));
  check_tensors(model, model_file(path), executor.step(), parameters);
  check_tensors(optimizer, optimizer_file(path), executor.step(), states);
  load_tensors(model, executor, parameters);
  load_tensors(optimizer, executor, states);
  return state;
}

CheckpointState restore_newest(const RunDirectory& run,
                               runtime::Executor& executor,
                               const std::function<void(const std::string&)>& warn) {
  std::vector<std::int64_t> steps = run.checkpoints();
  if (steps.empty()) throw IoError(run.path().string() + " has no checkpoint to resume from");
  std::vector<std::pair<std::int64_t, std::string>> damaged;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    CheckpointState state;
    try {
      state = load_checkpoint(run.checkpoint(*step), executor);
      if (state.step != *step) {
        throw IoError(state_file(run.checkpoint(*step)).string() + " is of step " +
                      std::to_string(state.step));
      }
    } catch (const IoError& error) {
      damaged.emplace_back(*step, error.what());
      continue;
    }
    for (const auto& [bad, reason] : damaged) {
      const fs::path aside = run.set_aside(bad);
      warn("the checkpoint of step " + std::to_string(bad) + " is damaged and was set aside as " +
           aside.string() + ": " + reason);
    }
    if (!damaged.empty()) {
      warn("going on from the newest whole checkpoint, of step " + std::to_string(*step) +
           "; the steps after it are run again");
    }
    return state;
  }
  const bool one = damaged.size() == 1;
  throw IoError("cannot resume " + run.path().string() + ": " +
                (one ? "its only checkpoint is damaged: "
                     : "none of its " + std::to_string(damaged.size()) +
                           " checkpoints is whole; the newest: ") +
                damaged.front().second + "; start a new run without --resume");
}

}  // namespace headroom::trainer
