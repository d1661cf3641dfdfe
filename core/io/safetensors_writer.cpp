#include "core/describe/error.h"
#include "core/io/atomic_file.h"
#include "core/io/safetensors.h"
#include "core/io/safetensors_dtypes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace headroom::io {
namespace {

constexpr std::uint64_t kAlignment = 8;
constexpr std::uint64_t kChunk = std::uint64_t{4} << 20;

std::uint64_t bytes_of(const TensorSource& tensor) {
  std::int64_t bytes = safetensors_dtype(tensor.dtype).bytes;
  for (const std::int64_t size : tensor.shape) {
    if (size < 0) throw Error(fmt::format("tensor '{}' has the size {}", tensor.name, size));
    bytes = checked_multiply(bytes, size, tensor.name);
  }
  return static_cast<std::uint64_t>(bytes);
}

std::vector<const TensorSource*> in_file_order(const std::vector<TensorSource>& tensors) {
  std::vector<const TensorSource*> order;
  for (const TensorSource& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorSource* a, const TensorSource* b) {
    const std::int64_t size_a = safetensors_dtype(a->dtype).bytes;
    const std::int64_t size_b = safetensors_dtype(b->dtype).bytes;
    return size_a != size_b ? size_a > size_b : a->name < b->name;
  });
  return order;
}

void check(const std::vector<const TensorSource*>& tensors) {
  std::vector<std::string_view> names;
  for (const TensorSource* tensor : tensors) {
    if (tensor->name.empty() || tensor->name == "__metadata__" ||
        tensor->name.find('\0') != std::string::npos) {
      throw Error(fmt::format("'{}' cannot be the name of a tensor", tensor->name));
    }
    if (tensor->data == nullptr && !tensor->fill && bytes_of(*tensor) > 0) {
      throw Error(fmt::format("tensor '{}' has no data to write", tensor->name));
    }
    names.push_back(tensor->name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw Error(fmt::format("two tensors are named '{}'", *twice));
}

std::string header_of(const std::vector<const TensorSource*>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  // Ordered, so that readers meet the tensors in the order of their data.
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t offset = 0;
  for (const TensorSource* tensor : tensors) {
    const std::uint64_t end = offset + bytes_of(*tensor);
    header[tensor->name] = {{"dtype", safetensors_dtype(tensor->dtype).name},
                            {"shape", tensor->shape},
                            {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error("a tensor's name or the metadata are no valid UTF-8");
  }
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

void write_data(AtomicFile& file, const TensorSource& tensor, std::vector<std::byte>& buffer) {
  const std::uint64_t size = bytes_of(tensor);
  if (tensor.data != nullptr) {
    file.write(std::span(static_cast<const std::byte*>(tensor.data), size));
    return;
  }
  buffer.resize(std::max<std::size_t>(buffer.size(), std::min(size, kChunk)));
  for (std::uint64_t offset = 0; offset < size; offset += kChunk) {
    const std::span<std::byte> chunk(buffer.data(), std::min(kChunk, size - offset));
    tensor.fill(offset, chunk);
    file.write(chunk);
  }
}

}  // namespace

void write_safetensors(const std::filesystem::path& path,
                       const std::vector<TensorSource>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::vector<const TensorSource*> order = in_file_order(tensors);
  check(order);
  const std::string header = header_of(order, metadata);
  const std::uint64_t length = header.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  std::vector<std::byte> buffer;
  for (const TensorSource* tensor : order) write_data(file, *tensor, buffer);
  file.commit();
}

}  // namespace headroom::io
