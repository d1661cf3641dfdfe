#include "trainer/data/open_dataset.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/temporary_folder.h"

#include <boost/test/unit_test.hpp>

#include <string>

namespace headroom::trainer {
namespace {

using test::expect_error;
using test::TemporaryFolder;

struct Case : TemporaryFolder {
  [[nodiscard]] DataPlan plan(std::string_view name,
                              std::string_view contents,
                              DataFormat format = DataFormat::kAuto) const {
    DataPlan result;
    result.path = write(name, contents).string();
    result.format = format;
    return result;
  }
};

const BatchSpec kTokens{.kind = DataKind::kTokens,
                        .targets = TargetKind::kNextTokens,
                        .batch = 1,
                        .sequence_length = 1,
                        .classes = 1000};

std::string npy_header(std::string_view descr, std::string_view shape) {
  std::string header = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header;
}

BOOST_AUTO_TEST_SUITE(opening)

BOOST_FIXTURE_TEST_CASE(contents_decide_before_the_ending, Case) {
  const std::string two_floats(8, '\0');
  const auto array = open_dataset(plan("array.csv", npy_header("<f4", "(1, 2)") + two_floats));
  BOOST_TEST(array->info().format == "npy");
  BOOST_TEST(array->info().features == 1);
  const auto table = open_dataset(plan("table.data", "1,2\n3,4\n"));
  BOOST_TEST(table->info().format == "csv");
  const auto text = open_dataset(plan("table.txt", "a\tb\n1\t2\n3\t4\n"));
  BOOST_TEST(text->info().items == 2);
}

BOOST_FIXTURE_TEST_CASE(dimensions_of_a_numpy_array_decide_what_it_is, Case) {
  const std::string data(24, '\0');
  const auto tokens = open_dataset(plan("a.npy", npy_header("<i4", "(6,)") + data));
  BOOST_TEST((tokens->info().kind == DataKind::kTokens));
  BOOST_TEST(tokens->info().items == 6);
  const auto images = open_dataset(plan("b.npy", npy_header("|u1", "(2, 3, 4)") + data));
  BOOST_TEST((images->info().kind == DataKind::kRows));
  BOOST_TEST(images->info().items == 2);
  BOOST_TEST(images->info().features == 11);
  BOOST_TEST(images->info().target_columns == 1);
  const auto line = open_dataset(plan("c.npy", npy_header("<f4", "(6,)") + data));
  BOOST_TEST(line->info().features == 1);
  BOOST_TEST(line->info().target_columns == 0);
  expect_error<IoError>(
      [&] { (void)open_dataset(plan("d.npy", npy_header("<f4", "()") + "1234")); },
      "a single number");
  expect_error<IoError>([&] { (void)open_dataset(plan("e.npy", npy_header("<f4", "(0, 4)"))); },
                        "holds no rows");
  expect_error<IoError>([&] { (void)open_dataset(plan("f.npy", npy_header("<i4", "(0,)"))); },
                        "holds no tokens");
}

BOOST_FIXTURE_TEST_CASE(the_notes_own_file_is_explained, Case) {
  // np.array([1, 2, 3]).tofile("data.npy") writes no header, whatever the ending.
  const std::string raw(12, '\1');
  expect_error<IoError>([&] { (void)open_dataset(plan("data.npy", raw)); },
                        "for raw values (ndarray.tofile) give data.format: bin and data.dtype");
  DataPlan as_told = plan("data.npy", raw, DataFormat::kBin);
  as_told.dtype = DType::kI32;
  BOOST_TEST(open_dataset(as_told)->info().items == 3);
}

BOOST_FIXTURE_TEST_CASE(asks_when_a_file_does_not_say_what_it_holds, Case) {
  const std::string bytes("\x01\x00\x02\x00", 4);
  expect_error<ConfigError>([&] { (void)open_dataset(plan("train.bin", bytes)); },
                            "does not say what it holds (set `format: tokens`");
  expect_error<ConfigError>([&] { (void)open_dataset(plan("input.txt", "To be, or not\n")); },
                            "data.format");
  expect_error<ConfigError>([&] { (void)open_dataset(plan("x.bin", bytes, DataFormat::kBin)); },
                            "data.dtype: ");
  BOOST_TEST(open_dataset(plan("train.bin", bytes), &kTokens)->info().items == 2);
  DataPlan with_dtype = plan("train.bin", bytes);
  with_dtype.dtype = DType::kU8;
  BOOST_TEST(open_dataset(with_dtype)->info().items == 4);
}

BOOST_FIXTURE_TEST_CASE(a_header_is_never_read_as_data, Case) {
  DataPlan array = plan("a.npy", npy_header("<i4", "(1,)") + "1234", DataFormat::kBin);
  array.dtype = DType::kU8;
  expect_error<ConfigError>([&] { (void)open_dataset(array); },
                            "begins with a NumPy header, but the format is `bin`");
  expect_error<ConfigError>(
      [&] {
        (void)open_dataset(plan("a.npy", npy_header("<i4", "(1,)") + "1234", DataFormat::kTokens));
      },
      "set it to `npy` or `auto`");
}

BOOST_FIXTURE_TEST_CASE(the_dtype_must_be_the_files, Case) {
  DataPlan array = plan("a.npy", npy_header("<i4", "(1,)") + "1234");
  array.dtype = DType::kI32;
  BOOST_TEST(open_dataset(array)->info().items == 1);
  array.dtype = DType::kU16;
  expect_error<ConfigError>([&] { (void)open_dataset(array); }, "holds i32 values (npy), not u16");
  DataPlan raw = plan("a.f32", "12345678");
  raw.dtype = DType::kBf16;
  expect_error<ConfigError>([&] { (void)open_dataset(raw); }, "raw files of bf16 are not read");
  expect_error<ConfigError>([&] { (void)open_dataset(plan("b.f32", "12345678"), &kTokens); },
                            "tokens are whole numbers, not f32");
}

BOOST_FIXTURE_TEST_CASE(damaged_and_missing_files_are_named, Case) {
  DataPlan missing;
  missing.path = (path() / "nowhere.csv").string();
  expect_error<IoError>([&] { (void)open_dataset(missing); },
                        "nowhere.csv: No such file or directory");
  expect_error<IoError>([&] { (void)open_dataset(plan("empty.csv", "")); }, "is empty");
  expect_error<IoError>([&] { (void)open_dataset(plan("empty.bin", "")); }, "is empty");
  expect_error<IoError>([&] { (void)open_dataset(plan("empty.npy", "")); }, "it is empty");
  expect_error<IoError>([&] { (void)open_dataset(plan("cut.f32", "12345")); },
                        "has 5 bytes, which is no whole number of f32 values (4 bytes)");
  const BatchSpec rows{.batch = 1, .features = 2};
  expect_error<IoError>([&] { (void)open_dataset(plan("cut.f32", "1234567812345678"), &rows); },
                        "has 4 f32 values, which is no whole number of rows of 3");
  DataPlan nothing;
  expect_error<ConfigError>([&] { (void)open_dataset(nothing); }, "the plan names no data");
}

BOOST_FIXTURE_TEST_CASE(targets_must_leave_an_input, Case) {
  DataPlan table = plan("t.csv", "1,2,3\n");
  table.target_columns = 2;
  BOOST_TEST(open_dataset(table)->info().features == 1);
  table.target_columns = 3;
  expect_error<ConfigError>([&] { (void)open_dataset(table); },
                            "has 3 columns, which leaves no input beside 3 of targets");
  const BatchSpec one_column{.batch = 1, .features = 1};
  expect_error<ConfigError>([&] { (void)open_dataset(plan("u.csv", "1\n2\n"), &one_column); },
                            "data.target_columns");
}

BOOST_FIXTURE_TEST_CASE(tokens_are_not_scaled, Case) {
  DataPlan tokens = plan("t.u8", "abc");
  tokens.normalize = Normalize::kStandardize;
  expect_error<ConfigError>([&] { (void)open_dataset(tokens); }, "which cannot be scaled");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
