#pragma once

#include "core/io/file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace headroom::trainer {

/// A whole file mapped read-only, so that data larger than memory can be read at any place.
///
/// An empty file maps to an empty span. Pages count as file-backed memory of the process and may be
/// dropped by the system at any time. If another process shortens the file while it is mapped,
/// reading past its new end raises SIGBUS and ends the process; `check_unchanged` turns the common
/// case into an error, so call it before each batch. Appending to or rewriting a file in use is
/// refused by it too, since the same step would otherwise read different data after a resume.
/// Errors: IoError with the path and the system's reason. Threads: any number may read.
class MappedFile {
 public:
  explicit MappedFile(std::filesystem::path path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Errors: IoError when the file's size or time of change is not what it was when mapped.
  void check_unchanged() const;

 private:
  std::filesystem::path path_;
  io::FileDescriptor file_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t changed_s_ = 0, changed_ns_ = 0;
};

}  // namespace headroom::trainer
