#pragma once

#include "core/describe/run_records.h"
#include "estimator/estimate.h"
#include "gui/model/hardware_library.h"
#include "gui/model/run_report.h"

#include <QObject>
#include <QThread>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace headroom::gui {

/// What a worker read: immutable once sent.
struct RunBatch {
  int generation = 0;
  bool first = false;      ///< the answer to opening; `plan` is set unless there are problems
  bool restarted = false;  ///< the log was replaced: what came before is void
  std::optional<Plan> plan;
  std::vector<LogRecord> records;
  std::vector<Problem> problems;  ///< of reading; the run is not followed further
};

/// Reads one run folder after another, on a thread of its own. The folder that was read last
/// without a problem is followed.
class RunFollower : public QObject {
  Q_OBJECT
 public:
  RunFollower();
  ~RunFollower() override;
  /// Requests of other generations are given up.
  void setWanted(int generation) { wanted_ = generation; }

 public slots:  // NOLINT(readability-redundant-access-specifiers)
  void follow(int generation, const QString& folder);

 signals:
  void batch(std::shared_ptr<const headroom::gui::RunBatch> batch);

 private:
  void poll();
  struct Following;
  std::atomic<int> wanted_{0};
  std::unique_ptr<Following> following_;
};

/// An open run directory that is followed while its log grows.
class RunDocument : public QObject {
  Q_OBJECT
 public:
  explicit RunDocument(HardwareLibrary hardware, QObject* parent = nullptr);
  ~RunDocument() override;

  /// Starts to read; opened() or failed() follows. What was open stays until then.
  void open(const std::filesystem::path& folder);
  /// Reads the open folder again from its beginning.
  void reload();
  /// Gives up loading; what is shown is followed on.
  void cancel();
  [[nodiscard]] bool loading() const { return loading_; }
  [[nodiscard]] bool isOpen() const { return !folder_.empty(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const RunReport& report() const { return report_; }
  [[nodiscard]] const std::vector<LogRecord>& records() const { return records_; }
  [[nodiscard]] const std::optional<estimator::Estimate>& predicted() const { return predicted_; }

 signals:
  void loadingChanged(bool loading);
  void opened();
  /// Also when the log has grown.
  void reportChanged();
  /// The folder could not be opened, or its log is damaged from here on.
  void failed(const std::vector<headroom::Problem>& problems);
  void followRequested(int generation, const QString& folder);

 private:
  void take(const std::shared_ptr<const RunBatch>& batch);
  void predict();
  void setLoading(bool loading);

  HardwareLibrary hardware_;
  QThread thread_;
  RunFollower* follower_;
  int generation_ = 0;        ///< of the last request
  int shown_generation_ = 0;  ///< of what is shown
  bool loading_ = false;
  std::filesystem::path folder_, wanted_folder_;
  std::optional<Plan> plan_;
  std::vector<LogRecord> records_;
  std::optional<estimator::Estimate> predicted_;
  std::string predicted_device_;
  QString why_not_;
  RunReport report_;
};

}  // namespace headroom::gui
