#include "gui/model/run_document.h"

#include "core/describe/error.h"
#include "core/io/plan_yaml.h"
#include "core/io/run_log.h"
#include "estimator/plan_hardware.h"
#include "gui/model/plan_document.h"
#include "gui/model/text.h"

#include <QTimer>

namespace headroom::gui {
namespace {

namespace fs = std::filesystem;

constexpr int kPollInterval = 400;  // ms

}  // namespace

struct RunFollower::Following {
  Following(int number, const fs::path& log) : generation(number), reader(log) {}
  int generation;
  io::RunLogReader reader;
  QTimer timer;
};

RunFollower::RunFollower() = default;
RunFollower::~RunFollower() = default;

void RunFollower::follow(int generation, const QString& folder) {
  if (generation != wanted_) return;
  const fs::path path = folder.toStdString();
  auto result = std::make_shared<RunBatch>();
  result->generation = generation;
  result->first = true;
  try {
    if (!fs::exists(path / "plan.yaml")) {
      throw IoError(path.string() + " is not a run folder: it has no plan.yaml");
    }
    result->plan = io::load_plan(path / "plan.yaml").plan;
    auto next = std::make_unique<Following>(generation, path / "run.jsonl");
    result->records = next->reader.poll();
    if (generation != wanted_) return;
    following_ = std::move(next);
    connect(&following_->timer, &QTimer::timeout, this, &RunFollower::poll);
    following_->timer.start(kPollInterval);
  } catch (...) {
    result->problems = problems_of_exception();
  }
  emit batch(std::move(result));
}

void RunFollower::poll() {
  auto result = std::make_shared<RunBatch>();
  result->generation = following_->generation;
  try {
    result->records = following_->reader.poll();
    result->restarted = following_->reader.restarted();
    if (result->records.empty() && !result->restarted) return;
  } catch (...) {
    result->problems = problems_of_exception();
    following_->timer.stop();
  }
  emit batch(std::move(result));
}

RunDocument::RunDocument(HardwareLibrary hardware, QObject* parent)
    : QObject(parent), hardware_(std::move(hardware)), follower_(new RunFollower) {
  qRegisterMetaType<std::shared_ptr<const RunBatch>>();
  follower_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, follower_, &QObject::deleteLater);
  connect(this, &RunDocument::followRequested, follower_, &RunFollower::follow);
  connect(follower_, &RunFollower::batch, this, &RunDocument::take);
  thread_.setObjectName("run follower");
  thread_.start();
}

RunDocument::~RunDocument() {
  cancel();
  thread_.quit();
  thread_.wait();
}

void RunDocument::open(const fs::path& folder) {
  std::error_code ignored;
  wanted_folder_ = fs::absolute(folder, ignored).lexically_normal();
  ++generation_;
  follower_->setWanted(generation_);
  setLoading(true);
  emit followRequested(generation_, to_qt(wanted_folder_.string()));
}

void RunDocument::reload() {
  if (isOpen()) open(folder_);
}

void RunDocument::cancel() {
  follower_->setWanted(++generation_);
  setLoading(false);
}

void RunDocument::setLoading(bool loading) {
  if (loading_ == loading) return;
  loading_ = loading;
  emit loadingChanged(loading);
}

void RunDocument::take(const std::shared_ptr<const RunBatch>& batch) {
  if (batch->generation != (batch->first ? generation_ : shown_generation_)) return;
  if (batch->first) {
    setLoading(false);
    if (!batch->problems.empty()) {
      // What was open is still shown, and still followed.
      emit failed(batch->problems);
      return;
    }
    shown_generation_ = generation_;
    folder_ = wanted_folder_;
    plan_ = batch->plan;
    predicted_.reset();
    records_.clear();
  }
  if (!batch->problems.empty()) emit failed(batch->problems);
  if (batch->restarted) records_.clear();
  records_.insert(records_.end(), batch->records.begin(), batch->records.end());
  predict();
  report_ = run_report(records_, predicted_ ? &*predicted_ : nullptr, why_not_,
                       (folder_ / "run.jsonl").string());
  if (batch->first) emit opened();
  emit reportChanged();
}

void RunDocument::predict() {
  std::string device;
  for (const LogRecord& record : records_) {
    if (const auto* run = std::get_if<RunRecord>(&record)) device = run->device;
  }
  if (predicted_ && device == predicted_device_) return;
  predicted_.reset();
  try {
    const Plan plan = estimator::as_run_on(*plan_, device);
    predicted_ = estimator::estimate(plan, hardware_.hardware_of(plan), {.suggestions = false});
    predicted_device_ = device;
  } catch (const std::exception& error) {
    why_not_ = to_qt(error.what());
  }
}

}  // namespace headroom::gui
