#include "core/describe/plan_schema_parts.h"

#include <array>

namespace headroom::schema {
namespace {

constexpr std::array kFileDtypes = {
    Choice{"u8", "bytes"},
    Choice{"u16", "16-bit unsigned integers"},
    Choice{"i32", "32-bit signed integers"},
    Choice{"f32", "32-bit floats"},
};

std::string only_files(const Plan& plan) {
  return plan.data.synthetic ? "synthetic data has no file" : std::string();
}

std::string only_raw_files(const Plan& plan) {
  const DataFormat format = plan.data.format;
  if (format == DataFormat::kAuto || format == DataFormat::kBin) return {};
  return "files of format " + std::string(name(format)) + " say their own dtype";
}

KeySpec path_key() {
  return {.path = "data.path",
          .kind = KeyKind::kText,
          .default_text = "none (enough for an estimate)",
          .meaning =
              "The training data. In a plan file relative to that file; in an override "
              "relative to the current folder.",
          .exclusive = kDataSource,
          .access = field([](auto& plan) { return &plan.data.path; }),
          .fallback = [](const Plan&) -> KeyValue { return std::string(); },
          .depends_on = "data.synthetic",
          .not_applicable = only_files};
}

KeySpec synthetic_key() {
  return {.path = "data.synthetic",
          .kind = KeyKind::kBool,
          .default_text = "false",
          .meaning =
              "Train on seeded random numbers: right for measuring memory and speed, "
              "useless for learning. The run log says so.",
          .exclusive = kDataSource,
          .access = field([](auto& plan) { return &plan.data.synthetic; }),
          .fallback = always<false>};
}

KeySpec format_key() {
  return {.path = "data.format",
          .kind = KeyKind::kWord,
          .default_text = "auto",
          .choices = choices<DataFormat>(),
          .meaning = "How the file is laid out. Without effect on synthetic data.",
          .access = field([](auto& plan) { return &plan.data.format; }),
          .fallback = always<DataFormat::kAuto>};
}

KeySpec dtype_key() {
  return {
      .path = "data.dtype",
      .kind = KeyKind::kWord,
      .default_text = "none; required with format bin",
      .choices = kFileDtypes,
      .meaning = "Number format of a raw binary file, which does not say it itself.",
      .word_aliases = {{"uint8", "u8"}, {"uint16", "u16"}, {"int32", "i32"}, {"float32", "f32"}},
      .access = field([](auto& plan) { return &plan.data.dtype; }),
      .fallback = unset,
      .depends_on = "data.format",
      .not_applicable = only_raw_files};
}

KeySpec target_columns_key() {
  return {.path = "data.target_columns",
          .kind = KeyKind::kInteger,
          .unit = "columns",
          .default_text =
              "what the model compares with: 1 for cruncher and classes, output_size "
              "for mse",
          .limits = size_from(1),
          .meaning = "How many of the last columns are the target.",
          .access = field([](auto& plan) { return &plan.data.target_columns; }),
          .fallback = [](const Plan& plan) -> KeyValue { return target_columns(plan.model); },
          .depends_on = "model.type"};
}

KeySpec normalize_key() {
  return {.path = "data.normalize",
          .kind = KeyKind::kWord,
          .default_text = "none",
          .choices = choices<Normalize>(),
          .meaning =
              "What is done to input columns before training. Without effect on "
              "synthetic data.",
          .access = field([](auto& plan) { return &plan.data.normalize; }),
          .fallback = always<Normalize::kNone>};
}

KeySpec held_out_key() {
  return {.path = "data.held_out",
          .kind = KeyKind::kReal,
          .default_text = "0; 0.1 when training.eval_every is above 0",
          .limits = between(0, 0.9),
          .slider = linear_slider(0, 0.5, 0.05),
          .meaning = "Share of the data, from its end, that is never trained on.",
          .aliases = {{"validation_split"}},
          .access = field([](auto& plan) { return &plan.data.held_out; }),
          .fallback = [](const Plan& plan) -> KeyValue {
            return plan.training.eval_every > 0 ? 0.1 : 0.0;
          }};
}

}  // namespace

std::vector<KeySpec> data_keys() {
  return {synthetic_key(),      path_key(),      format_key(),  dtype_key(),
          target_columns_key(), normalize_key(), held_out_key()};
}

}  // namespace headroom::schema
