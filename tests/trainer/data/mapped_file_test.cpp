#include "trainer/data/mapped_file.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/temporary_folder.h"

#include <boost/test/unit_test.hpp>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace headroom::trainer {
namespace {

using test::expect_error;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(mapped_file)

BOOST_AUTO_TEST_CASE(gives_the_bytes_of_the_file) {
  const TemporaryFolder folder;
  const MappedFile file(folder.write("a", std::string("ab\0c", 4)));
  BOOST_TEST_REQUIRE(file.bytes().size() == 4u);
  BOOST_TEST(static_cast<char>(file.bytes()[0]) == 'a');
  BOOST_TEST(static_cast<char>(file.bytes()[2]) == '\0');
  BOOST_TEST(static_cast<char>(file.bytes()[3]) == 'c');
}

BOOST_AUTO_TEST_CASE(an_empty_file_has_no_bytes) {
  const TemporaryFolder folder;
  const MappedFile file(folder.write("empty", ""));
  BOOST_TEST(file.bytes().empty());
  file.check_unchanged();
}

BOOST_AUTO_TEST_CASE(says_why_a_file_cannot_be_read) {
  const TemporaryFolder folder;
  const std::filesystem::path missing = folder.path() / "missing.npy";
  expect_error<IoError>([&] { MappedFile{missing}; },
                        "cannot open " + missing.string() + ": No such file or directory");
  expect_error<IoError>([&] { MappedFile{folder.path()}; }, "Is a directory");
  const std::filesystem::path pipe = folder.path() / "pipe";
  BOOST_TEST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  expect_error<IoError>([&] { MappedFile{pipe}; }, "not a regular file");
}

BOOST_AUTO_TEST_CASE(notices_that_the_file_changed) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("a", "0123456789");
  const MappedFile file(path);
  file.check_unchanged();
  std::filesystem::resize_file(path, 5);
  expect_error<IoError>([&] { file.check_unchanged(); }, "10 bytes when opened, 5 now");

  const std::filesystem::path other = folder.write("b", "0123456789");
  const MappedFile second(other);
  std::filesystem::last_write_time(
      other, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  expect_error<IoError>([&] { second.check_unchanged(); }, "was rewritten");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
