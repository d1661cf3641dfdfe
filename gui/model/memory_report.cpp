#include "gui/model/memory_report.h"

#include "core/describe/format.h"
#include "gui/model/byte_scale.h"
#include "gui/model/text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace headroom::gui {
namespace {

using estimator::Estimate;
using Level = VerdictReport::Level;

QString exact(Bytes bytes) { return to_qt(format_count(bytes.value())) + " B"; }
QString rough(Bytes bytes) { return to_qt(format_bytes(bytes)); }

QString share(Bytes part, Bytes whole) {
  if (whole.value() == 0) return {};
  return to_qt(
      format_percent(static_cast<double>(part.value()) / static_cast<double>(whole.value())));
}

const char* const kCounted =
    "Counted from the operations of one training step, in the order the engine runs them.";

/// Tensors that differ only in their layer.
struct Group {
  TensorName name;
  DType dtype = DType::kF32;
  Bytes payload;
  std::int64_t count = 0;
};

std::vector<Group> groups_at_peak(const Estimate& estimate, Category category) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view, DType, std::int64_t>,
           std::size_t>
      index;
  for (std::int32_t t : alive_after(estimate.trace, estimate.device().usage.peak_event)) {
    const TraceTensor& tensor = estimate.trace.tensors[static_cast<std::size_t>(t)];
    if (tensor.category != category || tensor.place != Place::kDevice) continue;
    const auto key = std::make_tuple(tensor.name.stem, tensor.name.leaf, tensor.name.suffix,
                                     tensor.dtype, tensor.payload.value());
    const auto [found, fresh] = index.try_emplace(key, groups.size());
    if (fresh) groups.push_back({tensor.name, tensor.dtype, tensor.payload, 0});
    ++groups[found->second].count;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.payload * a.count > b.payload * b.count;
  });
  return groups;
}

QString group_line(const Group& group) {
  TensorName name = group.name;
  if (group.count > 1) name.index = -1;
  const Bytes element(size_of(group.dtype));
  const QString times = group.count > 1 ? to_qt(format_count(group.count)) + " x " : QString();
  return QStringLiteral("%1: %2%3 values x %4 (%5) = %6")
      .arg(to_qt(to_string(name)), times,
           to_qt(format_count(group.payload.value() / element.value())), rough(element),
           to_qt(headroom::name(group.dtype)), exact(group.payload * group.count));
}

Explanation tensors_explained(const Estimate& estimate, Category category) {
  constexpr std::size_t kShown = 10;
  const PlaceUsage& usage = estimate.device().usage;
  Explanation how{.title = label(category), .meaning = meaning(category)};
  const std::vector<Group> groups = groups_at_peak(estimate, category);
  Bytes rest;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < kShown) {
      how.formula << group_line(groups[i]);
    } else {
      rest += groups[i].payload * groups[i].count;
    }
  }
  if (groups.size() > kShown) {
    how.formula
        << QStringLiteral("%1 smaller groups = %2").arg(groups.size() - kShown).arg(exact(rest));
  }
  if (groups.size() > 1) how.formula << "sum = " + exact(usage.at_peak[category]);
  how.source = QStringLiteral("%1 Alive at the peak: %2, %3.")
                   .arg(QLatin1String(kCounted), words(name(usage.peak_phase)),
                        usage.peak_op.empty() ? QStringLiteral("start") : words(usage.peak_op));
  return how;
}

Explanation context_explained(const Estimate& estimate) {
  Explanation how{.title = label(Category::kContext), .meaning = meaning(Category::kContext)};
  if (const auto& context = estimate.hardware.memory.context) {
    how.formula << QStringLiteral("%1, between %2 and %3")
                       .arg(rough(context->value), rough(context->low), rough(context->high));
    how.source =
        QStringLiteral("%1 (%2)").arg(to_qt(context->source), to_qt(name(context->standing)));
  }
  return how;
}

Explanation packing_explained(const Estimate& estimate, Bytes packing) {
  const auto& device = estimate.device();
  return {.title = label(Part::packing()),
          .meaning = meaning(Part::packing()),
          .formula = {QStringLiteral("reserved - tensors at the peak = %1 - %2 = %3")
                          .arg(exact(device.reserved), exact(device.usage.tensors_peak),
                               exact(packing))},
          .source = "The layout is planned before the first step; this is what it leaves unused."};
}

QString capacity_source(const Estimate& estimate) {
  const auto figure = estimator::capacity(estimate.hardware);
  if (!figure) return {};
  return QStringLiteral("%1 (%2)").arg(to_qt(figure->source), to_qt(name(figure->standing)));
}

TableRow row_of(
    const QString& name, Bytes bytes, const QString& remark, TableRow::Kind kind, Explanation how) {
  return {.cells = {name, rough(bytes), to_qt(format_count(bytes.value())), remark},
          .kind = kind,
          .part = {},
          .how = std::move(how),
          .problem = {}};
}

Explanation textbook_explained(const estimator::Textbook& book) {
  return {.title = "textbook 4(P+A+G+O)",
          .meaning =
              "The sum taught in lectures: four bytes for every parameter, activation, "
              "gradient and value of optimizer state, all alive at once; no batch, no "
              "temporaries, no rounding, no context.",
          .formula = {QStringLiteral("P %1 + A %2 + G %3 + O %4")
                          .arg(exact(book.parameters), exact(book.activations),
                               exact(book.gradients), exact(book.optimizer_state)),
                      "= " + exact(book.total())},
          .source = "Shown beside the estimate for comparison; the verdict does not use it."};
}

}  // namespace

std::vector<MemoryPart> memory_parts(const Estimate& estimate) {
  const auto& device = estimate.device();
  std::vector<MemoryPart> parts;
  for (Category category : all_categories()) {
    Bytes bytes = device.usage.at_peak[category];
    Explanation how;
    if (category == Category::kContext) {
      bytes += device.context;
      how = context_explained(estimate);
    } else if (bytes.value() > 0) {
      how = tensors_explained(estimate, category);
    }
    if (bytes.value() > 0) parts.push_back({category, bytes, rough(bytes), std::move(how)});
  }
  const Bytes packing = device.reserved - device.usage.tensors_peak;
  if (packing.value() > 0) {
    parts.push_back(
        {Part::packing(), packing, rough(packing), packing_explained(estimate, packing)});
  }
  return parts;
}

VerdictReport verdict_report(const Estimate& estimate) {
  const estimator::Verdict& verdict = estimate.verdict;
  VerdictReport report;
  report.how.title = "verdict";
  if (!verdict.fits || !verdict.capacity) {
    report.word = "no verdict";
    report.sentence = "the capacity of " + to_qt(estimate.hardware.display) + " is not known";
    report.how.meaning = report.sentence;
    return report;
  }
  const Bytes amount(std::abs(verdict.headroom.value()));
  const QString band =
      verdict.band.value() > 0 ? " (\u00b1 " + rough(verdict.band) + ")" : QString();
  if (!*verdict.fits) {
    report.level = Level::kTooLarge;
    report.word = "does not fit";
    report.sentence = rough(amount) + " too much" + band;
  } else {
    const bool tight = verdict.headroom < verdict.band;
    report.level = tight ? Level::kTight : Level::kFits;
    report.word = tight ? "tight" : "fits";
    report.sentence = rough(amount) + " of headroom" + band;
  }
  const auto& device = estimate.device();
  report.how.meaning =
      "Headroom is what the device offers, less what the allocator reserves and the context. It is "
      "tight when it is smaller than the error band of the estimate.";
  report.how.formula << QStringLiteral("capacity - (reserved + context) = %1 - (%2 + %3) = %4")
                            .arg(exact(*verdict.capacity), exact(device.reserved),
                                 exact(device.context), exact(verdict.headroom));
  report.how.source = "Capacity: " + capacity_source(estimate);
  return report;
}

BarReport bar_report(const Estimate& estimate) {
  constexpr double kRoomRight = 1.06;
  constexpr int kTicks = 5;
  BarReport report;
  const Bytes peak = estimate.device().device_peak();
  const double whole = std::max<double>(1, static_cast<double>(peak.value()));
  double begin = 0;
  for (const MemoryPart& part : memory_parts(estimate)) {
    const double end = begin + static_cast<double>(part.bytes.value()) / whole;
    report.segments.push_back({part.part, begin, end, label(part.part), part.text});
    begin = end;
  }
  const Bytes capacity = estimate.verdict.capacity.value_or(peak);
  const double scale = static_cast<double>(std::max(peak.value(), capacity.value())) * kRoomRight;
  report.used = static_cast<double>(peak.value()) / scale;
  report.used_text = "peak " + rough(peak);
  report.level = verdict_report(estimate).level;
  if (estimate.verdict.capacity) {
    report.limit = static_cast<double>(capacity.value()) / scale;
    report.limit_text = to_qt(estimate.hardware.display) + ": " + rough(capacity);
  }
  const ByteScale axis = byte_scale(Bytes(static_cast<std::int64_t>(scale)), kTicks);
  for (double at = 0; at * axis.unit <= scale; at += axis.interval) {
    report.ticks.push_back(
        {at * axis.unit / scale,
         QString::number(at, 'f', at == 0 ? 0 : axis.decimals) + " " + axis.unit_name});
  }
  return report;
}

TableContent memory_table(const Estimate& estimate) {
  using Kind = TableRow::Kind;
  TableContent table{
      .columns = {{"memory at the peak"}, {"size", true}, {"bytes", true}, {"share", true}},
      .rows = {}};
  const auto& device = estimate.device();
  const Bytes peak = device.device_peak();
  for (MemoryPart& part : memory_parts(estimate)) {
    TableRow row = row_of(label(part.part), part.bytes, share(part.bytes, peak), Kind::kPlain,
                          std::move(part.how));
    row.part = part.part;
    table.rows.push_back(std::move(row));
  }
  table.rows.push_back(row_of(
      "device peak", peak, share(peak, peak), Kind::kTotal,
      {.title = "device peak",
       .meaning = "The most that the device holds at any moment of a step: everything above.",
       .formula = {QStringLiteral("reserved + context = %1 + %2 = %3")
                       .arg(exact(device.reserved), exact(device.context), exact(peak))},
       .source = kCounted}));
  if (estimate.verdict.capacity) {
    table.rows.push_back(
        row_of("capacity", *estimate.verdict.capacity, {}, Kind::kPlain,
               {.title = "capacity",
                .meaning = "What a program finds on " + to_qt(estimate.hardware.display) + ".",
                .formula = {},
                .source = capacity_source(estimate)}));
    table.rows.push_back(row_of("headroom", estimate.verdict.headroom, {}, Kind::kTotal,
                                verdict_report(estimate).how));
  }
  table.rows.push_back(row_of("textbook 4(P+A+G+O)", estimate.textbook.total(),
                              share(estimate.textbook.total(), peak), Kind::kNote,
                              textbook_explained(estimate.textbook)));
  for (std::size_t d = 1; d < estimate.devices.size(); ++d) {
    const auto& other = estimate.devices[d];
    table.rows.push_back(
        row_of(QStringLiteral("%1 (%2)").arg(to_qt(other.device), to_qt(other.role)),
               other.reserved, {}, Kind::kNote,
               {.title = to_qt(other.device + " (" + other.role + ")"),
                .meaning = "Memory outside the device that the run needs as well.",
                .formula = {"reserved = " + exact(other.reserved)},
                .source = kCounted}));
  }
  return table;
}

}  // namespace headroom::gui
