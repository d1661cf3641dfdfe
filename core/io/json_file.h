#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace headroom::io {

/// A small JSON object in a file of its own, read field by field.
/// Errors: IoError `path:line: ...` from every function: when the file cannot be read, is no JSON
/// object, or a field is missing or of another kind.
class JsonFile {
 public:
  explicit JsonFile(std::filesystem::path path);
  ~JsonFile();

  [[nodiscard]] std::int64_t whole(const char* key) const;
  /// A whole number from 0 to 2^64 - 1.
  [[nodiscard]] std::uint64_t natural(const char* key) const;
  [[nodiscard]] std::optional<double> optional_real(const char* key) const;

 private:
  [[nodiscard]] const nlohmann::json& field(const char* key) const;
  [[noreturn]] void damaged(std::size_t byte, const std::string& what) const;
  [[noreturn]] void wrong_kind(const char* key, std::string_view wanted) const;

  std::filesystem::path path_;
  std::string text_;
  std::unique_ptr<const nlohmann::json> root_;
};

}  // namespace headroom::io
