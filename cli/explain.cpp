#include "cli/arguments.h"
#include "cli/plan_input.h"
#include "cli/table.h"
#include "cli/wrap.h"
#include "core/describe/format.h"
#include "core/describe/plan_keys.h"
#include "core/describe/plan_schema.h"
#include "core/describe/spelling.h"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <iostream>

namespace headroom::cli {
namespace {

using Align = Table::Align;

void row(Table& table, const char* label, const std::string& text) {
  if (!text.empty()) table.add({label, text});
}

void explain_key(const KeySpec& key) {
  std::cout << wrap(std::string(key.path) + ": " + std::string(key.meaning), "", "  ");
  Table table({Align::kLeft, Align::kLeft});
  row(table, "default", std::string(key.default_text));
  row(table, "unit", std::string(key.unit));
  row(table, "range", range_text(key));
  row(table, "memory", std::string(key.memory));
  row(table, "time", std::string(key.time));
  std::string aliases;
  for (const KeyAlias& alias : key.aliases) {
    aliases += (aliases.empty() ? "" : ", ") + std::string(alias.word);
  }
  row(table, "also accepted", aliases);
  for (const Choice& choice : key.choices) {
    table.add({std::string(choice.name), std::string(choice.meaning)});
  }
  std::cout << table.text();
}

void explain_dtype(const DTypeInfo& dtype) {
  std::cout << wrap(std::string(dtype.name) + ": " + std::string(dtype.note), "", "  ");
  Table table({Align::kLeft, Align::kLeft});
  row(table, "bytes", std::to_string(dtype.bytes));
  if (is_float(dtype.dtype)) {
    row(table, "bits",
        fmt::format("1 sign, {} exponent, {} fraction", dtype.exponent_bits, dtype.mantissa_bits));
    row(table, "largest", fmt::format("{:.9g}", dtype.largest));
    row(table, "smallest normal", fmt::format("{:.9g}", dtype.smallest_normal));
    row(table, "smallest subnormal", fmt::format("{:.9g}", dtype.smallest_subnormal));
    row(table, "epsilon", fmt::format("{:.9g}", dtype.epsilon));
  }
  std::cout << table.text();
}

void explain_hardware(const estimator::Hardware& hardware) {
  std::cout << hardware.name << ": " << hardware.vendor << ' ' << hardware.display << '\n';
  Table table({Align::kLeft, Align::kLeft, Align::kLeft});
  const auto add = [&](const std::string& label, const std::string& value, const auto& figure) {
    table.add({label, value, fmt::format("{}: {}", name(figure.standing), figure.source)});
  };
  if (const auto memory = estimator::capacity(hardware)) {
    add("memory", format_bytes(memory->value), *memory);
  }
  add("bandwidth", fmt::format("{:.4g} GB/s", hardware.memory.bandwidth.value.value() / 1e9),
      hardware.memory.bandwidth);
  for (const auto& [dtype, figure] : hardware.peak) {
    add("peak " + std::string(name(dtype)), format_rate(figure.value), figure);
  }
  if (hardware.memory.context) {
    add("context", format_bytes(hardware.memory.context->value), *hardware.memory.context);
  }
  if (hardware.price) {
    table.add({"price",
               fmt::format("{} to {} per hour ({})", format_usd(hardware.price->low),
                           format_usd(hardware.price->high), hardware.price->date),
               hardware.price->source});
  }
  std::cout << table.text();
  for (const std::string& line : hardware.notes) std::cout << wrap(line, "  - ", "    ");
}

template <class Enum>
bool explain_choice(const std::string& word) {
  for (const Choice& choice : choices<Enum>()) {
    if (choice.name != word) continue;
    std::cout << wrap(std::string(choice.name) + ": " + std::string(choice.meaning), "", "  ");
    return true;
  }
  return false;
}

const KeySpec* key_named(const std::string& word) {
  if (const KeySpec* key = find_key(word)) return key;
  for (const KeySpec& key : plan_schema()) {
    if (key.leaf() == word) return &key;
    for (const KeyAlias& alias : key.aliases) {
      if (alias.word == word) return &key;
    }
  }
  return nullptr;
}

}  // namespace

ExitCode run_explain(std::span<const std::string> words) {
  const Arguments arguments = parse("explain", words, {});
  if (arguments.help) return ExitCode::kOk;
  if (arguments.words.empty()) {
    throw Error("explain what? A plan key, a GPU, a dtype, an optimizer or a framework",
                ExitCode::kUsage);
  }
  refuse_more_words("explain", arguments.words, 1);
  const std::string& word = arguments.words[0];
  if (const auto dtype = dtype_from_name(word)) return explain_dtype(info(*dtype)), ExitCode::kOk;
  if (const KeySpec* key = key_named(word)) return explain_key(*key), ExitCode::kOk;
  if (explain_choice<OptimizerKind>(word) || explain_choice<Framework>(word) ||
      explain_choice<Precision>(word)) {
    return ExitCode::kOk;
  }
  const estimator::HardwareCatalog catalog = load_hardware_catalog();
  if (const estimator::Hardware* hardware = catalog.find(word)) {
    return explain_hardware(*hardware), ExitCode::kOk;
  }
  std::vector<std::string> known;
  for (const KeySpec& key : plan_schema())
    known.emplace_back(key.path), known.emplace_back(key.leaf());
  for (const DTypeInfo& dtype : all_dtypes()) known.emplace_back(dtype.name);
  for (const estimator::Hardware& hardware : catalog.all()) known.push_back(hardware.name);
  throw Error("nothing is called `" + word + "`" + did_you_mean(word, known) +
                  "; headroom list keys|gpus|dtypes|optimizers shows what there is",
              ExitCode::kUsage);
}

}  // namespace headroom::cli
