#include "core/io/json_file.h"

#include "core/describe/error.h"
#include "core/io/file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <span>

namespace headroom::io {

JsonFile::JsonFile(std::filesystem::path path) : path_(std::move(path)) {
  const FileDescriptor file = open_to_read(path_);
  text_.resize(static_cast<std::size_t>(file_size(file, path_)));
  read_exactly(file, 0, std::as_writable_bytes(std::span(text_)), path_);
  if (text_.empty()) throw IoError(path_.string() + " is damaged: it is empty");
  try {
    root_ = std::make_unique<const nlohmann::json>(nlohmann::json::parse(text_));
  } catch (const nlohmann::json::parse_error& error) {
    damaged(error.byte, "it is no valid JSON from here on");
  }
  if (!root_->is_object()) damaged(0, "it is no JSON object {...}");
}

JsonFile::~JsonFile() = default;

void JsonFile::damaged(std::size_t byte, const std::string& what) const {
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text_.size()));
  throw IoError(fmt::format("{}:{}: the file is damaged: {}", path_.string(),
                            1 + std::count(text_.begin(), end, '\n'), what));
}

void JsonFile::wrong_kind(const char* key, std::string_view wanted) const {
  const std::size_t at = text_.find(fmt::format("\"{}\"", key));
  damaged(at == std::string::npos ? 0 : at, fmt::format("\"{}\" must be {}", key, wanted));
}

const nlohmann::json& JsonFile::field(const char* key) const {
  const auto found = root_->find(key);
  if (found == root_->end()) damaged(0, fmt::format("\"{}\" is missing", key));
  return *found;
}

std::int64_t JsonFile::whole(const char* key) const {
  const nlohmann::json& value = field(key);
  const bool fits = !value.is_number_unsigned() ||
                    value.get<std::uint64_t>() <=
                        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer() || !fits) wrong_kind(key, "a whole number");
  return value.get<std::int64_t>();
}

std::uint64_t JsonFile::natural(const char* key) const {
  const nlohmann::json& value = field(key);
  if (!value.is_number_unsigned()) wrong_kind(key, "a whole number from 0 on");
  return value.get<std::uint64_t>();
}

std::optional<double> JsonFile::optional_real(const char* key) const {
  const auto found = root_->find(key);
  if (found == root_->end() || found->is_null()) return std::nullopt;
  if (!found->is_number()) wrong_kind(key, "a number");
  return found->get<double>();
}

}  // namespace headroom::io
