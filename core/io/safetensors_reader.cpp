#include "core/describe/error.h"
#include "core/io/safetensors.h"
#include "core/io/safetensors_dtypes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace headroom::io {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::uint64_t kLengthBytes = 8;

/// Text from a damaged file, fit for a message.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result(text.substr(0, kLongest));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kLongest ? result + "..." : result;
}

struct Entry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<std::uint64_t>> shape;
  std::optional<std::vector<std::uint64_t>> offsets;
};

/// Takes in the header's JSON as it is parsed. A tree would lose the second of two equal keys, and
/// its depth would be the file's choice.
class HeaderHandler final : public json::json_sax_t {
 public:
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
  std::string problem;  ///< the first thing that was wrong

  bool start_object(std::size_t) override {
    if (depth_ == 0 || depth_ == 1) {
      ++depth_;
      if (depth_ == 2 && !in_metadata_)
        entries.push_back({.name = key_, .dtype = {}, .shape = {}, .offsets = {}});
      return true;
    }
    return fail("an object where none belongs");
  }
  bool end_object() override {
    --depth_;
    if (depth_ == 1) in_metadata_ = false;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      if (!names_.insert(name).second) return fail(fmt::format("the name '{}' twice", shown(name)));
      in_metadata_ = name == "__metadata__";
    } else if (in_metadata_) {
      if (metadata.contains(name)) {
        return fail(fmt::format("the metadata key '{}' twice", shown(name)));
      }
    }
    key_ = name;
    return true;
  }
  bool string(string_t& text) override {
    if (depth_ == 2 && in_metadata_) {
      metadata.emplace(key_, text);
      return true;
    }
    if (depth_ == 2 && list_ == nullptr && key_ == "dtype" && !entries.back().dtype) {
      entries.back().dtype = text;
      return true;
    }
    return fail(fmt::format("text in '{}'", shown(key_)));
  }
  bool start_array(std::size_t) override {
    if (depth_ == 2 && !in_metadata_ && list_ == nullptr) {
      std::optional<std::vector<std::uint64_t>>* list = nullptr;
      if (key_ == "shape") list = &entries.back().shape;
      if (key_ == "data_offsets") list = &entries.back().offsets;
      if (list != nullptr && !list->has_value()) {
        list_ = &list->emplace();
        return true;
      }
    }
    return fail(fmt::format("a list in '{}'", shown(key_)));
  }
  bool end_array() override {
    list_ = nullptr;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (list_ == nullptr) return fail(fmt::format("a number in '{}'", shown(key_)));
    list_->push_back(value);
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return fail(fmt::format("the negative number {} in '{}'", value, shown(key_)));
  }
  bool number_float(number_float_t, const string_t& text) override {
    return fail(fmt::format("the number {} in '{}'", shown(text), shown(key_)));
  }
  bool null() override { return fail(fmt::format("null in '{}'", shown(key_))); }
  bool boolean(bool) override { return fail(fmt::format("a boolean in '{}'", shown(key_))); }
  bool binary(binary_t&) override { return fail("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    if (problem.empty()) problem = fmt::format("no valid JSON at byte {}", kLengthBytes + position);
    return false;
  }

 private:
  bool fail(std::string what) {
    problem = "it holds " + std::move(what);
    return false;
  }

  int depth_ = 0;
  bool in_metadata_ = false;
  std::string key_;
  std::vector<std::uint64_t>* list_ = nullptr;
  std::set<std::string> names_;
};

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& what) {
  throw IoError(fmt::format("{} is no valid safetensors file: {}", path.string(), what));
}

StoredTensor checked(const Entry& entry,
                     std::uint64_t data_begin,
                     std::uint64_t data_size,
                     const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what) {
    damaged(path, fmt::format("tensor '{}': {}", shown(entry.name), what));
  };
  if (!entry.dtype || !entry.shape || !entry.offsets) fail("dtype, shape or data_offsets missing");
  const SafetensorsDType* dtype = find_safetensors_dtype(*entry.dtype);
  if (dtype == nullptr) fail(fmt::format("unknown dtype '{}'", shown(*entry.dtype)));
  if (entry.offsets->size() != 2) fail("data_offsets must be two numbers");
  const std::uint64_t begin = (*entry.offsets)[0], end = (*entry.offsets)[1];
  if (begin > end || end > data_size) {
    fail(fmt::format("its data lie at [{}, {}), but the file holds {} bytes of data", begin, end,
                     data_size));
  }
  StoredTensor tensor;
  auto bytes = static_cast<std::uint64_t>(dtype->bytes);
  bool empty = false;
  for (const std::uint64_t size : *entry.shape) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (size > kMost) fail(fmt::format("the size {} is too large", size));
    tensor.shape.push_back(static_cast<std::int64_t>(size));
    empty = empty || size == 0;
  }
  for (const std::uint64_t size : *entry.shape) {
    // Anything past the file's end is wrong; stopping there keeps the product small.
    if (!empty && bytes > data_size / size) {
      fail(fmt::format("its shape needs more than the {} bytes of data", data_size));
    }
    bytes = empty ? 0 : bytes * size;
  }
  if (bytes != end - begin) {
    fail(fmt::format("dtype and shape need {} bytes, but its data have {}", bytes, end - begin));
  }
  tensor.name = entry.name;
  tensor.dtype_name = *entry.dtype;
  tensor.dtype = dtype->dtype;
  tensor.size = Bytes(static_cast<std::int64_t>(bytes));
  tensor.offset = data_begin + begin;
  return tensor;
}

void check_coverage(const std::vector<StoredTensor>& tensors,
                    std::uint64_t data_begin,
                    std::uint64_t file_end,
                    const std::filesystem::path& path) {
  std::uint64_t end = data_begin;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.offset != end) {
      damaged(path, fmt::format("tensor '{}' begins at byte {} of the data, but the one before it "
                                "ends at {}",
                                shown(tensor.name), tensor.offset - data_begin, end - data_begin));
    }
    end += static_cast<std::uint64_t>(tensor.size.value());
  }
  if (end != file_end) {
    damaged(path, fmt::format("{} bytes follow the last tensor", file_end - end));
  }
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::filesystem::path path)
    : path_(std::move(path)), file_(open_to_read(path_)) {
  const std::uint64_t size = file_size(file_, path_);
  if (size < kLengthBytes) {
    damaged(path_, fmt::format("it has {} bytes, not even the 8 of a header length", size));
  }
  std::uint64_t length = 0;
  read_exactly(file_, 0, std::as_writable_bytes(std::span(&length, 1)), path_);
  if (length > kMaxHeader) {
    damaged(path_, fmt::format("its header would be {} bytes long; at most {} are allowed", length,
                               kMaxHeader));
  }
  if (length > size - kLengthBytes) {
    damaged(path_, fmt::format("it is cut off in the header: {} bytes announced, {} there", length,
                               size - kLengthBytes));
  }
  std::string header(static_cast<std::size_t>(length), '\0');
  read_exactly(file_, kLengthBytes, std::as_writable_bytes(std::span(header)), path_);
  if (!header.starts_with('{')) damaged(path_, "its header does not begin with '{'");

  HeaderHandler handler;
  if (!json::sax_parse(header, &handler)) damaged(path_, "its header: " + handler.problem);
  const std::uint64_t data_begin = kLengthBytes + length;
  for (const Entry& entry : handler.entries) {
    tensors_.push_back(checked(entry, data_begin, size - data_begin, path_));
  }
  std::stable_sort(tensors_.begin(), tensors_.end(),
                   [](const StoredTensor& a, const StoredTensor& b) {
                     return std::pair(a.offset, a.size) < std::pair(b.offset, b.size);
                   });
  check_coverage(tensors_, data_begin, size, path_);
  metadata_ = std::move(handler.metadata);
  for (std::size_t i = 0; i < tensors_.size(); ++i) by_name_.emplace(tensors_[i].name, i);
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

const StoredTensor& SafetensorsFile::at(std::string_view name) const {
  const StoredTensor* tensor = find(name);
  if (tensor == nullptr) {
    throw IoError(fmt::format("{} holds no tensor '{}'", path_.string(), name));
  }
  return *tensor;
}

void SafetensorsFile::read(const StoredTensor& tensor,
                           std::span<std::byte> destination,
                           std::uint64_t offset) const {
  const auto size = static_cast<std::uint64_t>(tensor.size.value());
  if (offset > size || destination.size() > size - offset) {
    throw IoError(
        fmt::format("tensor '{}' of {} has {} bytes, not the {} from {} on that were "
                    "asked for",
                    tensor.name, path_.string(), size, destination.size(), offset));
  }
  read_exactly(file_, tensor.offset + offset, destination, path_);
}

}  // namespace headroom::io
