#include "core/runtime/ledger.h"

#include "core/describe/error.h"

#include <algorithm>

namespace headroom::runtime {

Ledger::Ledger(const Step& step)
    : step_(step), entry_(step.tensors.size(), -1), known_(step.tensors.size(), -1) {
  trace_.tensors.reserve(step.tensors.size());
}

void Ledger::birth(TensorId id, Bytes payload, Bytes allocated, Phase phase, std::string_view op) {
  if (alive(id)) throw Error("ledger: " + to_string(step_.tensor(id).name) + " is born twice");
  const TensorInfo& info = step_.tensor(id);
  std::int32_t& line = known_[id.at()];
  const bool same = line >= 0 && trace_.tensors[static_cast<std::size_t>(line)].payload == payload;
  if (!same) {
    line = static_cast<std::int32_t>(trace_.tensors.size());
    trace_.tensors.push_back({.name = info.name,
                              .payload = payload,
                              .allocated = allocated,
                              .dtype = info.type.dtype,
                              .category = info.category,
                              .place = info.place});
  }
  entry_[id.at()] = line;
  const std::size_t place = index(info.place);
  live_[place] += payload;
  step_peak_[place] = std::max(step_peak_[place], live_[place]);
  if (recording_) trace_.events.push_back({true, line, phase, op});
}

void Ledger::death(TensorId id, Phase phase, std::string_view op) {
  if (!alive(id)) throw Error("ledger: " + to_string(step_.tensor(id).name) + " dies unborn");
  const std::int32_t line = entry_[id.at()];
  entry_[id.at()] = -1;
  live_[index(step_.tensor(id).place)] -= trace_.tensors[static_cast<std::size_t>(line)].payload;
  if (recording_) trace_.events.push_back({false, line, phase, op});
}

void Ledger::begin_step() { step_peak_ = live_; }

}  // namespace headroom::runtime
