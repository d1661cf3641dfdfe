#pragma once

#include "core/io/file.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace headroom::io {

/// A file that appears under its name whole or not at all, whatever kills the process or machine.
///
/// The bytes go to `<name>.tmp-<process id>` in the same folder; `commit` flushes them to disk,
/// renames the file over `path` and flushes the folder. Without `commit` the destructor removes the
/// temporary and an older file under `path` stays as it was.
/// Errors: IoError from every function. Threads: one object, one thread.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();
  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  FileDescriptor file_;
};

/// Writes one small file whole or not at all. Errors: IoError.
void write_atomically(const std::filesystem::path& path, std::string_view contents);

/// A folder that appears under its name with all its files or not at all.
///
/// Fill `staging()` (`<name>.tmp-<process id>` beside the target), then `commit`: every file and
/// folder in it is flushed to disk, the folder is renamed to `path`, and the parent is flushed. A
/// folder already under `path` is exchanged in one step and then removed.
/// Errors: IoError from every function. Threads: one object, one thread.
class AtomicDirectory {
 public:
  explicit AtomicDirectory(std::filesystem::path path);
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;
  ~AtomicDirectory();

  [[nodiscard]] const std::filesystem::path& staging() const { return staging_; }
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path staging_;
  FileDescriptor lock_;  ///< held while the staging folder is ours, so that others leave it alone
};

/// Whether `name` is a temporary of AtomicFile or AtomicDirectory, finished or not.
[[nodiscard]] bool is_temporary_name(std::string_view name);

/// Removes the temporaries in `folder` whose writer no longer runs and returns how many there were.
/// A temporary of a living writer (also one in another container) holds a lock and is kept.
/// Errors: IoError when the folder cannot be read.
std::size_t remove_stale_temporaries(const std::filesystem::path& folder);

}  // namespace headroom::io
