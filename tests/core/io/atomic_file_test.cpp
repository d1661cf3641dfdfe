#include "core/io/atomic_file.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/temporary_folder.h"

#include <boost/test/unit_test.hpp>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>

namespace headroom::io {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::read_file;
using test::TemporaryFolder;

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

/// An id that no process has: a child that has ended and was waited for.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

/// Runs `work` over and over in a child and kills it after `delay`.
template <class Work>
void kill_while_working(Work&& work, std::chrono::microseconds delay) {
  const pid_t child = ::fork();
  BOOST_TEST_REQUIRE(child >= 0);
  if (child == 0) {
    try {
      for (int i = 1;; ++i) work(i);
    } catch (...) {
      ::_exit(1);
    }
  }
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  BOOST_TEST_REQUIRE(WIFSIGNALED(status));
}

BOOST_AUTO_TEST_SUITE(atomic_files)

BOOST_AUTO_TEST_CASE(a_file_appears_on_commit_and_not_before) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a.txt";
  {
    AtomicFile file(path);
    file.write("hello ");
    file.write("world");
    BOOST_TEST(!fs::exists(path));
    file.commit();
    BOOST_TEST(read_file(path) == "hello world");
  }
  {
    AtomicFile file(path);
    file.write("half");
  }
  BOOST_TEST(read_file(path) == "hello world");
  write_atomically(path, "new");
  BOOST_TEST(read_file(path) == "new");
  BOOST_TEST(entries(folder.path()) == 1);
}

BOOST_AUTO_TEST_CASE(two_writers_of_one_file_do_not_mix) {
  const TemporaryFolder folder;
  AtomicFile first(folder.path() / "a");
  first.write("first");
  expect_error<IoError>([&] { AtomicFile{folder.path() / "a"}; }, "cannot lock");
  first.commit();
  BOOST_TEST(read_file(folder.path() / "a") == "first");
}

BOOST_AUTO_TEST_CASE(says_why_it_cannot_write) {
  const TemporaryFolder folder;
  expect_error<IoError>([&] { write_atomically(folder.path() / "no" / "a", "x"); },
                        "No such file or directory");
  expect_error<IoError>([&] { write_atomically("", "x"); }, "is not a name to write to");
  fs::create_directory(folder.path() / "folder");
  expect_error<IoError>([&] { write_atomically(folder.path() / "folder", "x"); }, "cannot replace");
  BOOST_TEST(entries(folder.path()) == 1);
  expect_error<IoError>([&] { write_atomically("/dev/full/x", "x"); }, "Not a directory");
}

BOOST_AUTO_TEST_CASE(a_folder_appears_with_all_its_files) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "step-1";
  {
    AtomicDirectory directory(path);
    std::ofstream(directory.staging() / "a") << "1";
    fs::create_directory(directory.staging() / "sub");
    std::ofstream(directory.staging() / "sub" / "b") << "2";
    BOOST_TEST(!fs::exists(path));
    directory.commit();
  }
  BOOST_TEST(read_file(path / "sub" / "b") == "2");
  {
    AtomicDirectory directory(path / "");
    std::ofstream(directory.staging() / "a") << "half";
  }
  BOOST_TEST(read_file(path / "a") == "1");
  {
    AtomicDirectory directory(path);
    std::ofstream(directory.staging() / "a") << "3";
    directory.commit();
  }
  BOOST_TEST(read_file(path / "a") == "3");
  BOOST_TEST(!fs::exists(path / "sub"));
  BOOST_TEST(entries(folder.path()) == 1);
}

BOOST_AUTO_TEST_CASE(a_second_writer_of_the_same_folder_is_refused) {
  const TemporaryFolder folder;
  AtomicDirectory first(folder.path() / "step-1");
  expect_error<IoError>([&] { AtomicDirectory{folder.path() / "step-1"}; }, "cannot lock");
  first.commit();
  BOOST_TEST(fs::is_directory(folder.path() / "step-1"));
}

BOOST_AUTO_TEST_CASE(temporaries_are_known_by_their_names) {
  BOOST_TEST(is_temporary_name("step-10.tmp-123"));
  BOOST_TEST(!is_temporary_name("step-10"));
  BOOST_TEST(!is_temporary_name("step-10.tmp-"));
  BOOST_TEST(!is_temporary_name("step-10.tmp-12x"));
  BOOST_TEST(!is_temporary_name("step-10.tmp--5"));
  BOOST_TEST(!is_temporary_name(".tmp-5"));
  BOOST_TEST(!is_temporary_name("step-10.tmp-99999999999999999999"));
}

BOOST_AUTO_TEST_CASE(only_what_dead_writers_left_is_removed) {
  const TemporaryFolder folder;
  const std::string dead = std::to_string(dead_process());
  folder.write("kept.txt", "x");
  folder.write("a.tmp-" + dead, "x");
  fs::create_directory(folder.path() / ("step-2.tmp-" + dead));
  folder.write("step-2.tmp-" + dead + "/model", "x");
  AtomicFile living_file(folder.path() / "b");
  AtomicDirectory living_folder(folder.path() / "step-3");
  BOOST_TEST(remove_stale_temporaries(folder.path()) == 2u);
  BOOST_TEST(entries(folder.path()) == 3);
  living_file.write("b");
  living_file.commit();
  living_folder.commit();
  BOOST_TEST(read_file(folder.path() / "b") == "b");
  expect_error<IoError>([&] { (void)remove_stale_temporaries(folder.path() / "no"); },
                        "No such file");
}

BOOST_AUTO_TEST_CASE(a_lock_protects_even_when_the_process_id_says_dead) {
  // As in another container, where the writer's id means nothing here.
  const TemporaryFolder folder;
  const fs::path path = folder.path() / ("a.tmp-" + std::to_string(dead_process()));
  {
    const AtomicFile holder(folder.path() / "b");
    fs::rename(holder.temporary(), path);
    BOOST_TEST(remove_stale_temporaries(folder.path()) == 0u);
    BOOST_TEST(fs::exists(path));
  }
  BOOST_TEST(remove_stale_temporaries(folder.path()) == 1u);
}

BOOST_AUTO_TEST_CASE(a_writer_killed_at_any_moment_leaves_the_old_or_the_new_folder) {
  const TemporaryFolder folder(test::in_memory());
  const fs::path path = folder.path() / "checkpoint";
  const auto publish = [&](int i) {
    AtomicDirectory directory(path);
    const std::string text(20000, static_cast<char>('a' + i % 26));
    for (const char* name : {"model", "optimizer", "state"}) {
      std::ofstream(directory.staging() / name) << text;
    }
    directory.commit();
  };
  // Long enough for a few rounds of the child's work, unless the machine is very busy.
  const auto start = std::chrono::steady_clock::now();
  publish(0);
  const auto once = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
  std::mt19937 random(5);
  std::uniform_int_distribution<std::int64_t> delay(
      0, std::min<std::int64_t>(5 * once.count() + 2000, 40'000));
  int seen = 0;
  for (int round = 0; round < 200; ++round) {
    // The first half starts without a folder, the second replaces one.
    if (round < 100) fs::remove_all(path);
    kill_while_working(publish, std::chrono::microseconds(delay(random)));
    if (fs::exists(path)) {
      ++seen;
      const std::string model = read_file(path / "model");
      BOOST_TEST_REQUIRE(model == std::string(20000, model.at(0)));
      BOOST_TEST_REQUIRE((read_file(path / "optimizer") == model));
      BOOST_TEST_REQUIRE((read_file(path / "state") == model));
    } else {
      BOOST_TEST_REQUIRE(round < 100);
    }
    (void)remove_stale_temporaries(folder.path());
    BOOST_TEST_REQUIRE(entries(folder.path()) == (fs::exists(path) ? 1 : 0));
    if (round == 99) publish(0);
  }
  BOOST_TEST(seen > 100);
}

BOOST_AUTO_TEST_CASE(a_writer_killed_at_any_moment_leaves_the_old_or_the_new_file) {
  const TemporaryFolder folder(test::in_memory());
  const fs::path path = folder.path() / "summary.json";
  write_atomically(path, std::string(20000, 'a'));
  const auto write = [&](int i) {
    write_atomically(path, std::string(20000, static_cast<char>('a' + i % 26)));
  };
  std::mt19937 random(6);
  std::uniform_int_distribution<int> delay(0, 4000);
  for (int round = 0; round < 100; ++round) {
    kill_while_working(write, std::chrono::microseconds(delay(random)));
    const std::string text = read_file(path);
    BOOST_TEST_REQUIRE((text == std::string(20000, text.at(0))));
    (void)remove_stale_temporaries(folder.path());
    BOOST_TEST_REQUIRE(entries(folder.path()) == 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::io
