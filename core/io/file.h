#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace headroom::io {

/// Owns one open file of the operating system; closes it at the end of its life.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  void close() noexcept;

 private:
  int fd_ = -1;
};

/// Throws IoError `cannot <action> <path>: <text of errno>`.
[[noreturn]] void throw_io_error(std::string_view action,
                                 const std::filesystem::path& path,
                                 int error_number);

/// Opens a regular file for reading. Errors: IoError when it is missing, unreadable or not a file.
[[nodiscard]] FileDescriptor open_to_read(const std::filesystem::path& path);

/// Opens with `open(2)` flags, close-on-exec, mode 0666 less the umask. Errors: IoError.
[[nodiscard]] FileDescriptor open_with(const std::filesystem::path& path, int flags);

/// Locks an open file or folder for this owner alone until it is closed, where the filesystem can.
/// Errors: IoError when somebody else holds it.
void lock_exclusively(const FileDescriptor& file, const std::filesystem::path& path);

/// Size of an open file in bytes. Errors: IoError.
[[nodiscard]] std::uint64_t file_size(const FileDescriptor& file,
                                      const std::filesystem::path& path);

/// Fills `destination` from `offset` on. Errors: IoError when the file ends before that.
void read_exactly(const FileDescriptor& file,
                  std::uint64_t offset,
                  std::span<std::byte> destination,
                  const std::filesystem::path& path);

/// Writes all of `bytes` at the file's position. Errors: IoError, e.g. when the disk is full.
void write_fully(const FileDescriptor& file,
                 std::span<const std::byte> bytes,
                 const std::filesystem::path& path);

/// Waits until the file's (or folder's) contents are on the disk. Errors: IoError.
void synchronise(const FileDescriptor& file, const std::filesystem::path& path);

/// Waits until the names in a folder are on the disk. Errors: IoError.
void synchronise_folder(const std::filesystem::path& folder);

}  // namespace headroom::io
