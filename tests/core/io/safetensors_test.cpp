#include "core/io/safetensors.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/temporary_folder.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::io {
namespace {

using test::expect_error;
using test::read_file;
using test::TemporaryFolder;

/// A file of a header and data, with the length in front as the format wants it.
std::string file_of(std::string_view header, std::string_view data) {
  const std::uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof(length));
  return file.append(header).append(data);
}

template <class T>
std::vector<T> values_of(const SafetensorsFile& file, std::string_view name) {
  const StoredTensor& tensor = file.at(name);
  std::vector<T> values(static_cast<std::size_t>(tensor.size.value()) / sizeof(T));
  file.read(tensor, std::as_writable_bytes(std::span(values)));
  return values;
}

BOOST_AUTO_TEST_SUITE(safetensors)

BOOST_AUTO_TEST_CASE(reads_what_the_reference_implementation_wrote) {
  // safetensors 0.8.0, safetensors.numpy.save of f32 [[1.5, -2, 3.25], [0, -0.0, 1e-40]], bf16
  // [1, -1], i32 7, f64 of shape (0, 3) and i64 [2^40].
  const std::string header =
      R"({"__metadata__":{"format":"pt","note":"ü"},"big":{"dtype":"I64","shape":[1],)"
      R"("data_offsets":[0,8]},"empty":{"dtype":"F64","shape":[0,3],"data_offsets":[8,8]},)"
      R"("w":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]},"n":{"dtype":"I32","shape":[],)"
      R"("data_offsets":[32,36]},"b":{"dtype":"BF16","shape":[2],"data_offsets":[36,40]}}    )";
  BOOST_TEST_REQUIRE(header.size() == 0x148u);
  const std::string data(
      "\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\xc0?\x00\x00\x00\xc0\x00\x00P@\x00\x00\x00\x00\x00"
      "\x00\x00\x80\xc2\x16\x01\x00\x07\x00\x00\x00\x80?\x80\xbf",
      40);
  const TemporaryFolder folder;
  const SafetensorsFile file(folder.write("reference.safetensors", file_of(header, data)));
  BOOST_TEST(file.tensors().size() == 5u);
  BOOST_TEST(file.metadata().at("format") == "pt");
  BOOST_TEST(file.metadata().at("note") == "ü");
  BOOST_TEST(values_of<float>(file, "w") == (std::vector<float>{1.5, -2, 3.25, 0, -0.0f, 1e-40f}),
             boost::test_tools::per_element());
  BOOST_TEST(file.at("w").shape == (std::vector<std::int64_t>{2, 3}),
             boost::test_tools::per_element());
  BOOST_TEST(values_of<std::uint16_t>(file, "b") == (std::vector<std::uint16_t>{0x3f80, 0xbf80}),
             boost::test_tools::per_element());
  BOOST_TEST((file.at("b").dtype == DType::kBf16));
  BOOST_TEST(values_of<std::int32_t>(file, "n").at(0) == 7);
  BOOST_TEST(file.at("n").shape.empty());
  BOOST_TEST(file.at("empty").size.value() == 0);
  BOOST_TEST(file.at("big").dtype_name == "I64");
  BOOST_TEST(!file.at("big").dtype.has_value());
  BOOST_TEST(file.find("missing") == nullptr);
  expect_error<IoError>([&] { (void)file.at("missing"); }, "holds no tensor 'missing'");
  std::byte byte{};
  expect_error<IoError>([&] { file.read(file.at("n"), std::span(&byte, 1), 4); },
                        "has 4 bytes, not the 1 from 4 on");
}

BOOST_AUTO_TEST_CASE(writes_the_bytes_of_the_format) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.safetensors";
  const std::uint8_t bytes[3] = {1, 2, 3};
  const float floats[2] = {1.0f, -2.0f};
  write_safetensors(
      path,
      {{.name = "z", .dtype = DType::kU8, .shape = {3}, .data = bytes, .fill = {}},
       {.name = "b", .dtype = DType::kF32, .shape = {1, 2}, .data = floats, .fill = {}},
       {.name = "a", .dtype = DType::kTf32, .shape = {}, .data = floats, .fill = {}}},
      {{"step", "12"}});
  // Wide elements first, then by name; the header ends at a multiple of 8.
  std::string header =
      R"({"__metadata__":{"step":"12"},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
      R"("b":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]},)"
      R"("z":{"dtype":"U8","shape":[3],"data_offsets":[12,15]}})";
  while (header.size() % 8 != 0) header += ' ';
  const std::string data("\0\0\x80?\0\0\x80?\0\0\0\xc0\1\2\3", 15);
  BOOST_TEST((read_file(path) == file_of(header, data)));
}

BOOST_AUTO_TEST_CASE(every_dtype_comes_back_bit_for_bit) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.safetensors";
  std::mt19937_64 random(1);
  std::vector<std::vector<std::byte>> contents;
  std::vector<TensorSource> sources;
  for (const DTypeInfo& dtype : all_dtypes()) {
    // Random bits, NaNs of every payload among them.
    std::vector<std::byte>& bytes =
        contents.emplace_back(static_cast<std::size_t>(dtype.bytes) * 3 * 1001);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  }
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const DTypeInfo& dtype = all_dtypes()[i];
    TensorSource& source = sources.emplace_back();
    source.name = std::string(dtype.name);
    source.dtype = dtype.dtype;
    source.shape = {3, 1001};
    source.data = contents[i].data();
  }
  write_safetensors(path, sources);
  const SafetensorsFile file(path);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const DTypeInfo& dtype = all_dtypes()[i];
    BOOST_TEST_CONTEXT(dtype.name) {
      const StoredTensor& tensor = file.at(dtype.name);
      BOOST_TEST((tensor.dtype == (dtype.dtype == DType::kTf32 ? DType::kF32 : dtype.dtype)));
      BOOST_TEST((tensor.offset % static_cast<std::uint64_t>(dtype.bytes) == 0));
      BOOST_TEST((values_of<std::byte>(file, dtype.name) == contents[i]));
      std::vector<std::byte> part(7);
      file.read(tensor, part, 5);
      BOOST_TEST(std::equal(part.begin(), part.end(), contents[i].begin() + 5));
    }
  }
}

BOOST_AUTO_TEST_CASE(large_tensors_are_asked_for_piece_by_piece) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.safetensors";
  constexpr std::size_t kSize = (std::size_t{9} << 20) + 5;
  const auto pattern = [](std::size_t i) { return static_cast<std::byte>(i * 2654435761u >> 13); };
  std::size_t calls = 0, next = 0, largest = 0;
  const auto fill = [&](std::uint64_t offset, std::span<std::byte> chunk) {
    BOOST_TEST(offset == next);
    for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = pattern(offset + i);
    next += chunk.size();
    largest = std::max(largest, chunk.size());
    ++calls;
  };
  write_safetensors(path, {{.name = "x", .dtype = DType::kU8, .shape = {kSize}, .fill = fill}});
  BOOST_TEST(next == kSize);
  BOOST_TEST(calls > 1u);
  BOOST_TEST(largest <= (std::size_t{4} << 20));
  const std::vector<std::byte> back = values_of<std::byte>(SafetensorsFile(path), "x");
  bool equal = back.size() == kSize;
  for (std::size_t i = 0; i < back.size(); ++i) equal = equal && back[i] == pattern(i);
  BOOST_TEST(equal);
}

BOOST_AUTO_TEST_CASE(a_failed_write_leaves_the_old_file) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("a.safetensors", "old");
  const auto fail = [](std::uint64_t, std::span<std::byte>) { throw Error("the device is gone"); };
  expect_error<Error>(
      [&] {
        write_safetensors(path, {{.name = "x", .dtype = DType::kU8, .shape = {5}, .fill = fail}});
      },
      "the device is gone");
  BOOST_TEST(read_file(path) == "old");
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

BOOST_AUTO_TEST_CASE(refuses_to_write_nonsense) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.safetensors";
  const float value = 1;
  const auto source = [&](std::string name, std::vector<std::int64_t> shape, const void* data) {
    return TensorSource{.name = std::move(name),
                        .dtype = DType::kF32,
                        .shape = std::move(shape),
                        .data = data,
                        .fill = {}};
  };
  const auto refuses = [&](std::vector<TensorSource> sources, std::string_view why) {
    try {
      write_safetensors(path, sources);
      BOOST_ERROR("nothing was thrown, expected '" << why << "'");
    } catch (const Error& error) {
      BOOST_TEST(std::string_view(error.what()).find(why) != std::string_view::npos, error.what());
    }
    BOOST_TEST(std::filesystem::is_empty(folder.path()));
  };
  refuses({source("a", {}, &value), source("a", {}, &value)}, "two tensors are named 'a'");
  refuses({source("", {}, &value)}, "cannot be the name");
  refuses({source("__metadata__", {}, &value)}, "cannot be the name");
  refuses({source("a", {-1}, &value)}, "has the size -1");
  refuses({source("a", {1}, nullptr)}, "has no data");
  refuses({source("a", {std::int64_t{1} << 40, std::int64_t{1} << 40}, &value)}, "a");
  refuses({source("\xff", {}, &value)}, "no valid UTF-8");
  write_safetensors(path, {source("nothing", {0, 5}, nullptr)});
  BOOST_TEST(SafetensorsFile(path).at("nothing").size.value() == 0);
}

BOOST_AUTO_TEST_CASE(every_kind_of_damage_has_its_own_message) {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& contents, std::string_view why) {
    const std::filesystem::path path = folder.write("x.safetensors", contents);
    expect_error<IoError>([&] { SafetensorsFile{path}; }, why);
    expect_error<IoError>([&] { SafetensorsFile{path}; }, path.string());
  };
  const auto tensor = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return std::string(R"({"a":{"dtype":")").append(dtype) + R"(","shape":)" + std::string(shape) +
           R"(,"data_offsets":)" + std::string(offsets) + "}}";
  };
  const std::string good = tensor("F32", "[2]", "[0,8]"), data(8, 'x');
  SafetensorsFile{folder.write("good.safetensors", file_of(good + "  ", data))};

  refuses("", "it has 0 bytes, not even the 8");
  refuses("1234567", "it has 7 bytes");
  refuses(std::string("\1\xe1\xf5\5\0\0\0\0", 8), "at most 100000000 are allowed");
  refuses(std::string(8, '\xff'), "at most 100000000 are allowed");
  refuses(file_of(good, data).substr(0, 30), "cut off in the header: 54 bytes announced, 22 there");
  refuses(file_of(" " + good, data), "does not begin with '{'");
  refuses(file_of("", ""), "does not begin with '{'");
  refuses(file_of(good.substr(0, 20), data), "no valid JSON at byte");
  refuses(file_of(good + "x", data), "no valid JSON at byte");
  refuses(file_of("{\"\xff\":1}", data), "no valid JSON at byte");
  refuses(file_of(good, data.substr(1)), "lie at [0, 8), but the file holds 7 bytes of data");
  refuses(file_of(good, data + "y"), "1 bytes follow the last tensor");
  refuses(file_of(tensor("F32", "[2]", "[8,0]"), data), "lie at [8, 0)");
  refuses(file_of(tensor("F32", "[2]", "[0,8,9]"), data), "must be two numbers");
  refuses(file_of(tensor("F32", "[3]", "[0,8]"), data), "needs more than the 8 bytes");
  refuses(file_of(tensor("F32", "[1]", "[0,8]"), data), "need 4 bytes, but its data have 8");
  refuses(file_of(tensor("F32", "[9223372036854775808]", "[0,8]"), data), "is too large");
  refuses(file_of(tensor("F32", "[4294967296,4294967296,4]", "[0,8]"), data), "needs more than");
  refuses(file_of(tensor("F32", "[-2]", "[0,8]"), data), "the negative number -2 in 'shape'");
  refuses(file_of(tensor("F32", "[2.0]", "[0,8]"), data), "the number 2.0 in 'shape'");
  refuses(file_of(tensor("F32", "[18446744073709551616]", "[0,8]"), data), "in 'shape'");
  refuses(file_of(tensor("F32", "[[2]]", "[0,8]"), data), "a list in 'shape'");
  refuses(file_of(tensor("F32", "null", "[0,8]"), data), "null in 'shape'");
  refuses(file_of(tensor("F32", "{}", "[0,8]"), data), "an object where none belongs");
  refuses(file_of(tensor("X9", "[2]", "[0,8]"), data), "unknown dtype 'X9'");
  refuses(file_of(R"({"a":{"dtype":"F32","shape":[2]}})", data), "data_offsets missing");
  refuses(file_of(R"({"a":1})", data), "a number in 'a'");
  refuses(file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":"y"}})", data),
          "text in 'x'");
  const std::string entry = R"(:{"dtype":"F32","shape":[1],"data_offsets":)";
  refuses(file_of(R"({"a")" + entry + R"([0,4]},"a")" + entry + "[4,8]}}", data),
          "the name 'a' twice");
  refuses(file_of(R"({"a")" + entry + R"([0,4]},"b")" + entry + "[0,4]}}", data),
          "tensor 'b' begins at byte 0 of the data, but the one before it ends at 4");
  refuses(file_of(R"({"a")" + entry + "[4,8]}}", data), "begins at byte 4");
  refuses(file_of(R"({"__metadata__":{"k":1}})", ""), "a number in 'k'");
  refuses(file_of(R"({"__metadata__":{"k":"1","k":"2"}})", ""), "the metadata key 'k' twice");
  refuses(file_of(R"({"__metadata__":{"k":{}}})", ""), "an object where none belongs");
  refuses(file_of(R"({"__metadata__":"k"})", ""), "text in '__metadata__'");
  refuses(file_of("{\"a\":" + std::string(100000, '['), ""), "a list in 'a'");
  expect_error<IoError>([&] { SafetensorsFile{folder.path() / "none"}; }, "No such file");
}

BOOST_AUTO_TEST_CASE(no_single_damaged_byte_or_cut_does_more_than_throw) {
  const TemporaryFolder folder(test::in_memory());
  const std::filesystem::path path = folder.path() / "a.safetensors";
  const std::vector<std::uint8_t> values(24, 7);
  write_safetensors(
      path,
      {{.name = "w", .dtype = DType::kF32, .shape = {2, 2}, .data = values.data(), .fill = {}},
       {.name = "b", .dtype = DType::kU16, .shape = {3}, .data = values.data(), .fill = {}}},
      {{"k", "v"}});
  const std::string whole = read_file(path);
  const std::size_t header_end = whole.size() - 22;
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < header_end; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      const std::filesystem::path other = folder.write("damaged", damaged);
      try {
        const SafetensorsFile file(other);
        std::uint64_t total = 0;
        for (const StoredTensor& tensor : file.tensors()) {
          total += values_of<std::byte>(file, tensor.name).size();
        }
        BOOST_TEST_REQUIRE(total == 22u);
        ++accepted;
      } catch (const IoError&) {
      }
    }
  }
  // The undamaged value of each byte, and other names or dtypes of the same size.
  BOOST_TEST(accepted >= header_end);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::filesystem::path other = folder.write("damaged", whole.substr(0, length));
    BOOST_CHECK_THROW(SafetensorsFile{other}, IoError);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::io
