#include "trainer/data/npy.h"

#include "core/describe/error.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace headroom::trainer {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = 8;  // magic, major, minor
constexpr std::size_t kMaxHeader = std::size_t{1} << 20;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw IoError(fmt::format("cannot read {} as a NumPy file: {}", path.string(), what));
}

struct Fields {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

/// Reads the one Python literal a header holds: a dict of a string, a bool and a tuple of numbers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::filesystem::path& path)
      : text_(text), path_(path) {}

  Fields parse() {
    Fields fields;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !fields.descr) {
        if (peek() == '[') fail(path_, "structured arrays are not supported, save plain columns");
        fields.descr = string();
      } else if (key == "fortran_order" && !fields.fortran_order) {
        fields.fortran_order = boolean();
      } else if (key == "shape" && !fields.shape) {
        fields.shape = tuple();
      } else {
        damaged(fmt::format("unexpected or repeated key '{}'", printable(key)));
      }
      if (!accept(',') && peek() != '}') damaged("expected ',' or '}'");
    }
    skip_space();
    if (at_ != text_.size()) damaged("text after the closing '}'");
    return fields;
  }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    fail(path_, fmt::format("damaged header: {} at character {}", what, at_ + 1));
  }

  static std::string printable(std::string_view text) {
    std::string result(text.substr(0, 40));
    for (char& c : result) {
      if (c < ' ' || c > '~') c = '?';
    }
    return result;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) damaged(fmt::format("expected '{}'", c));
  }

  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') damaged("expected a quoted word");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) damaged("unterminated word");
    std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += std::string_view(word).size();
        return value;
      }
    }
    damaged("expected True or False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t value = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0) damaged("expected a size");
      at_ += static_cast<std::size_t>(end - begin);
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote long numbers
      values.push_back(value);
      if (!accept(',') && peek() != ')') damaged("expected ',' or ')'");
    }
    return values;
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  std::size_t at_ = 0;
};

struct Code {
  std::string_view descr;
  ElementType type;
};
constexpr std::array kCodes = {
    Code{"b1", ElementType::kU8},  Code{"u1", ElementType::kU8},  Code{"i1", ElementType::kI8},
    Code{"u2", ElementType::kU16}, Code{"i2", ElementType::kI16}, Code{"u4", ElementType::kU32},
    Code{"i4", ElementType::kI32}, Code{"u8", ElementType::kU64}, Code{"i8", ElementType::kI64},
    Code{"f2", ElementType::kF16}, Code{"f4", ElementType::kF32}, Code{"f8", ElementType::kF64},
};

ElementType type_of(const std::string& descr, const std::filesystem::path& path) {
  for (const Code& code : kCodes) {
    if (descr.size() != 3 || std::string_view(descr).substr(1) != code.descr) continue;
    if (descr[0] == '>' && size_of(code.type) > 1) {
      fail(path, fmt::format("values are big-endian ('{}'); save with .astype('<{}')", descr,
                             code.descr));
    }
    if (descr[0] == '<' || descr[0] == '|' || descr[0] == '=' || descr[0] == '>') return code.type;
  }
  fail(path, fmt::format("values of type '{}' are not supported; save with .astype('<f4') or "
                         ".astype('<i4')",
                         descr.substr(0, 40)));
}

std::size_t data_bytes(const NpyLayout& layout, const std::filesystem::path& path) {
  std::size_t bytes = size_of(layout.type);
  bool empty = false;
  for (const std::int64_t size : layout.shape) empty = empty || size == 0;
  if (empty) return 0;
  for (const std::int64_t size : layout.shape) {
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
    if (bytes > kMost / static_cast<std::size_t>(size)) {
      fail(path, "the shape in the header has more than 2^63 bytes");
    }
    bytes *= static_cast<std::size_t>(size);
  }
  return bytes;
}

}  // namespace

bool is_npy(std::span<const std::byte> file) {
  return file.size() >= kMagic.size() &&
         std::memcmp(file.data(), kMagic.data(), kMagic.size()) == 0;
}

NpyLayout read_npy_layout(std::span<const std::byte> file, const std::filesystem::path& path) {
  if (file.empty()) fail(path, "it is empty");
  if (!is_npy(file)) {
    fail(path,
         "it does not begin with the NumPy header; for raw values (ndarray.tofile) give "
         "data.format: "
         "bin and data.dtype");
  }
  if (file.size() < kVersionEnd + 2) fail(path, "it is cut off in the header");
  const auto major = static_cast<unsigned>(file[6]);
  if (major < 1 || major > 3) {
    fail(path, fmt::format("format version {} is not known (1 to 3 are)", major));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = kVersionEnd + length_bytes;
  if (file.size() < begin) fail(path, "it is cut off in the header");
  const std::size_t length = major == 1 ? load<std::uint16_t>(file.data() + kVersionEnd)
                                        : load<std::uint32_t>(file.data() + kVersionEnd);
  if (length > file.size() - begin) {
    fail(path, fmt::format("it is cut off in the header ({} bytes announced, {} left)", length,
                           file.size() - begin));
  }
  if (length > kMaxHeader) fail(path, fmt::format("the header is {} bytes long", length));

  const std::string_view text(reinterpret_cast<const char*>(file.data()) + begin, length);
  Fields fields = HeaderParser(text, path).parse();
  if (!fields.descr || !fields.fortran_order || !fields.shape) {
    fail(path, "damaged header: it must hold descr, fortran_order and shape");
  }
  NpyLayout layout;
  layout.type = type_of(*fields.descr, path);
  layout.shape = std::move(*fields.shape);
  layout.data_offset = begin + length;
  if (*fields.fortran_order && layout.shape.size() > 1) {
    fail(path, "it is in Fortran (column-major) order; save with np.ascontiguousarray(array)");
  }
  const std::size_t announced = data_bytes(layout, path);
  const std::size_t present = file.size() - layout.data_offset;
  if (present < announced) {
    fail(path, fmt::format("it is cut off: the header announces {} bytes of data, {} are there",
                           announced, present));
  }
  if (present > announced) {
    fail(path, fmt::format("{} bytes follow the {} that the header announces", present - announced,
                           announced));
  }
  return layout;
}

}  // namespace headroom::trainer
