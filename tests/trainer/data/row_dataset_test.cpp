#include "trainer/data/row_dataset.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/temporary_folder.h"
#include "tests/trainer/data/buffers.h"
#include "trainer/data/loader.h"
#include "trainer/data/open_dataset.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace headroom::trainer {
namespace {

using test::Buffers;
using test::expect_error;
using test::TemporaryFolder;

BatchSpec values_spec(std::int64_t batch, std::int64_t features, std::int64_t targets = 1) {
  return {.batch = batch, .features = features, .target_columns = targets};
}
BatchSpec classes_spec(std::int64_t batch, std::int64_t features, std::int64_t classes) {
  return {
      .targets = TargetKind::kClasses, .batch = batch, .features = features, .classes = classes};
}

/// A table whose element at (row, column) is 10 * row + column, stored as T.
template <class T>
std::unique_ptr<Dataset> table_of(const TemporaryFolder& folder,
                                  std::string_view name,
                                  std::int64_t rows,
                                  std::int64_t columns,
                                  const BatchSpec& spec) {
  std::vector<T> values;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      values.push_back(static_cast<T>(static_cast<float>(10 * r + c)));
    }
  }
  DataPlan plan;
  plan.path = folder.write(name, test::bytes_of(std::span<const T>(values))).string();
  plan.format = DataFormat::kBin;
  plan.dtype = dtype_of<T>;
  return open_dataset(plan, &spec);
}

BOOST_AUTO_TEST_SUITE(rows)

BOOST_AUTO_TEST_CASE(converts_every_stored_type_to_f32) {
  const TemporaryFolder folder;
  const BatchSpec spec = values_spec(5, 3);
  std::vector<std::unique_ptr<Dataset>> datasets;
  datasets.push_back(table_of<std::uint8_t>(folder, "u8", 5, 4, spec));
  datasets.push_back(table_of<std::uint16_t>(folder, "u16", 5, 4, spec));
  datasets.push_back(table_of<std::int32_t>(folder, "i32", 5, 4, spec));
  datasets.push_back(table_of<f16>(folder, "f16", 5, 4, spec));
  datasets.push_back(table_of<float>(folder, "f32", 5, 4, spec));
  datasets.push_back(table_of<double>(folder, "f64", 5, 4, spec));
  for (std::unique_ptr<Dataset>& dataset : datasets) {
    BOOST_TEST_CONTEXT(name(dataset->info().stored)) {
      const Loader loader(std::move(dataset), spec, {.seed = 1, .order = SampleOrder::kShuffle});
      Buffers buffers(spec);
      loader.load(0, 0, buffers.view());
      const auto inputs = buffers.inputs<float>();
      const auto targets = buffers.targets<float>();
      for (std::int64_t b = 0; b < 5; ++b) {
        const auto row = static_cast<float>(loader.sampler().place(0, 0, b));
        for (int c = 0; c < 3; ++c) {
          BOOST_TEST(inputs[static_cast<std::size_t>(b * 3 + c)] ==
                     10 * row + static_cast<float>(c));
        }
        BOOST_TEST(targets[static_cast<std::size_t>(b)] == 10 * row + 3);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(several_target_columns) {
  const TemporaryFolder folder;
  const BatchSpec spec = values_spec(1, 2, 2);
  const auto dataset = table_of<float>(folder, "t", 3, 4, spec);
  Buffers buffers(spec);
  dataset->read(2, 0, spec, buffers.view());
  BOOST_TEST(buffers.inputs<float>() == (std::vector<float>{20, 21}),
             boost::test_tools::per_element());
  BOOST_TEST(buffers.targets<float>() == (std::vector<float>{22, 23}),
             boost::test_tools::per_element());
}

std::unique_ptr<Dataset> csv(const TemporaryFolder& folder,
                             std::string_view text,
                             const BatchSpec* spec = nullptr,
                             Normalize normalize = Normalize::kNone) {
  DataPlan plan;
  plan.path = folder.write("t.csv", text).string();
  plan.normalize = normalize;
  return open_dataset(plan, spec);
}

BOOST_AUTO_TEST_CASE(standardizing_gives_mean_0_and_deviation_1) {
  // Column a: 1, 2, 3, 6: mean 3, deviations -2 -1 0 3, population variance 14 / 4.
  const TemporaryFolder folder;
  const BatchSpec spec = values_spec(1, 2);
  const auto dataset =
      csv(folder, "a,b,y\n1,7,10\n2,7,20\n3,7,30\n6,7,40\n", &spec, Normalize::kStandardize);
  const double deviation = std::sqrt(3.5);
  const std::vector<double> expected = {-2 / deviation, -1 / deviation, 0, 3 / deviation};
  for (std::int64_t row = 0; row < 4; ++row) {
    Buffers buffers(spec);
    dataset->read(row, 0, spec, buffers.view());
    const auto inputs = buffers.inputs<float>();
    BOOST_TEST(inputs[0] == static_cast<float>(expected[static_cast<std::size_t>(row)]));
    BOOST_TEST(inputs[1] == 0.0f);  // a constant column
    BOOST_TEST(buffers.targets<float>()[0] == static_cast<float>(10 * (row + 1)));
  }
  bool stated = false;
  for (const DatasetFact& fact : dataset->describe()) {
    stated =
        stated || (fact.name == "normalized" && fact.value.find("mean 0") != std::string::npos);
    if (fact.name == "constant inputs") BOOST_TEST(fact.value == "1");
    if (fact.name == "target columns") BOOST_TEST(fact.value == "1 (y)");
    if (fact.name == "target 1") BOOST_TEST(fact.value == "10 to 40, whole numbers");
  }
  BOOST_TEST(stated);
}

BOOST_AUTO_TEST_CASE(class_numbers_are_checked) {
  const TemporaryFolder folder;
  const BatchSpec spec = classes_spec(1, 1, 3);
  const auto read = [&](std::string_view text, std::int64_t row) {
    Buffers buffers(spec);
    csv(folder, text, &spec)->read(row, 0, spec, buffers.view());
    return buffers.targets<std::int32_t>()[0];
  };
  BOOST_TEST(read("x,label\n5,0\n6,2\n", 1) == 2);
  expect_error<IoError>([&] { read("x,label\n5,0\n6,3\n", 1); }, "row 2, column 2 (label) of ");
  expect_error<IoError>([&] { read("5,0\n6,3\n", 1); },
                        "holds 3, which is no class number from 0 to 2");
  expect_error<IoError>([&] { read("5,-1\n", 0); }, "holds -1");
  expect_error<IoError>([&] { read("5,1.5\n", 0); }, "row 1, column 2 of ");
}

BOOST_AUTO_TEST_CASE(all_class_numbers_are_checked_before_a_run) {
  const TemporaryFolder folder;
  const BatchSpec spec = classes_spec(1, 1, 3);
  const auto check = [&](std::string_view text) { csv(folder, text, &spec)->check_values(spec); };
  check("5,0\n6,2\n7,1\n");
  expect_error<ConfigError>([&] { check("x,label\n5,0\n6,3\n7,9\n"); },
                            "row 2, column 2 (label) of ");
  expect_error<ConfigError>(
      [&] { check("5,0\n6,3\n7,9\n"); },
      "holds 3, which is no class number from 0 to 2; so it is in 2 of 3 rows "
      "(set model.output_size to at least 10, or correct the file)");
  expect_error<ConfigError>([&] { check("5,-1\n"); }, "class numbers are whole numbers from 0");
  expect_error<ConfigError>([&] { check("5,1.5\n"); }, "holds 1.5, which is no class number");
  // Stored as whole numbers in a mapped file.
  const std::vector<std::int32_t> stored = {5, 0, 6, 4};
  DataPlan plan;
  plan.path = folder.write("t.i32", test::bytes_of(std::span<const std::int32_t>(stored))).string();
  expect_error<ConfigError>([&] { open_dataset(plan, &spec)->check_values(spec); },
                            "row 2, column 2 of ");
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite_are_found_before_a_run) {
  const TemporaryFolder folder;
  const BatchSpec spec = values_spec(1, 2);
  const auto check = [&](double bad, std::size_t at) {
    std::vector<double> values = {1, 2, 3, 4, 5, 6};
    values[at] = bad;
    DataPlan plan;
    plan.path = folder.write("x.f64", test::bytes_of(std::span<const double>(values))).string();
    open_dataset(plan, &spec)->check_values(spec);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check(0, 0);
  expect_error<IoError>([&] { check(nan, 5); }, "row 2, column 3 of ");
  expect_error<IoError>([&] { check(-nan, 1); }, " holds nan, which is no finite f32 value");
  expect_error<IoError>([&] { check(1e300, 3); }, "row 2, column 1 of ");
}

BOOST_AUTO_TEST_CASE(values_that_no_model_can_use_are_reported_with_their_place) {
  const TemporaryFolder folder;
  const BatchSpec spec = values_spec(1, 2);
  const auto with = [&](double bad, int at, Normalize normalize) {
    std::vector<double> values = {1, 2, 3, 4, 5, 6};
    values[static_cast<std::size_t>(at)] = bad;
    DataPlan plan;
    plan.path = folder.write("x.f64", test::bytes_of(std::span<const double>(values))).string();
    plan.normalize = normalize;
    Buffers buffers(spec);
    open_dataset(plan, &spec)->read(1, 0, spec, buffers.view());
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error<IoError>([&] { with(nan, 4, Normalize::kNone); },
                        "row 2, column 2 of " + (folder.path() / "x.f64").string() +
                            " holds nan, which is no finite f32 value");
  expect_error<IoError>([&] { with(1e300, 5, Normalize::kNone); }, "row 2, column 3");
  expect_error<IoError>([&] { with(nan, 0, Normalize::kStandardize); }, "row 1, column 1");
}

BOOST_AUTO_TEST_CASE(what_does_not_suit_the_model_is_said_all_at_once) {
  const TemporaryFolder folder;
  const auto dataset = csv(folder, "1,2,3\n4,5,6\n");
  BOOST_TEST(dataset->info().features == 2);
  BOOST_TEST(dataset->info().target_columns == 1);
  dataset->check(values_spec(8, 2));
  dataset->check(classes_spec(8, 2, 7));
  try {
    dataset->check(values_spec(8, 64, 2));
    BOOST_ERROR("nothing was thrown");
  } catch (const ConfigError& error) {
    BOOST_TEST_REQUIRE(error.problems().size() == 2u);
    BOOST_TEST(error.problems()[0].key == "data.target_columns");
    BOOST_TEST(error.problems()[1].message.find("has 2 input columns, but the model reads 64") !=
               std::string::npos);
    BOOST_TEST(error.problems()[1].hint == "set the model's input size to 2");
  }
  const BatchSpec tokens{.kind = DataKind::kTokens, .batch = 1, .sequence_length = 4};
  expect_error<ConfigError>([&] { dataset->check(tokens); }, "the model reads tokens");
}

BOOST_AUTO_TEST_CASE(a_buffer_of_another_size_is_refused) {
  const TemporaryFolder folder;
  const BatchSpec spec = values_spec(4, 2), smaller = values_spec(3, 2);
  const Loader loader(csv(folder, "1,2,3\n4,5,6\n"), spec, {});
  Buffers buffers(smaller);
  expect_error<ShapeError>([&] { loader.load(0, 0, buffers.view()); },
                           "[batch] inputs: got a buffer of 24 bytes, expected 32");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
