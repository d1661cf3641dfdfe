#include "estimator/hardware.h"

#include <array>
#include <charconv>
#include <set>

namespace headroom::estimator {
namespace {

/// Shortest digits that read back to the same double.
std::string digits(double number) {
  std::array<char, 40> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), end};
}
std::string digits(std::int64_t number) { return std::to_string(number); }
template <class Tag, class Rep>
std::string digits(Quantity<Tag, Rep> quantity) {
  return digits(quantity.value());
}

/// Double-quoted YAML scalar.
std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string list(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ", ";
    out += quoted(text);
  }
  return out + ']';
}

std::string_view key_of(DType dtype) { return dtype == DType::kF8e4m3 ? "fp8" : name(dtype); }

template <class Unit>
std::string flow(const Figure<Unit>& figure) {
  std::string out = "{value: " + digits(figure.value);
  if (figure.low != figure.value) out += ", low: " + digits(figure.low);
  if (figure.high != figure.value) out += ", high: " + digits(figure.high);
  if (figure.standing != Standing::kPublished) {
    out += ", status: " + std::string(name(figure.standing));
  }
  return out + ", source: " + quoted(figure.source) + '}';
}

/// Writes `key: value` lines at a fixed indent.
class Writer {
 public:
  explicit Writer(std::string& out, int indent = 0) : out_(out), indent_(indent) {}
  void line(std::string_view key, std::string_view value) {
    out_.append(static_cast<std::size_t>(indent_), ' ');
    out_.append(key).append(": ").append(value).append("\n");
  }
  Writer section(std::string_view key) {
    out_.append(static_cast<std::size_t>(indent_), ' ');
    out_.append(key).append(":\n");
    return Writer(out_, indent_ + 2);
  }
  template <class Unit>
  void figure(std::string_view key, const Figure<Unit>& figure) {
    line(key, flow(figure));
  }
  template <class Unit>
  void figure(std::string_view key, const std::optional<Figure<Unit>>& figure) {
    if (figure) line(key, flow(*figure));
  }

 private:
  std::string& out_;
  int indent_;
};

/// In a file a source without a space is a word of the `sources` section, so such sources go there.
void write_sources(Writer& file, const Hardware& hardware) {
  std::set<std::string> words;
  const auto note = [&](const std::string& source) {
    if (!source.empty() && source.find(' ') == std::string::npos) words.insert(source);
  };
  const auto note_figure = [&](const auto& figure) { note(figure.source); };
  const auto note_optional = [&](const auto& figure) {
    if (figure) note(figure->source);
  };
  note_optional(hardware.memory.nominal);
  note_optional(hardware.memory.usable);
  note_optional(hardware.memory.context);
  note_figure(hardware.memory.bandwidth);
  note_figure(hardware.memory.bandwidth_fraction);
  for (const auto& [dtype, figure] : hardware.peak) note(figure.source);
  for (const auto& [dtype, figure] : hardware.matmul.fraction) note(figure.source);
  note_figure(hardware.matmul.default_fraction);
  note_optional(hardware.matmul.units);
  note_optional(hardware.matmul.k_half);
  note_figure(hardware.launch.gap);
  note_figure(hardware.launch.interval);
  if (hardware.host_link) {
    note_figure(hardware.host_link->pinned);
    note_figure(hardware.host_link->pageable);
  }
  note_optional(hardware.interconnect.gpu_link);
  note_optional(hardware.interconnect.network);
  note_optional(hardware.price);
  if (words.empty()) return;
  Writer section = file.section("sources");
  for (const std::string& word : words) section.line(quoted(word), quoted(word));
}

void write_measured(Writer& file, const MeasuredRates& rates) {
  Writer measured = file.section("measured");
  measured.line("device_name", quoted(rates.device_name));
  measured.line("date", quoted(rates.date));
  if (!rates.conditions.empty()) measured.line("conditions", quoted(rates.conditions));
  if (rates.memory_total) measured.line("memory_total_bytes", digits(*rates.memory_total));
  if (rates.bandwidth) measured.line("bandwidth_bytes_per_s", digits(*rates.bandwidth));
  if (rates.launch_gap) measured.line("launch_gap_s", digits(*rates.launch_gap));
  if (rates.pinned) measured.line("pinned_bytes_per_s", digits(*rates.pinned));
  if (rates.pageable) measured.line("pageable_bytes_per_s", digits(*rates.pageable));
  if (rates.matmul.empty()) return;
  Writer rows = measured.section("matmul");
  for (const MeasuredMatmul& row : rates.matmul) {
    rows.line("- {dtype", std::string(key_of(row.dtype)) + ", m: " + digits(row.m) +
                              ", n: " + digits(row.n) + ", k: " + digits(row.k) +
                              ", flops_per_s: " + digits(row.rate) + '}');
  }
}

}  // namespace

std::string hardware_to_yaml(const Hardware& hardware) {
  std::string out;
  Writer file(out);
  write_sources(file, hardware);
  file.line("name", quoted(hardware.name));
  if (hardware.display != hardware.name) file.line("display", quoted(hardware.display));
  if (!hardware.vendor.empty()) file.line("vendor", quoted(hardware.vendor));
  file.line("kind", name(hardware.kind));
  if (!hardware.aliases.empty()) file.line("aliases", list(hardware.aliases));

  Writer memory = file.section("memory");
  memory.figure("nominal_bytes", hardware.memory.nominal);
  memory.figure("usable_bytes", hardware.memory.usable);
  memory.figure("context_bytes", hardware.memory.context);
  memory.figure("bandwidth_bytes_per_s", hardware.memory.bandwidth);
  memory.figure("bandwidth_fraction", hardware.memory.bandwidth_fraction);

  if (hardware.peak.empty()) {
    file.line("peak_flops_per_s", "{}");
  } else {
    Writer peaks = file.section("peak_flops_per_s");
    for (const auto& [dtype, figure] : hardware.peak) peaks.figure(key_of(dtype), figure);
  }
  if (!hardware.unsupported.empty()) {
    std::vector<std::string> words;
    for (const DType dtype : hardware.unsupported) words.emplace_back(key_of(dtype));
    file.line("unsupported", list(words));
  }

  Writer matmul = file.section("matmul");
  Writer fraction = matmul.section("fraction");
  for (const auto& [dtype, figure] : hardware.matmul.fraction) {
    fraction.figure(key_of(dtype), figure);
  }
  fraction.figure("default", hardware.matmul.default_fraction);
  matmul.figure("units", hardware.matmul.units);
  matmul.figure("k_half", hardware.matmul.k_half);

  Writer launch = file.section("launch");
  launch.figure("gap_s", hardware.launch.gap);
  launch.figure("interval_s", hardware.launch.interval);

  if (hardware.host_link) {
    Writer link = file.section("host_link");
    link.line("name", quoted(hardware.host_link->name));
    link.figure("pinned_bytes_per_s", hardware.host_link->pinned);
    link.figure("pageable_bytes_per_s", hardware.host_link->pageable);
  }
  if (hardware.interconnect.gpu_link || hardware.interconnect.network) {
    Writer interconnect = file.section("interconnect");
    interconnect.figure("gpu_link_bytes_per_s", hardware.interconnect.gpu_link);
    interconnect.figure("network_bytes_per_s", hardware.interconnect.network);
  }
  if (hardware.price) {
    const Price& price = *hardware.price;
    Writer section = file.section("price_per_hour_usd");
    section.line("low", digits(price.low));
    section.line("typical", digits(price.typical));
    section.line("high", digits(price.high));
    section.line("date", quoted(price.date));
    if (price.standing != Standing::kPublished) section.line("status", name(price.standing));
    section.line("source", quoted(price.source));
  }
  if (hardware.measured) write_measured(file, *hardware.measured);
  if (!hardware.notes.empty()) {
    out += "notes:\n";
    for (const std::string& note : hardware.notes) out += "  - " + quoted(note) + '\n';
  }
  return out;
}

}  // namespace headroom::estimator
