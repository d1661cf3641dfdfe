#include "core/io/file.h"

#include "core/describe/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace headroom::io {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void FileDescriptor::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void throw_io_error(std::string_view action, const std::filesystem::path& path, int error_number) {
  throw IoError(fmt::format("cannot {} {}: {}", action, path.string(),
                            std::generic_category().message(error_number)));
}

FileDescriptor open_with(const std::filesystem::path& path, int flags) {
  constexpr mode_t kMode = 0666;
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, kMode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) throw_io_error((flags & O_ACCMODE) == O_RDONLY ? "open" : "write", path, errno);
  return FileDescriptor(fd);
}

FileDescriptor open_to_read(const std::filesystem::path& path) {
  // O_NONBLOCK: a FIFO without a writer must be refused, not waited for.
  FileDescriptor file = open_with(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_io_error("inspect", path, errno);
  if (S_ISDIR(status.st_mode)) throw_io_error("read", path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw IoError(fmt::format("cannot read {}: it is not a regular file", path.string()));
  }
  return file;
}

void lock_exclusively(const FileDescriptor& file, const std::filesystem::path& path) {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == ENOLCK || errno == ENOTSUP || errno == EINVAL) return;
  if (errno != EWOULDBLOCK) throw_io_error("lock", path, errno);
  throw IoError(fmt::format("cannot lock {}: another process is writing it", path.string()));
}

std::uint64_t file_size(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_io_error("inspect", path, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void read_exactly(const FileDescriptor& file,
                  std::uint64_t offset,
                  std::span<std::byte> destination,
                  const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < destination.size()) {
    const ssize_t got = ::pread(file.get(), destination.data() + done, destination.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw_io_error("read", path, errno);
    }
    if (got == 0) {
      throw IoError(
          fmt::format("cannot read {}: it ends at byte {}, but {} bytes from byte {} on "
                      "were expected",
                      path.string(), offset + done, destination.size(), offset));
    }
    done += static_cast<std::size_t>(got);
  }
}

void write_fully(const FileDescriptor& file,
                 std::span<const std::byte> bytes,
                 const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR) continue;
      throw_io_error("write", path, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void synchronise(const FileDescriptor& file, const std::filesystem::path& path) {
  // Some filesystems cannot synchronise a folder and say EINVAL; there is nothing more to do then.
  if (::fsync(file.get()) != 0 && errno != EINVAL) throw_io_error("flush to disk", path, errno);
}

void synchronise_folder(const std::filesystem::path& folder) {
  const std::filesystem::path named = folder.empty() ? std::filesystem::path(".") : folder;
  synchronise(open_with(named, O_RDONLY | O_DIRECTORY), named);
}

}  // namespace headroom::io
