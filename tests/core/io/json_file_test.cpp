#include "core/io/json_file.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/temporary_folder.h"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <string>

namespace headroom::io {
namespace {

struct File {
  test::TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "state.json";
  explicit File(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
};

BOOST_AUTO_TEST_SUITE(json_file)

BOOST_AUTO_TEST_CASE(fields_are_read) {
  const File file("{\"step\": 3, \"seed\": 18446744073709551615, \"loss\": 0.5, \"none\": null}");
  const JsonFile json(file.path);
  BOOST_TEST(json.whole("step") == 3);
  BOOST_TEST(json.natural("seed") == 18446744073709551615U);
  BOOST_TEST(json.optional_real("loss").value() == 0.5);
  BOOST_TEST(!json.optional_real("none").has_value());
  BOOST_TEST(!json.optional_real("absent").has_value());
}

BOOST_AUTO_TEST_CASE(damage_is_told_with_its_line) {
  const auto refuses = [](const std::string& text, const std::string& why) {
    const File file(text);
    test::expect_error<IoError>([&] { (void)JsonFile(file.path).whole("step"); },
                                file.path.string() + why);
  };
  refuses("", " is damaged: it is empty");
  refuses("{\n  \"step\": 3,\n  \"se", ":3: the file is damaged: it is no valid JSON from here on");
  refuses("[3]", ":1: the file is damaged: it is no JSON object {...}");
  refuses("{}", ":1: the file is damaged: \"step\" is missing");
  refuses("{\n\"step\": \"three\"}", ":2: the file is damaged: \"step\" must be a whole number");
  refuses("{\"step\": 18446744073709551615}", ":1: the file is damaged: \"step\" must be");
  test::expect_error<IoError>([] { JsonFile("/nowhere/state.json"); }, "/nowhere/state.json");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::io
