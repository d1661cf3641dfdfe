#pragma once

#include "core/describe/dtype.h"
#include "core/describe/units.h"
#include "core/io/file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::io {

/// One tensor of a safetensors file.
struct StoredTensor {
  std::string name;
  std::string dtype_name;      ///< as in the file: `F32`, `BF16`, `I64`, ...
  std::optional<DType> dtype;  ///< nothing for dtypes that this project does not compute with
  std::vector<std::int64_t> shape;
  Bytes size;
  std::uint64_t offset = 0;  ///< of its data in the file
};

/// A safetensors file, open for reading tensors one by one.
///
/// Opening reads and checks the header: its length (at most 100 MB), its JSON, that names are
/// unique, that dtype, shape and length of every tensor agree, that the tensors fill the file
/// without holes or overlaps, and that the file ends where the last one does. Errors: IoError
/// naming the path and what is damaged. Threads: any number may read. Source:
/// https://github.com/huggingface/safetensors, README "Format".
class SafetensorsFile {
 public:
  explicit SafetensorsFile(std::filesystem::path path);

  /// In the order of their data in the file.
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }
  [[nodiscard]] const StoredTensor* find(std::string_view name) const;
  /// Errors: IoError when there is no such tensor.
  [[nodiscard]] const StoredTensor& at(std::string_view name) const;

  /// Copies the bytes of a tensor from `offset` in it on. Errors: IoError when it cannot be read or
  /// is shorter.
  void read(const StoredTensor& tensor,
            std::span<std::byte> destination,
            std::uint64_t offset = 0) const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::string, std::string> metadata_;
};

/// One tensor to be written: its bytes lie in `data`, or `fill` writes `chunk` with those from
/// `offset` on and is called with rising offsets until all are written.
struct TensorSource {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  const void* data = nullptr;
  std::function<void(std::uint64_t offset, std::span<std::byte> chunk)> fill;
};

/// Writes a safetensors file whole or not at all. Tensors are ordered by falling element size, then
/// by name, so that each begins at a multiple of its element size. tf32 is stored as F32.
/// Errors: IoError when the file cannot be written; Error on two tensors of one name, on an empty
/// name or one with a NUL, on a negative size, and on a tensor without data. What `fill` throws.
void write_safetensors(const std::filesystem::path& path,
                       const std::vector<TensorSource>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace headroom::io
