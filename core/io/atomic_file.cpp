#include "core/io/atomic_file.h"

#include "core/describe/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace headroom::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-";

fs::path without_trailing_slash(fs::path path) {
  if (!path.has_filename()) path = path.parent_path();
  if (path.empty() || !path.has_filename()) {
    throw IoError(fmt::format("'{}' is not a name to write to", path.string()));
  }
  return path;
}

fs::path temporary_for(const fs::path& path) {
  fs::path temporary = path;
  temporary += fmt::format("{}{}", kMark, ::getpid());
  return temporary;
}

std::optional<pid_t> writer_of(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  const std::string_view digits = name.substr(mark + kMark.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  if (error != std::errc() || end != digits.data() + digits.size() || pid <= 0) {
    return std::nullopt;
  }
  return pid;
}

/// The id may have been reused and the writer may live in another process namespace, so both the id
/// and the lock must say that nobody writes.
bool is_abandoned(const fs::path& path, pid_t writer) {
  if (writer != ::getpid() && (::kill(writer, 0) == 0 || errno != ESRCH)) {
    const FileDescriptor probe(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return probe.is_open() && ::flock(probe.get(), LOCK_EX | LOCK_NB) == 0;
  }
  const FileDescriptor probe(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return !probe.is_open() || ::flock(probe.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void synchronise_tree(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (error) break;
    if (it->is_directory()) {
      synchronise_folder(it->path());
    } else if (it->is_regular_file()) {
      synchronise(open_with(it->path(), O_RDONLY), it->path());
    }
  }
  if (error) throw_io_error("read", folder, error.value());
  synchronise_folder(folder);
}

}  // namespace

AtomicFile::AtomicFile(fs::path path)
    : path_(without_trailing_slash(std::move(path))), temporary_(temporary_for(path_)) {
  file_ = open_with(temporary_, O_WRONLY | O_CREAT);
  lock_exclusively(file_, temporary_);
  // Emptied only under the lock: the name may be a leftover, or in use by another object.
  if (::ftruncate(file_.get(), 0) != 0) throw_io_error("empty", temporary_, errno);
}

AtomicFile::~AtomicFile() {
  if (file_.is_open()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) { write_fully(file_, bytes, temporary_); }

void AtomicFile::commit() {
  synchronise(file_, temporary_);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw_io_error("replace", path_, errno);
  file_.close();
  synchronise_folder(path_.parent_path());
}

void write_atomically(const fs::path& path, std::string_view contents) {
  AtomicFile file(path);
  file.write(contents);
  file.commit();
}

AtomicDirectory::AtomicDirectory(fs::path path)
    : path_(without_trailing_slash(std::move(path))), staging_(temporary_for(path_)) {
  std::error_code error;
  if (fs::exists(staging_, error)) {
    // Same name as ours: a leftover of a dead process with this id, unless it is locked.
    const FileDescriptor leftover = open_with(staging_, O_RDONLY | O_DIRECTORY);
    lock_exclusively(leftover, staging_);
    fs::remove_all(staging_, error);
    if (error) throw_io_error("remove", staging_, error.value());
  }
  if (::mkdir(staging_.c_str(), 0777) != 0) throw_io_error("create", staging_, errno);
  lock_ = open_with(staging_, O_RDONLY | O_DIRECTORY);
  lock_exclusively(lock_, staging_);
}

AtomicDirectory::~AtomicDirectory() {
  if (!lock_.is_open()) return;
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
}

void AtomicDirectory::commit() {
  synchronise_tree(staging_);
  bool exchanged = false;
  if (::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno != EEXIST && errno != EINVAL) throw_io_error("publish", path_, errno);
    std::error_code error;
    if (!fs::exists(path_, error)) {
      // A filesystem without RENAME_NOREPLACE; a plain rename cannot replace a non-empty folder.
      if (::rename(staging_.c_str(), path_.c_str()) != 0) throw_io_error("publish", path_, errno);
    } else {
      if (::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0) {
        throw_io_error("exchange", path_, errno);
      }
      exchanged = true;
    }
  }
  lock_.close();
  synchronise_folder(path_.parent_path());
  if (exchanged) {
    std::error_code error;
    fs::remove_all(staging_, error);
    if (error) throw_io_error("remove the replaced folder", staging_, error.value());
  }
}

bool is_temporary_name(std::string_view name) { return writer_of(name).has_value(); }

std::size_t remove_stale_temporaries(const fs::path& folder) {
  std::error_code error;
  std::size_t removed = 0;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::optional<pid_t> writer = writer_of(it->path().filename().string());
    if (!writer || !is_abandoned(it->path(), *writer)) continue;
    std::error_code failed;
    fs::remove_all(it->path(), failed);
    if (!failed) ++removed;
  }
  if (error) throw_io_error("read", folder, error.value());
  return removed;
}

}  // namespace headroom::io
