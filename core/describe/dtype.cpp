#include "core/describe/dtype.h"

#include <string>

namespace headroom {
namespace {

constexpr double power_of_two(int exponent) {
  double value = 1;
  for (; exponent > 0; --exponent) value *= 2;
  for (; exponent < 0; ++exponent) value /= 2;
  return value;
}

/// IEEE-like format whose largest exponent field is kept for infinity and NaN.
constexpr DTypeInfo ieee(DType dtype,
                         std::string_view name,
                         int bytes,
                         int exponent_bits,
                         int mantissa_bits,
                         std::string_view note) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double epsilon = power_of_two(-mantissa_bits);
  return {dtype,
          name,
          bytes,
          exponent_bits,
          mantissa_bits,
          (2 - epsilon) * power_of_two(bias),
          power_of_two(1 - bias),
          power_of_two(1 - bias - mantissa_bits),
          epsilon,
          note};
}

constexpr DTypeInfo integer(
    DType dtype, std::string_view name, int bytes, double largest, std::string_view note) {
  return {dtype, name, bytes, 0, 0, largest, 0, 0, 0, note};
}

// e4m3 spends only the all-ones pattern on NaN, so the top exponent still holds numbers:
// 1.75 * 2^8. Source: OCP 8-bit Floating Point Specification (OFP8) 1.0, table 1.
constexpr DTypeInfo kF8e4m3Info = {DType::kF8e4m3,
                                   "f8e4m3",
                                   1,
                                   4,
                                   3,
                                   448,
                                   power_of_two(-6),
                                   power_of_two(-9),
                                   power_of_two(-3),
                                   "OCP e4m3 (fn): no infinity, one NaN per sign; for values and "
                                   "weights, with a scale per tensor"};

constexpr std::array<DTypeInfo, 10> kAll = {
    ieee(DType::kF32, "f32", 4, 8, 23, "IEEE single precision; the default for parameters"),
    ieee(DType::kTf32,
         "tf32",
         4,
         8,
         10,
         "stored as f32; matrix units read 10 mantissa bits of each factor and add in f32"),
    ieee(DType::kBf16,
         "bf16",
         2,
         8,
         7,
         "the range of f32 with 3 significant decimal digits at most"),
    ieee(DType::kF16,
         "f16",
         2,
         5,
         10,
         "IEEE half precision; small gradients vanish below 6e-8 without loss scaling"),
    kF8e4m3Info,
    ieee(DType::kF8e5m2,
         "f8e5m2",
         1,
         5,
         2,
         "OCP e5m2: has infinity and NaN; for gradients, which need range more than digits"),
    ieee(DType::kF64, "f64", 8, 11, 52, "IEEE double precision; for checks, not for training"),
    integer(DType::kI32, "i32", 4, 2147483647, "signed 32-bit integer: class and token numbers"),
    integer(DType::kU16, "u16", 2, 65535, "unsigned 16-bit integer: token files up to 65536 words"),
    integer(DType::kU8, "u8", 1, 255, "unsigned 8-bit integer: bytes of text, pixels, masks")};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    if (kAll[i].dtype != static_cast<DType>(i)) return false;
  }
  return true;
}
static_assert(in_enum_order());

struct Alias {
  std::string_view name;
  DType dtype;
};

// Compared in lower case, with '-' read as '_' and without the prefix "torch.".
constexpr Alias kAliases[] = {
    {"float32", DType::kF32},        {"float", DType::kF32},
    {"fp32", DType::kF32},           {"single", DType::kF32},
    {"tensorfloat32", DType::kTf32}, {"tensor_float32", DType::kTf32},
    {"bfloat16", DType::kBf16},      {"bfloat", DType::kBf16},
    {"brain_float16", DType::kBf16}, {"float16", DType::kF16},
    {"fp16", DType::kF16},           {"half", DType::kF16},
    {"fp8_e4m3", DType::kF8e4m3},    {"f8_e4m3", DType::kF8e4m3},
    {"float8_e4m3", DType::kF8e4m3}, {"e4m3", DType::kF8e4m3},
    {"fp8_e4m3fn", DType::kF8e4m3},  {"f8e4m3fn", DType::kF8e4m3},
    {"f8_e4m3fn", DType::kF8e4m3},   {"float8_e4m3fn", DType::kF8e4m3},
    {"e4m3fn", DType::kF8e4m3},      {"fp8_e5m2", DType::kF8e5m2},
    {"f8_e5m2", DType::kF8e5m2},     {"float8_e5m2", DType::kF8e5m2},
    {"e5m2", DType::kF8e5m2},        {"float64", DType::kF64},
    {"fp64", DType::kF64},           {"double", DType::kF64},
    {"int32", DType::kI32},          {"int", DType::kI32},
    {"uint16", DType::kU16},         {"ushort", DType::kU16},
    {"uint8", DType::kU8},           {"byte", DType::kU8},
};

std::string plain_form(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  constexpr std::string_view kPrefix = "torch.";
  if (text.starts_with(kPrefix)) text.erase(0, kPrefix.size());
  return text;
}

}  // namespace

const std::array<DTypeInfo, 10>& all_dtypes() { return kAll; }
const DTypeInfo& info(DType dtype) { return kAll[static_cast<std::size_t>(dtype)]; }
std::string_view name(DType dtype) { return info(dtype).name; }
int size_of(DType dtype) { return info(dtype).bytes; }
bool is_float(DType dtype) { return info(dtype).exponent_bits > 0; }

std::optional<DType> dtype_from_name(std::string_view name) {
  const std::string text = plain_form(name);
  for (const DTypeInfo& candidate : kAll) {
    if (candidate.name == text) return candidate.dtype;
  }
  for (const Alias& alias : kAliases) {
    if (alias.name == text) return alias.dtype;
  }
  return std::nullopt;
}

}  // namespace headroom
