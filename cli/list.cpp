#include "cli/arguments.h"
#include "cli/plan_input.h"
#include "cli/table.h"
#include "core/describe/format.h"
#include "core/describe/plan_schema.h"
#include "core/describe/spelling.h"
#include "core/io/config_dirs.h"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <iostream>

namespace headroom::cli {
namespace {

using Align = Table::Align;

std::string peak_text(const estimator::Hardware& hardware, DType dtype) {
  const auto figure = estimator::peak(hardware, dtype);
  return figure ? fmt::format("{:.4g}", figure->value.value() / 1e12) : "-";
}

void list_gpus() {
  Table table({Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight,
               Align::kRight, Align::kRight, Align::kRight});
  table.add({"name", "", "memory", "TB/s", "f32", "bf16", "f16", "fp8"});
  const estimator::HardwareCatalog catalog = load_hardware_catalog();
  std::int64_t gpus = 0, processors = 0;
  for (const estimator::Hardware& hardware : catalog.all()) {
    ++(hardware.kind == estimator::HardwareKind::kGpu ? gpus : processors);
    const auto memory = estimator::capacity(hardware);
    table.add({hardware.name, hardware.display, memory ? format_bytes(memory->value) : "-",
               fmt::format("{:.3g}", hardware.memory.bandwidth.value.value() / 1e12),
               peak_text(hardware, DType::kF32), peak_text(hardware, DType::kBf16),
               peak_text(hardware, DType::kF16), peak_text(hardware, DType::kF8e4m3)});
  }
  std::cout << table.text(0)
            << fmt::format("{} and {}; peaks in TFLOP/s, dense; - means that the device has none\n",
                           format_counted(gpus, "GPU"), format_counted(processors, "processor"));
}

void list_dtypes() {
  Table table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
               Align::kRight, Align::kLeft});
  table.add({"dtype", "bytes", "largest", "smallest normal", "smallest", "epsilon", ""});
  for (const DTypeInfo& dtype : all_dtypes()) {
    const auto number = [&](double value) {
      return is_float(dtype.dtype) ? fmt::format("{:.5g}", value) : std::string("-");
    };
    table.add({std::string(dtype.name), std::to_string(dtype.bytes), number(dtype.largest),
               number(dtype.smallest_normal), number(dtype.smallest_subnormal),
               number(dtype.epsilon), std::string(dtype.note)});
  }
  std::cout << table.text(0);
}

template <class Enum>
void list_choices() {
  Table table({Align::kLeft, Align::kLeft});
  for (const Choice& choice : choices<Enum>()) {
    table.add({std::string(choice.name), std::string(choice.meaning)});
  }
  std::cout << table.text(0);
}

void list_keys() {
  Table table({Align::kLeft, Align::kLeft});
  for (const KeySpec& key : plan_schema()) {
    const std::string standard = key.default_text == "required"
                                     ? "Required."
                                     : fmt::format("Default: {}.", key.default_text);
    table.add({std::string(key.path), fmt::format("{} {}", key.meaning, standard)});
  }
  std::cout << table.text(0);
}

void list_models() {
  std::cout << "cruncher\nmlp\n";
  for (const auto& path : io::list_configs("models")) std::cout << path.stem().string() << '\n';
}

}  // namespace

ExitCode run_list(std::span<const std::string> words) {
  const Arguments arguments = parse("list", words, {});
  if (arguments.help) return ExitCode::kOk;
  static const std::vector<std::string> kinds = {"models", "gpus",       "optimizers",
                                                 "dtypes", "frameworks", "keys"};
  refuse_more_words("list", arguments.words, 1);
  const std::string kind = arguments.words.empty() ? "" : arguments.words[0];
  if (kind == "gpus") {
    list_gpus();
  } else if (kind == "dtypes") {
    list_dtypes();
  } else if (kind == "optimizers") {
    list_choices<OptimizerKind>();
  } else if (kind == "frameworks") {
    list_choices<Framework>();
  } else if (kind == "keys") {
    list_keys();
  } else if (kind == "models") {
    list_models();
  } else {
    throw Error("list what? models, gpus, optimizers, dtypes, frameworks or keys" +
                    did_you_mean(kind, kinds),
                ExitCode::kUsage);
  }
  return ExitCode::kOk;
}

}  // namespace headroom::cli
