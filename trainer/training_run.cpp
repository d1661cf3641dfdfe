#include "trainer/training_run.h"

#include "core/describe/arena_plan.h"
#include "core/describe/device_traits.h"
#include "core/describe/work_list.h"
#include "core/io/atomic_file.h"
#include "core/io/run_log.h"
#include "core/models/training_step.h"
#include "core/runtime/cpu/cpu_device.h"
#include "trainer/batches.h"
#include "trainer/checkpoint.h"
#include "trainer/make_device.h"
#include "trainer/measure/matmul_rate.h"
#include "trainer/memory_watch.h"
#include "trainer/pretrained.h"
#include "trainer/schedule.h"
#include "trainer/step_timer.h"
#include "trainer/summary.h"

#include <chrono>
#include <cmath>
#include <ctime>

namespace headroom::trainer {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

DeviceTraits traits_of(const runtime::Device& device) {
  return device.needs_staging() ? kCudaTraits : kCpuTraits;
}

/// Side of the product whose rate stands for the device's peak.
constexpr std::int64_t kPeakProduct = 1024;

/// One run from the opened device to the last record.
class TrainingRun {
 public:
  TrainingRun(const Plan& plan,
              OpenedDevice opened,
              const RunDirectory& directory,
              const RunOptions& options,
              RunObserver& observer)
      : plan_(plan),
        directory_(directory),
        options_(options),
        observer_(observer),
        watch_(opened.memory_before),
        device_(std::move(opened.device)),
        loader_(open_data(plan)),
        peak_rate_(time_peak()),
        step_(models::training_step(plan, traits_of(*device_))),
        ledger_(step_),
        executor_(step_, plan_arena(step_), *device_, ledger_),
        log_(directory.log()),
        evaluation_(make_evaluation_loader(plan)),
        total_steps_(total_steps(plan, loader_->items())),
        model_flops_(model_flops(work_of(step_))) {
    // The arenas are laid out but not touched yet: what has grown since are tables.
    watch_.mark("step description and tables", device_->memory().used);
    restore_or_initialise();
    if (!has_all_steps()) announce();
  }

  RunOutcome run() {
    begin_ = Clock::now();
    if (has_all_steps()) return finish_again();
    try {
      train_steps();
    } catch (const runtime::Diverged& error) {
      return finish("diverged", error.what(), ExitCode::kDiverged);
    } catch (const runtime::OutOfMemory& error) {
      record(OomRecord{.step = state_.step + 1,
                       .requested = error.requested(),
                       .free = error.memory().capacity - error.memory().used,
                       .capacity = error.memory().capacity,
                       .message = error.what()});
      return finish("failed", error.what(), ExitCode::kOutOfMemory);
    } catch (const std::exception& error) {
      (void)finish("failed", error.what(), ExitCode::kFailure);
      throw;
    }
    if (stopped()) return finish("interrupted", "stopped by a signal", ExitCode::kInterrupted);
    return finish("finished", "", ExitCode::kOk);
  }

 private:
  std::unique_ptr<Loader> open_data(const Plan& plan) {
    for (const runtime::FixedPart& part : device_->fixed_parts()) watch_.measured(part);
    watch_.mark("plan, estimate and checks before the run", device_->memory().used);
    auto loader = make_loader(plan);
    watch_.mark("data set", device_->memory().used);
    return loader;
  }

  void restore_or_initialise() {
    if (options_.resume) {
      state_ = restore_newest(directory_, executor_,
                              [this](const std::string& text) { observer_.on_warning(text); });
      saved_step_ = state_.step;
      return;
    }
    state_.seed = plan_.training.seed;
    executor_.initialise(plan_.training.seed);
    if (plan_.model.weights.empty()) return;
    for (const std::string& name : load_pretrained(plan_.model.weights, executor_)) {
      observer_.on_warning(plan_.model.weights + ": " + name + " is not used by this model");
    }
  }

  /// Resumed at its end.
  [[nodiscard]] bool has_all_steps() const {
    return options_.resume && state_.step >= total_steps_;
  }

  /// What a finished run has logged and summed up stays as it is; what a crash after the last
  /// checkpoint has left out is made up for.
  RunOutcome finish_again() {
    if (!std::filesystem::exists(directory_.summary())) {
      RunOutcome outcome = finish("finished", "", ExitCode::kOk);
      outcome.had_all_steps = true;
      return outcome;
    }
    return {.end = {.reason = "finished",
                    .step = state_.step,
                    .first_loss = state_.first_loss,
                    .best_loss = state_.best_loss},
            .code = ExitCode::kOk,
            .had_all_steps = true};
  }

  FlopsPerSecond time_peak() {
    const FlopsPerSecond rate =
        time_matmul(*device_, DType::kF32, kPeakProduct, kPeakProduct, kPeakProduct, Seconds(0.05))
            .best_rate;
    watch_.mark("buffers of the product that MFU is measured against", device_->memory().used);
    return rate;
  }

  void announce() {
    record(RunRecord{.program = options_.program,
                     .time = utc_now(),
                     .model = std::string(model_type(plan_.model)),
                     .device = std::string(device_->name()),
                     .device_name = device_->description(),
                     .data = data_description(*loader_),
                     .parameters = step_.parameter_count,
                     .items_per_step = tokens_per_step(plan_),
                     .item = reads_tokens(plan_.model) ? "token" : "sample",
                     .first_step = state_.step + 1,
                     .total_steps = total_steps_,
                     .peak_flops_per_s = peak_rate_.value(),
                     .peak_source = "f32 product of " + std::to_string(kPeakProduct) +
                                    "^3, fastest of several on this device at the start"});
  }

  void train_steps() {
    PrefetchedBatches batches(*loader_, executor_.batch_buffers(), state_.step, total_steps_);
    while (state_.step < total_steps_ && !stopped()) {
      const std::int64_t number = state_.step + 1;
      const Clock::time_point start = Clock::now();
      const double waited = batches.waited().value();
      const runtime::Scalars scalars{
          .learning_rate = learning_rate(plan_.training, number, total_steps_),
          // A skipped step is none to the optimizer.
          .step = number - state_.loss_scale.skipped_steps,
          .grad_clip_norm = plan_.training.grad_clip_norm,
          .loss_scale = scales_loss() ? state_.loss_scale.scale : 1,
          .seed = plan_.training.seed};
      const runtime::StepResult result = executor_.run_step(scalars, batches);
      if (scales_loss()) update_loss_scale(result.skipped, number);
      const double seconds = seconds_since(start);
      state_.step = number;
      after_step(scalars, result, seconds, batches.waited().value() - waited);
    }
    if (state_.step != saved_step_) save();
    if (!memory_recorded_) return;  // resumed at its end: no step has been measured
    watch_.observe(device_->memory().used);
    record(watch_.record(state_.step, ledger_, executor_));
  }

  [[nodiscard]] bool scales_loss() const {
    return plan_.training.precision == Precision::kFp16Mixed;
  }

  void update_loss_scale(bool overflowed, std::int64_t step) {
    LossScaler scaler(state_.loss_scale);
    scaler.update(overflowed, step);
    state_.loss_scale = scaler.state();
  }

  void after_step(const runtime::Scalars& scalars,
                  const runtime::StepResult& result,
                  double seconds,
                  double waited) {
    timer_.add(seconds);
    last_loss_ = result.loss;
    if (!state_.first_loss) state_.first_loss = result.loss;
    if (!state_.best_loss || result.loss < *state_.best_loss) state_.best_loss = result.loss;
    if (!memory_recorded_) {
      memory_recorded_ = true;
      watch_.observe(device_->memory().used);
      record(watch_.record(state_.step, ledger_, executor_));
    }
    const bool last = state_.step == total_steps_;
    if (state_.step % plan_.output.log_every == 0 || last) {
      watch_.observe(device_->memory().used);
      StepRecord line{.step = state_.step,
                      .loss = result.loss,
                      .learning_rate = scalars.learning_rate,
                      .step_s = seconds,
                      .items_per_s = static_cast<double>(tokens_per_step(plan_)) / seconds,
                      .mfu = model_flops_.value() / seconds / peak_rate_.value(),
                      .memory_now = ledger_.live(Place::kDevice),
                      .memory_peak = ledger_.step_peak(Place::kDevice),
                      .data_wait_s = waited};
      if (step_.squared_norm && !result.skipped) line.grad_norm = result.grad_norm;
      record(line);
    }
    if (evaluation_ != nullptr && (state_.step % plan_.training.eval_every == 0 || last))
      evaluate();
    const std::int64_t every = plan_.output.save_every;
    if (every > 0 && state_.step % every == 0) save();
  }

  /// Mean loss over the same held-out batches every time.
  void evaluate() {
    const BatchSpec& spec = evaluation_->spec();
    std::vector<std::byte> inputs(static_cast<std::size_t>(spec.input_bytes().value()));
    std::vector<std::byte> targets(static_cast<std::size_t>(spec.target_bytes().value()));
    double sum = 0;
    for (std::int64_t b = 0; b < plan_.training.eval_batches; ++b) {
      evaluation_->load(b, 0, {.inputs = inputs, .targets = targets});
      const std::array<std::span<const std::byte>, 2> batch = {inputs, targets};
      sum += executor_.evaluate(batch);
    }
    record(EvalRecord{.step = state_.step,
                      .loss = sum / static_cast<double>(plan_.training.eval_batches)});
  }

  void save() {
    const Clock::time_point start = Clock::now();
    const std::filesystem::path path = directory_.checkpoint(state_.step);
    watch_.skip(device_->memory().used);
    save_checkpoint(path, executor_, state_);
    watch_.mark("writing checkpoints", device_->memory().used);
    directory_.prune(plan_.output.keep);
    saved_step_ = state_.step;
    record(CheckpointRecord{.step = state_.step,
                            .path = "checkpoints/" + path.filename().string(),
                            .seconds = seconds_since(start)});
  }

  RunOutcome finish(const std::string& reason, const std::string& message, ExitCode code) {
    EndRecord end{.reason = reason,
                  .message = message,
                  .step = state_.step,
                  .wall_s = seconds_since(begin_),
                  .first_loss = state_.first_loss,
                  .last_loss = last_loss_,
                  .best_loss = state_.best_loss};
    if (const auto median = timer_.median()) {
      end.items_per_s = static_cast<double>(tokens_per_step(plan_)) / *median;
      end.mfu = model_flops_.value() / *median / peak_rate_.value();
    }
    record(end);
    write_summary(directory_, plan_, end);
    return {.end = end, .code = code};
  }

  void record(const LogRecord& entry) {
    log_.append(entry);
    observer_.on_record(entry);
  }

  [[nodiscard]] bool stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  const Plan& plan_;
  const RunDirectory& directory_;
  const RunOptions& options_;
  RunObserver& observer_;
  MemoryWatch watch_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<Loader> loader_;
  FlopsPerSecond peak_rate_;
  Step step_;
  runtime::Ledger ledger_;
  runtime::Executor executor_;
  io::RunLogWriter log_;
  std::unique_ptr<Loader> evaluation_;  ///< of what is held out, if the plan evaluates
  std::int64_t total_steps_;
  Flops model_flops_;
  CheckpointState state_;
  StepTimer timer_;
  Clock::time_point begin_;
  std::optional<double> last_loss_;
  std::int64_t saved_step_ = -1;
  bool memory_recorded_ = false;
};

}  // namespace

OpenedDevice open_device(const Plan& plan) {
  const Bytes before = runtime::resident_anonymous_memory();
  OpenedDevice opened{.device = make_device(plan), .memory_before = before};
  // A GPU counts for all processes: what it used before us is what it uses now less our own.
  if (!opened.device->immediate()) {
    opened.memory_before = opened.device->memory().used;
    for (const runtime::FixedPart& part : opened.device->fixed_parts()) {
      opened.memory_before -= part.bytes;
    }
  }
  return opened;
}

RunOutcome train(const Plan& plan,
                 OpenedDevice device,
                 const RunDirectory& directory,
                 const RunOptions& options,
                 RunObserver& observer) {
  return TrainingRun(plan, std::move(device), directory, options, observer).run();
}

}  // namespace headroom::trainer
