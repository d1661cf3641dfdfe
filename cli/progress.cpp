#include "cli/progress.h"

#include "cli/table.h"
#include "cli/terminal.h"
#include "core/describe/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace headroom::cli {

void Eta::add(double step_s) {
  if (seen_++ < kWarmUpSteps) return;
  sum_ = kDecay * sum_ + step_s;
  weight_ = kDecay * weight_ + 1;
}

double Eta::seconds_for(std::int64_t steps) const {
  return weight_ == 0 ? -1 : sum_ / weight_ * static_cast<double>(steps);
}

Progress::Progress() : terminal_(is_terminal(Stream::kErr)), unicode_(unicode_output()) {}

void Progress::start(const RunRecord& run) {
  run_ = run;
  begin_ = last_ = Clock::now();
}

std::string Progress::line(const StepRecord& step) const {
  const std::int64_t total = run_.total_steps;
  const double eta = eta_.seconds_for(total - step.step);
  std::string text = fmt::format("step {}/{} {:.0f}%  loss {:.5g}  lr {:.3g}", step.step, total,
                                 100.0 * static_cast<double>(step.step) /
                                     static_cast<double>(std::max<std::int64_t>(total, 1)),
                                 step.loss, step.learning_rate);
  if (step.grad_norm) text += fmt::format("  gnorm {:.3g}", *step.grad_norm);
  text += fmt::format("  {} {}s/s", format_short_count(step.items_per_s), run_.item);
  if (step.mfu) text += fmt::format("  MFU {}", format_percent(*step.mfu));
  text += fmt::format("  mem {}/{}", format_bytes(step.memory_now), format_bytes(step.memory_peak));
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
  text += fmt::format("  {}<{}", format_seconds(Seconds(elapsed)),
                      eta < 0 ? "--" : format_seconds(Seconds(eta)));
  return text;
}

bool Progress::due(const StepRecord& step) {
  using std::chrono::milliseconds;
  if (step.step >= run_.total_steps) return true;
  const auto passed = Clock::now() - last_;
  if (terminal_) return passed >= milliseconds(100);
  constexpr auto kPlainInterval = std::chrono::seconds(30);
  return shown_ == 0 || passed >= kPlainInterval;
}

void Progress::step(const StepRecord& step) {
  eta_.add(step.step_s);
  if (!due(step)) return;
  last_ = Clock::now();
  ++shown_;
  std::string text = line(step);
  if (!terminal_) {
    std::cerr << text << '\n';
    return;
  }
  const auto width = static_cast<std::size_t>(std::max(terminal_width() - 1, 20));
  constexpr std::size_t kBar = 12;
  if (display_width(text) + kBar + 3 < width) {
    const auto full =
        static_cast<std::size_t>(static_cast<double>(kBar) * static_cast<double>(step.step) /
                                 static_cast<double>(std::max<std::int64_t>(run_.total_steps, 1)));
    std::string bar;
    for (std::size_t i = 0; i < kBar; ++i) {
      bar += i < full ? (unicode_ ? "\u2588" : "#") : (unicode_ ? "\u2591" : ".");
    }
    text = bar + "  " + text;
  } else if (text.size() > width) {
    text.resize(width);
  }
  std::cerr << "\r\033[K" << text << std::flush;
  line_open_ = true;
  if (step.step >= run_.total_steps) pause();
}

void Progress::pause() {
  if (!line_open_) return;
  std::cerr << '\n';
  line_open_ = false;
}

}  // namespace headroom::cli
