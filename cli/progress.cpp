#include "cli/progress.h"

#include "cli/table.h"
#include "cli/terminal.h"
#include "core/describe/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace headroom::cli {

void WallRate::add(std::int64_t first_step, std::int64_t step, double seconds) {
  if (step < first_step + kWarmUpSteps - 1) return;
  if (!begin_step_) {
    begin_step_ = step;
    begin_ = seconds;
  }
  last_step_ = step;
  last_ = seconds;
}

std::optional<double> WallRate::steps_per_second() const {
  if (!begin_step_ || last_step_ <= *begin_step_ || last_ <= begin_) return std::nullopt;
  return static_cast<double>(last_step_ - *begin_step_) / (last_ - begin_);
}

Progress::Progress() : terminal_(is_terminal(Stream::kErr)), unicode_(unicode_output()) {}

void Progress::start(const RunRecord& run) {
  run_ = run;
  begin_ = last_ = Clock::now();
}

std::string Progress::line(const StepRecord& step) const {
  const std::int64_t total = run_.total_steps;
  const std::optional<double> rate = rate_.steps_per_second();
  std::string text = fmt::format("step {}/{} {:.0f}%  loss {}  lr {:.3g}", step.step, total,
                                 100.0 * static_cast<double>(step.step) /
                                     static_cast<double>(std::max<std::int64_t>(total, 1)),
                                 format_value(step.loss, 5), step.learning_rate);
  if (step.grad_norm) text += "  gnorm " + format_value(*step.grad_norm, 3);
  text += fmt::format("  {} {}s/s",
                      format_short_count(rate ? *rate * static_cast<double>(run_.items_per_step)
                                              : step.items_per_s),
                      run_.item);
  if (step.mfu) text += fmt::format("  MFU {}", format_percent(*step.mfu));
  text += fmt::format("  mem {}/{}", format_bytes(step.memory_now), format_bytes(step.memory_peak));
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
  text += fmt::format(
      "  {}<{}", format_seconds(Seconds(elapsed)),
      rate ? format_seconds(Seconds(static_cast<double>(total - step.step) / *rate)) : "--");
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
  rate_.add(run_.first_step, step.step,
            std::chrono::duration<double>(Clock::now() - begin_).count());
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
