#include "gui/model/timeline_report.h"

#include "core/describe/format.h"
#include "gui/model/text.h"

#include <algorithm>

namespace headroom::gui {
namespace {

QString moment_name(const TimelinePoint& point) {
  if (point.op.empty()) return QStringLiteral("start");
  return words(name(point.phase)) + ", " + words(point.op);
}

/// What is alive after every event of a step. What init lays out is one moment.
std::vector<TimelinePoint> every_moment(const Trace& trace) {
  std::vector<TimelinePoint> points;
  TimelinePoint now;
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    const TraceEvent& event = trace.events[e];
    const TraceTensor& tensor = trace.tensors[static_cast<std::size_t>(event.tensor)];
    if (tensor.place != Place::kDevice) continue;
    const std::int64_t sign = event.birth ? 1 : -1;
    now.total += tensor.payload * sign;
    now.by_category[tensor.category] += tensor.payload * sign;
    now.event = static_cast<std::int64_t>(e);
    now.phase = event.phase;
    now.op = event.op;
    if (event.phase == Phase::kInit && !points.empty()) points.pop_back();
    points.push_back(now);
  }
  return points;
}

/// The highest of every `bucket` neighbours.
std::vector<TimelinePoint> thinned(std::vector<TimelinePoint> points, std::size_t most) {
  if (points.size() <= most) return points;
  const std::size_t bucket = (points.size() + most - 1) / most;
  std::vector<TimelinePoint> kept;
  for (std::size_t begin = 0; begin < points.size(); begin += bucket) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last =
        points.begin() + static_cast<std::ptrdiff_t>(std::min(begin + bucket, points.size()));
    kept.push_back(*std::max_element(
        first, last, [](const auto& a, const auto& b) { return a.total < b.total; }));
  }
  return kept;
}

}  // namespace

TimelineReport timeline_report(const estimator::Estimate& estimate, std::size_t most) {
  constexpr int kTicks = 4;
  TimelineReport report;
  const std::vector<TimelinePoint> points = thinned(every_moment(estimate.trace), most);
  Bytes highest;
  PerCategory<Bytes> ever;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TimelinePoint& point = points[i];
    if (point.total > highest) highest = point.total, report.peak = i;
    for (Category c : all_categories()) ever[c] = std::max(ever[c], point.by_category[c]);
    const QString phase = words(name(point.phase));
    if (report.phases.empty() || report.phases.back().name != phase) {
      report.phases.push_back({phase, static_cast<double>(i), static_cast<double>(i)});
    }
    report.phases.back().end = static_cast<double>(i + 1);
  }
  for (Category c : all_categories()) {
    if (ever[c].value() > 0) report.categories.push_back(c);
  }
  report.scale = byte_scale(highest, kTicks);
  report.last = std::max<double>(1, static_cast<double>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    TimelineMoment moment{.at = static_cast<double>(i), .tops = {}, .text = {}};
    Bytes sum;
    for (std::size_t c = 0; c < report.categories.size(); ++c) {
      sum += points[i].by_category[report.categories[c]];
      moment.tops[c] = report.scale.in_units(sum);
    }
    moment.text = moment_name(points[i]) + ": " + to_qt(format_bytes(points[i].total)) + " alive";
    report.moments.push_back(std::move(moment));
  }
  if (!points.empty()) {
    report.peak_text =
        "peak " + to_qt(format_bytes(highest)) + " in " + moment_name(points[report.peak]);
  }
  return report;
}

}  // namespace headroom::gui
