#include "trainer/data/npy.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace headroom::trainer {
namespace {

using test::expect_error;

NpyLayout layout_of(std::string_view file) {
  return read_npy_layout(std::as_bytes(std::span(file)), "x.npy");
}

/// A file as numpy.lib.format.write_array makes it: the header is padded so that the data begin at
/// a multiple of 64 bytes.
std::string npy(std::string_view dict, std::string_view data, char version = 1) {
  std::string header(dict);
  const std::size_t prefix = version == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  for (std::size_t i = 0; i < prefix - 8; ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return file + header + std::string(data);
}

std::string simple(std::string_view descr, std::string_view shape, std::size_t data_bytes) {
  return npy("{'descr': '" + std::string(descr) +
                 "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }",
             std::string(data_bytes, '\0'));
}

BOOST_AUTO_TEST_SUITE(npy_files)

BOOST_AUTO_TEST_CASE(reads_what_numpy_2_0_wrote) {
  // numpy.lib.format.write_array(f, np.arange(6, dtype='<i4').reshape(2, 3), (1, 0))
  constexpr std::string_view kVersion1 =
      "\x93NUMPY\x01\x00v\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }"
      "                                                          \n"
      "\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00"
      "\x00";
  const std::string file1(kVersion1.data(), 128 + 24);
  const NpyLayout one = layout_of(file1);
  BOOST_TEST((one.type == ElementType::kI32));
  BOOST_TEST(one.shape == (std::vector<std::int64_t>{2, 3}));
  BOOST_TEST(one.data_offset == 128u);
  const auto* data = reinterpret_cast<const std::byte*>(file1.data()) + one.data_offset;
  BOOST_TEST(load<std::int32_t>(data + 20) == 5);

  // (2, 0) of np.array([[1.5, -2.0]]) and (3, 0) of np.array([7, 8, 9], dtype='<u2')
  const std::string file2 = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }",
                                std::string("\0\0\0\0\0\0\xf8?\0\0\0\0\0\0\0\xc0", 16), 2);
  const NpyLayout two = layout_of(file2);
  BOOST_TEST((two.type == ElementType::kF64));
  const auto* doubles = reinterpret_cast<const std::byte*>(file2.data()) + two.data_offset;
  BOOST_TEST(load<double>(doubles) == 1.5);
  BOOST_TEST(load<double>(doubles + 8) == -2.0);
  const NpyLayout three = layout_of(npy("{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }",
                                        std::string_view("\a\0\b\0\t\0", 6), 3));
  BOOST_TEST((three.type == ElementType::kU16));
  BOOST_TEST(three.shape == (std::vector<std::int64_t>{3}));
}

struct Known {
  std::string_view descr;
  ElementType type;
  std::size_t bytes;
};
const std::vector<Known> kKnown = {
    {"|u1", ElementType::kU8, 1},  {"|b1", ElementType::kU8, 1},  {"|i1", ElementType::kI8, 1},
    {"<u2", ElementType::kU16, 2}, {"<i2", ElementType::kI16, 2}, {"<u4", ElementType::kU32, 4},
    {"<i4", ElementType::kI32, 4}, {"<u8", ElementType::kU64, 8}, {"<i8", ElementType::kI64, 8},
    {"<f2", ElementType::kF16, 2}, {"<f4", ElementType::kF32, 4}, {"<f8", ElementType::kF64, 8},
};

BOOST_AUTO_TEST_CASE(knows_the_codes_of_plain_numbers) {
  for (const Known& known : kKnown) {
    BOOST_TEST_CONTEXT(known.descr) {
      const NpyLayout layout = layout_of(simple(known.descr, "(2, 2)", 4 * known.bytes));
      BOOST_TEST((layout.type == known.type));
      BOOST_TEST(size_of(layout.type) == known.bytes);
    }
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_it_cannot_read_right) {
  const auto refuses = [](const std::string& file, std::string_view why) {
    expect_error<IoError>([&] { (void)layout_of(file); }, why);
  };
  refuses("", "it is empty");
  refuses("1,2,3\n", "does not begin with the NumPy header");
  refuses(simple("<f4", "(2,)", 7), "it is cut off: the header announces 8 bytes of data, 7 are");
  refuses(simple("<f4", "(2,)", 9), "1 bytes follow the 8");
  refuses(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", std::string(24, '\0')),
          "Fortran (column-major) order; save with np.ascontiguousarray");
  refuses(simple(">i4", "(2,)", 8), "big-endian");
  refuses(simple("<c8", "(1,)", 8), "values of type '<c8' are not supported");
  refuses(simple("|O", "(1,)", 8), "values of type '|O' are not supported");
  refuses(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
          "structured arrays");
  refuses(npy("{'descr': '<f4', 'shape': (1,), }", "1234"), "must hold descr, fortran_order");
  refuses(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", "1234"),
          "unexpected or repeated key 'x'");
  refuses(npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "1234"), "True or False");
  refuses(simple("<f4", "(-1,)", 4), "expected a size");
  refuses(simple("<f4", "(99999999999999999999,)", 4), "expected a size");
  refuses(simple("<f4", "(4294967296, 4294967296, 4294967296)", 4), "more than 2^63 bytes");
  refuses(npy("garbage", ""), "expected '{'");
  std::string version9 = simple("<f4", "(1,)", 4);
  version9[6] = 9;
  refuses(version9, "format version 9 is not known");
  std::string long_header = simple("<f4", "(1,)", 4);
  long_header[9] = '\x7f';
  refuses(long_header, "cut off in the header");
}

BOOST_AUTO_TEST_CASE(an_array_without_elements_has_no_data) {
  BOOST_TEST(layout_of(simple("<f4", "(0, 9223372036854775807)", 0)).shape.size() == 2u);
}

BOOST_AUTO_TEST_CASE(no_damage_does_more_than_throw) {
  const std::string whole = simple("<f4", "(2, 3)", 24);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    BOOST_CHECK_THROW((void)layout_of(whole.substr(0, length)), IoError);
  }
  for (std::size_t at = 0; at < 128; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      try {
        const NpyLayout layout = layout_of(damaged);
        std::size_t bytes = size_of(layout.type);
        for (const std::int64_t size : layout.shape) bytes *= static_cast<std::size_t>(size);
        BOOST_TEST(layout.data_offset + bytes == damaged.size());
      } catch (const IoError&) {
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
