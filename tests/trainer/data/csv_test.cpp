#include "trainer/data/csv.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"

#include <boost/test/unit_test.hpp>

#include <string_view>
#include <vector>

namespace headroom::trainer {
namespace {

using test::expect_error;

CsvTable table_of(std::string_view text) {
  return read_csv(std::as_bytes(std::span(text)), "t.csv");
}
bool looks(std::string_view text) { return looks_like_csv(std::as_bytes(std::span(text))); }

BOOST_AUTO_TEST_SUITE(csv_files)

BOOST_AUTO_TEST_CASE(reads_a_table_with_a_header) {
  const CsvTable table = table_of("a,\"b, or c\",d\n1,2.5,-3e2\n+4, 5 ,0.1\n");
  BOOST_TEST(table.names == (std::vector<std::string>{"a", "b, or c", "d"}),
             boost::test_tools::per_element());
  BOOST_TEST(table.rows == 2);
  BOOST_TEST(table.columns == 3);
  BOOST_TEST(table.values == (std::vector<float>{1, 2.5, -300, 4, 5, 0.1f}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(reads_every_separator_line_end_and_quote) {
  for (const std::string_view text :
       {"1,2\n3,4\n", "1;2\n3;4\n", "1\t2\n3\t4\n", "1,2\r\n3,4\r\n", "1,2\n\n3,4",
        "\n1,2\n3,4\n\n", "\"1\",\"2\"\n\"3\" , \"4\"\n",
        "\xEF\xBB\xBF"
        "1,2\n3,4\n"}) {
    BOOST_TEST_CONTEXT(text) {
      const CsvTable table = table_of(text);
      BOOST_TEST(table.names.empty());
      BOOST_TEST(table.values == (std::vector<float>{1, 2, 3, 4}),
                 boost::test_tools::per_element());
      BOOST_TEST(table.rows == 2);
    }
  }
  BOOST_TEST(table_of("1\n2\n3\n").columns == 1);
}

BOOST_AUTO_TEST_CASE(names_the_line_and_column_of_what_is_wrong) {
  const auto refuses = [](std::string_view text, std::string_view why) {
    expect_error<IoError>([&] { (void)table_of(text); }, why);
  };
  refuses("", "t.csv is empty");
  refuses("\n \n", "t.csv is empty");
  refuses("a,b\n", "a header line and no data");
  refuses("a,b\n1,2\n3,x\n", "t.csv:3:3: 'x' is not a finite number");
  refuses("1,2\n3,\n", "t.csv:2:3: the field is empty");
  refuses("1,2\n\n3,4,5\n", "t.csv:3:1: 3 fields, but the first line has 2");
  refuses("1,2\n3\n", "t.csv:2:1: 1 field, but the first line has 2");
  refuses("1,2\n3,\"4\n", "t.csv:2:3: the quote is not closed");
  refuses("1,2\n3,\"4\"5\n", "t.csv:2:3: '\"4\"5' is not a finite number");
  refuses("1,2\nnan,4\n", "t.csv:2:1: 'nan' is not a finite number");
  refuses("1,2\n3,inf\n", "'inf' is not a finite number");
  refuses("1,2\n3,1e39\n", "'1e39' is not a finite number");
  refuses("1;2\n3,5;4\n", "t.csv:2:1: '3,5' is not a finite number");
  refuses("1,2\n3,4 5\n", "'4 5' is not a finite number");
  refuses("1,2\n3,++4\n", "'++4' is not a finite number");
}

BOOST_AUTO_TEST_CASE(a_first_line_of_lost_numbers_is_no_header) {
  for (const std::string_view word : {"nan", "-nan", "NaN", "inf", "-inf", "+inf", "Infinity",
                                      "1e999", "1e39", "NA", "n/a", "null", "None"}) {
    const std::string text = "1," + std::string(word) + "\n3,4\n";
    expect_error<IoError>([&] { (void)table_of(text); },
                          "t.csv:1:3: '" + std::string(word) + "' is not a finite number");
  }
  // A word among them makes it a header all the same.
  BOOST_TEST(table_of("nan,income\n3,4\n").rows == 1);
}

BOOST_AUTO_TEST_CASE(a_line_cut_by_another_separator_says_so) {
  const auto refuses = [](std::string_view text, std::string_view why) {
    expect_error<IoError>([&] { (void)table_of(text); }, why);
  };
  refuses(
      "a,b\n1;2\n",
      "t.csv:2:1: 1 field, but the first line has 2 (fields are separated by the comma that the "
      "first line has most of, but this line has a semicolon: use one separator");
  refuses("a,b\n1\t2\n", "but this line has a tab");
  refuses("1;2;3\n3,5;4;5\n",
          "t.csv:2:1: '3,5' is not a finite number (fields are separated by the "
          "semicolon that the first line has most of; write decimals with a "
          "point, not a comma)");
  refuses("1,5;2,5;3,5\n2,5;3,5;4,5\n", "but this line has a semicolon");
  refuses("a b\n1 2\n",
          "'1 2' is not a finite number (separate fields by comma, semicolon or tab)");
}

BOOST_AUTO_TEST_CASE(a_table_is_told_from_other_text_and_from_binary_data) {
  BOOST_TEST(looks("1,2\n3,4\n"));
  BOOST_TEST(looks("a,b\n3,4\n"));
  BOOST_TEST(looks("1\n"));
  BOOST_TEST(!looks(""));
  BOOST_TEST(!looks("To be, or not to be\nthat is\n"));
  BOOST_TEST(!looks("a,b\nc,d\n"));
  BOOST_TEST(!looks(std::string_view("1,2\0", 4)));
  // A long first line that the sample cuts off does not count as numbers.
  BOOST_TEST(!looks(std::string(5000, '1')));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
