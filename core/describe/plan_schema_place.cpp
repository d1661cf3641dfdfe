#include "core/describe/plan_schema_parts.h"

namespace headroom::schema {
namespace {

KeySpec device_key() {
  return {.path = "hardware.device",
          .kind = KeyKind::kWord,
          .default_text = "auto",
          .choices = choices<DeviceKind>(),
          .meaning = "What the run computes on.",
          .word_aliases = {{"gpu", "cuda"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.hardware.device; }),
          .fallback = always<DeviceKind::kAuto>};
}

KeySpec gpu_key() {
  return {.path = "hardware.gpu",
          .kind = KeyKind::kText,
          .default_text = "h100-sxm; this machine's processor with device cpu",
          .meaning =
              "What an estimate assumes: a name of configs/hardware/ (see `headroom list "
              "gpus`) or a file that `headroom bench -o` wrote.",
          .memory = "Sets the capacity that the estimate is compared with.",
          .time = "Sets the matrix product rates and the memory bandwidth.",
          .aliases = {{"gpu_type"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.hardware.gpu; }),
          .fallback = [](const Plan& plan) -> KeyValue {
            return std::string(plan.hardware.device == DeviceKind::kCpu ? "" : "h100-sxm");
          }};
}

KeySpec count_key() {
  return {.path = "hardware.count",
          .kind = KeyKind::kInteger,
          .unit = "GPUs",
          .default_text = "what the parallel section asks for",
          .limits = between(1, 1048576),
          .slider = log_slider(1, 4096),
          .meaning = "GPUs of the whole run. Given alone, all of them are data parallel ranks.",
          .aliases = {{"gpus"}, {"num_gpus"}, {"devices"}},
          .access = field([](auto& plan) { return &plan.hardware.count; }),
          .fallback = [](const Plan& plan) -> KeyValue { return world_size(plan.parallel); }};
}

KeySpec price_key() {
  return {.path = "hardware.price_per_gpu_hour",
          .kind = KeyKind::kReal,
          .unit = "USD",
          .default_text = "the hardware file's",
          .limits = between(0, 1e6),
          .slider = linear_slider(0, 15, 0.05),
          .meaning = "Price of one GPU for one hour.",
          .access = field([](auto& plan) { return &plan.hardware.price_per_gpu_hour; }),
          .fallback = unset};
}

KeySpec framework_key() {
  return {.path = "framework",
          .kind = KeyKind::kWord,
          .default_text = "headroom",
          .choices = choices<Framework>(),
          .meaning = "Whose memory and time an estimate counts. Runs are always this engine's.",
          .memory = "Each framework keeps and allocates differently for the same model.",
          .access = field([](auto& plan) { return &plan.framework; }),
          .fallback = always<Framework::kHeadroom>};
}

KeySpec dir_key() {
  return {.path = "output.dir",
          .kind = KeyKind::kText,
          .default_text = "runs",
          .meaning = "Folder for run directories, relative to the current folder.",
          .aliases = {{"output_dir"}, {"out_dir"}},
          .access = field([](auto& plan) { return &plan.output.dir; }),
          .fallback = [](const Plan&) -> KeyValue { return std::string("runs"); }};
}

KeySpec log_every_key() {
  return {.path = "output.log_every",
          .kind = KeyKind::kInteger,
          .unit = "steps",
          .default_text = "1",
          .limits = size_from(1),
          .slider = log_slider(1, 1000, 10),
          .meaning = "Steps between two records of the run log.",
          .aliases = {{"log_every_n_steps"}, {"log_interval"}, {"logging_steps"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.output.log_every; }),
          .fallback = always<std::int64_t{1}>};
}

KeySpec save_every_key() {
  return {.path = "output.save_every",
          .kind = KeyKind::kInteger,
          .unit = "steps",
          .default_text = "0 (only at the end)",
          .limits = size_from(0),
          .slider = log_slider(1, 10000, 10),
          .meaning = "Steps between two checkpoints; 0 saves only at the end.",
          .aliases = {{"save_interval"}, {"save_steps"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.output.save_every; }),
          .fallback = always<std::int64_t{0}>};
}

KeySpec keep_key() {
  return {.path = "output.keep",
          .kind = KeyKind::kInteger,
          .unit = "checkpoints",
          .default_text = "2",
          .limits = between(0, 1e6),
          .slider = linear_slider(0, 20),
          .meaning = "Newest checkpoints that stay on disk; 0 keeps all.",
          .aliases = {{"save_total_limit"}},
          .access = field([](auto& plan) { return &plan.output.keep; }),
          .fallback = always<std::int64_t{2}>};
}

}  // namespace

std::vector<KeySpec> place_keys() {
  return {device_key(), gpu_key(),       count_key(),      price_key(), framework_key(),
          dir_key(),    log_every_key(), save_every_key(), keep_key()};
}

}  // namespace headroom::schema
