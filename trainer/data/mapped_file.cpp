#include "trainer/data/mapped_file.h"

#include "core/describe/error.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace headroom::trainer {

MappedFile::MappedFile(std::filesystem::path path)
    : path_(std::move(path)), file_(io::open_to_read(path_)) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) io::throw_io_error("inspect", path_, errno);
  size_ = static_cast<std::size_t>(status.st_size);
  changed_s_ = status.st_mtim.tv_sec;
  changed_ns_ = status.st_mtim.tv_nsec;
  if (size_ == 0) return;
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file_.get(), 0);
  if (mapped == MAP_FAILED) io::throw_io_error("map", path_, errno);
  data_ = static_cast<const std::byte*>(mapped);
}

MappedFile::~MappedFile() {
  // munmap takes a plain pointer, although the mapping is read-only.
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::check_unchanged() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) io::throw_io_error("inspect", path_, errno);
  if (static_cast<std::size_t>(status.st_size) != size_) {
    throw IoError(fmt::format("{} changed while it was in use: {} bytes when opened, {} now",
                              path_.string(), size_, status.st_size));
  }
  if (status.st_mtim.tv_sec != changed_s_ || status.st_mtim.tv_nsec != changed_ns_) {
    throw IoError(fmt::format("{} was rewritten while it was in use", path_.string()));
  }
}

}  // namespace headroom::trainer
