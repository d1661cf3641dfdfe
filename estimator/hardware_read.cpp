#include "estimator/hardware.h"
#include "estimator/section_reader.h"

#include <algorithm>
#include <cmath>

namespace headroom::estimator {
namespace {

std::optional<DType> dtype_of_key(std::string_view key) {
  if (key == "fp8" || key == "f8") return DType::kF8e4m3;
  const auto dtype = dtype_from_name(key);
  if (!dtype || !is_float(*dtype)) return std::nullopt;
  return rate_key(*dtype);
}

constexpr std::string_view kDTypeHint = "f32, tf32, bf16, f16, fp8 or f64";

template <class Unit>
void read_per_dtype(SectionReader& section,
                    const ConfigNode& node,
                    const std::string& path,
                    Dimension dimension,
                    std::map<DType, Figure<Unit>>& into,
                    Figure<Unit>* fallback) {
  if (node.kind != ConfigNode::Kind::kMap) {
    section.problems().push_back({node.where, path, "must be a map from dtype to figure", ""});
  }
  for (const ConfigNode::Entry& entry : node.entries) {
    const std::string key_path = path + '.' + entry.key;
    if (fallback != nullptr && entry.key == "default") {
      if (auto figure = section.read_figure<Unit>(entry.value, key_path, dimension)) {
        *fallback = *figure;
      }
      continue;
    }
    const auto dtype = dtype_of_key(entry.key);
    if (!dtype) {
      section.problems().push_back(
          {entry.where, key_path, "is not a dtype", std::string(kDTypeHint)});
      continue;
    }
    auto figure = section.read_figure<Unit>(entry.value, key_path, dimension);
    if (!figure) continue;
    if (!into.emplace(*dtype, *figure).second) {
      section.problems().push_back({entry.where, key_path, "is given twice", ""});
    }
  }
}

void read_memory(SectionReader& section, MapReader& file, Hardware& hardware) {
  const ConfigNode* node = file.require("memory");
  if (node == nullptr) return;
  MapReader reader = section.map(*node, file.path_of("memory"));
  MemorySpec& memory = hardware.memory;
  memory.nominal = section.figure<Bytes>(reader, "nominal_bytes", Dimension::kBytes);
  memory.usable = section.figure<Bytes>(reader, "usable_bytes", Dimension::kBytes);
  memory.context = section.figure<Bytes>(reader, "context_bytes", Dimension::kBytes);
  memory.bandwidth = section.required_figure<BytesPerSecond>(reader, "bandwidth_bytes_per_s",
                                                             Dimension::kBytesPerSecond);
  memory.bandwidth_fraction =
      section.required_figure<double>(reader, "bandwidth_fraction", Dimension::kShare);
  if (hardware.kind == HardwareKind::kGpu) {
    if (!memory.nominal) reader.require("nominal_bytes");
    if (!memory.usable) reader.require("usable_bytes");
  }
  reader.finish();
}

void read_matmul(SectionReader& section, MapReader& file, MatmulSpec& matmul) {
  const ConfigNode* node = file.require("matmul");
  if (node == nullptr) return;
  MapReader reader = section.map(*node, file.path_of("matmul"));
  if (const ConfigNode* fraction = reader.require("fraction")) {
    read_per_dtype(section, *fraction, reader.path_of("fraction"), Dimension::kShare,
                   matmul.fraction, &matmul.default_fraction);
    if (fraction->find("default") == nullptr) {
      reader.problem(fraction->where, "fraction.default", "is missing");
    }
  }
  matmul.units = section.figure<double>(reader, "units", Dimension::kPlain);
  matmul.k_half = section.figure<double>(reader, "k_half", Dimension::kPlain);
  reader.finish();
}

void read_links(SectionReader& section, MapReader& file, Hardware& hardware) {
  if (const ConfigNode* node = file.require("launch")) {
    MapReader reader = section.map(*node, file.path_of("launch"));
    hardware.launch.gap = section.required_figure<Seconds>(reader, "gap_s", Dimension::kSeconds);
    hardware.launch.interval =
        section.required_figure<Seconds>(reader, "interval_s", Dimension::kSeconds);
    reader.finish();
  }
  if (const ConfigNode* node = file.find("host_link")) {
    MapReader reader = section.map(*node, file.path_of("host_link"));
    HostLinkSpec link;
    link.name = reader.required_text("name");
    link.pinned = section.required_figure<BytesPerSecond>(reader, "pinned_bytes_per_s",
                                                          Dimension::kBytesPerSecond);
    link.pageable = section.required_figure<BytesPerSecond>(reader, "pageable_bytes_per_s",
                                                            Dimension::kBytesPerSecond);
    reader.finish();
    hardware.host_link = std::move(link);
  }
  if (const ConfigNode* node = file.find("interconnect")) {
    MapReader reader = section.map(*node, file.path_of("interconnect"));
    hardware.interconnect.gpu_link =
        section.figure<BytesPerSecond>(reader, "gpu_link_bytes_per_s", Dimension::kBytesPerSecond);
    hardware.interconnect.network =
        section.figure<BytesPerSecond>(reader, "network_bytes_per_s", Dimension::kBytesPerSecond);
    reader.finish();
  }
}

void read_price(SectionReader& section, MapReader& file, Hardware& hardware) {
  const ConfigNode* node = file.find("price_per_hour_usd");
  if (node == nullptr) return;
  MapReader reader = section.map(*node, file.path_of("price_per_hour_usd"));
  Price price;
  price.low = Usd(reader.required_number("low", Dimension::kPlain).value_or(0));
  price.typical = Usd(reader.required_number("typical", Dimension::kPlain).value_or(0));
  price.high = Usd(reader.required_number("high", Dimension::kPlain).value_or(0));
  price.date = reader.required_text("date");
  price.standing = section.standing(reader);
  price.source = section.source(reader);
  constexpr double kMostUsd = 1e6;
  if (price.high > Usd(kMostUsd)) {
    reader.problem(node->where, "high",
                   "is more than any device costs per hour: up to 1e6 dollars");
  }
  if (price.low < Usd(0) || price.typical < price.low || price.high < price.typical) {
    reader.problem(node->where, "", "must have 0 <= low <= typical <= high");
  }
  reader.finish();
  hardware.price = std::move(price);
}

void read_measured_matmul(SectionReader& section,
                          const ConfigNode& node,
                          const std::string& path,
                          MeasuredRates& rates) {
  if (node.kind != ConfigNode::Kind::kList) {
    section.problems().push_back(
        {node.where, path, "must be a list of {dtype, m, n, k, flops_per_s}", ""});
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    MapReader reader = section.map(node.items[i], path + '[' + std::to_string(i) + ']');
    MeasuredMatmul row;
    const std::string word = reader.required_text("dtype");
    if (const auto dtype = dtype_of_key(word)) {
      row.dtype = *dtype;
    } else if (!word.empty()) {
      reader.problem(node.items[i].where, "dtype", "'" + word + "' is not a float dtype",
                     std::string(kDTypeHint));
    }
    row.m = reader.required_count("m");
    row.n = reader.required_count("n");
    row.k = reader.required_count("k");
    const auto rate = reader.required_number("flops_per_s", Dimension::kFlopsPerSecond);
    row.rate = FlopsPerSecond(rate.value_or(0));
    if (rate && *rate <= 0) {
      reader.problem(reader.find("flops_per_s")->where, "flops_per_s", "must be greater than 0");
    } else if (const std::string wrong = rate ? impossible(*rate, Dimension::kFlopsPerSecond) : "";
               !wrong.empty()) {
      reader.problem(reader.find("flops_per_s")->where, "flops_per_s", wrong);
    }
    reader.finish();
    rates.matmul.push_back(row);
  }
}

void read_measured(SectionReader& section, MapReader& file, Hardware& hardware) {
  const ConfigNode* node = file.find("measured");
  if (node == nullptr) return;
  MapReader reader = section.map(*node, file.path_of("measured"));
  MeasuredRates rates;
  rates.device_name = reader.required_text("device_name");
  rates.date = reader.required_text("date");
  rates.conditions = reader.text("conditions");
  const auto positive = [&](std::string_view key, Dimension dimension) {
    const auto number = reader.number(key, dimension);
    if (number && *number <= 0) {
      reader.problem(reader.find(key)->where, key, "must be greater than 0");
      return std::optional<double>();
    }
    if (const std::string wrong = number ? impossible(*number, dimension) : ""; !wrong.empty()) {
      reader.problem(reader.find(key)->where, key, wrong);
      return std::optional<double>();
    }
    return number;
  };
  if (const auto v = positive("bandwidth_bytes_per_s", Dimension::kBytesPerSecond)) {
    rates.bandwidth = BytesPerSecond(*v);
  }
  if (const auto v = positive("launch_gap_s", Dimension::kSeconds)) rates.launch_gap = Seconds(*v);
  if (const auto v = positive("pinned_bytes_per_s", Dimension::kBytesPerSecond)) {
    rates.pinned = BytesPerSecond(*v);
  }
  if (const auto v = positive("pageable_bytes_per_s", Dimension::kBytesPerSecond)) {
    rates.pageable = BytesPerSecond(*v);
  }
  if (const auto v = positive("memory_total_bytes", Dimension::kBytes)) {
    rates.memory_total = as_unit<Bytes>(*v);
  }
  if (const ConfigNode* matmul = reader.find("matmul")) {
    read_measured_matmul(section, *matmul, reader.path_of("matmul"), rates);
  }
  reader.finish();
  hardware.measured = std::move(rates);
}

void read_unsupported(MapReader& file, Hardware& hardware) {
  const ConfigNode* list = file.find("unsupported");
  for (const std::string& word : file.texts("unsupported")) {
    const auto dtype = dtype_of_key(word);
    if (!dtype) {
      file.problem(list->where, "unsupported", "'" + word + "' is not a dtype",
                   std::string(kDTypeHint));
    } else if (hardware.peak.contains(*dtype)) {
      file.problem(list->where, "unsupported", "'" + word + "' also has a peak");
    } else {
      hardware.unsupported.push_back(*dtype);
    }
  }
}

}  // namespace

Hardware hardware_from_node(const ConfigNode& node) {
  std::vector<Problem> problems;
  SectionReader section(node, problems);
  MapReader file = section.map(node, "");
  file.find("sources");

  Hardware hardware;
  hardware.name = file.required_text("name");
  hardware.display = file.text("display");
  if (hardware.display.empty()) hardware.display = hardware.name;
  hardware.vendor = file.text("vendor");
  hardware.aliases = file.texts("aliases");
  hardware.notes = file.texts("notes");
  const std::string kind = file.required_text("kind");
  if (kind == "cpu") {
    hardware.kind = HardwareKind::kCpu;
  } else if (kind != "gpu" && !kind.empty()) {
    file.problem(file.find("kind")->where, "kind", "'" + kind + "' is not a kind", "gpu or cpu");
  }
  read_memory(section, file, hardware);
  if (const ConfigNode* peaks = file.require("peak_flops_per_s")) {
    read_per_dtype<FlopsPerSecond>(section, *peaks, "peak_flops_per_s", Dimension::kFlopsPerSecond,
                                   hardware.peak, nullptr);
  }
  read_unsupported(file, hardware);
  read_matmul(section, file, hardware.matmul);
  read_links(section, file, hardware);
  read_price(section, file, hardware);
  read_measured(section, file, hardware);
  file.finish();
  if (!problems.empty()) throw ConfigError(std::move(problems));
  return hardware;
}

}  // namespace headroom::estimator
