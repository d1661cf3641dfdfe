#pragma once

#include "core/describe/run_records.h"
#include "core/io/file.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headroom::io {

/// Appends records to a run log: one JSON object a line, handed to the system in one write, so that
/// a crash leaves a valid prefix and readers never see half a record. Values that are not finite
/// are written as the words NaN, Infinity and -Infinity.
/// Errors: IoError, also when another process is writing the log. Threads: one writer.
class RunLogWriter {
 public:
  /// Continues an existing log; a last line that a crash cut short is removed first.
  explicit RunLogWriter(const std::filesystem::path& path);
  void append(const LogRecord& record);

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  std::string line_;  ///< kept, so that later records allocate nothing new
};

/// Reads a run log while it grows.
/// Errors: IoError when the file cannot be read, or a whole line is no record of this schema
/// (`path:line: ...`, with what to do). Unknown record types and fields are passed over: newer
/// versions add some.
class RunLogReader {
 public:
  explicit RunLogReader(std::filesystem::path path) : path_(std::move(path)) {}

  /// Records whose lines have been completed since the last call.
  [[nodiscard]] std::vector<LogRecord> poll();
  /// True once if the last poll found another or a shorter file under the path and began anew.
  [[nodiscard]] bool restarted() const { return restarted_; }

 private:
  std::filesystem::path path_;
  std::uint64_t inode_ = 0;
  std::uint64_t position_ = 0;
  std::int64_t line_number_ = 0;
  bool restarted_ = false;
};

/// All records of a log, as far as it is valid.
[[nodiscard]] std::vector<LogRecord> read_run_log(const std::filesystem::path& path);

}  // namespace headroom::io
