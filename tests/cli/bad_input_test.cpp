// Every mistake gets one clear message, the documented exit code, and leaves nothing behind.

#include "tests/cli/run_program.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace headroom {
namespace {

using test::headroom;
using test::ProgramResult;

struct Files {
  test::TemporaryFolder folder;
  std::string plan(const std::string& text) const {
    const auto path = folder.path() / "plan.yaml";
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::string file(const std::string& name, const std::string& bytes) const {
    const auto path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  [[nodiscard]] bool empty_of_runs() const {
    return !std::filesystem::exists(folder.path() / "runs");
  }
};

const std::string kGood =
    "model: {type: cruncher, dim: 8, num_layers: 2}\n"
    "training: {micro_batch_size: 4, optimizer: {name: sgd, lr: 0.01}, max_steps: 2}\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

void check(const ProgramResult& result, int code, const std::vector<std::string>& parts) {
  BOOST_TEST(result.code == code);
  BOOST_TEST(result.out.empty());
  for (const std::string& part : parts) {
    BOOST_TEST(contains(result.err, part), "expected `" << part << "` in: " << result.err);
  }
}

BOOST_AUTO_TEST_CASE(an_empty_plan) {
  const Files files;
  check(headroom({"estimate", files.plan("")}), 2, {"plan.yaml", "empty"});
}

BOOST_AUTO_TEST_CASE(a_missing_plan) {
  check(headroom({"estimate", "/nowhere/plan.yaml"}), 1, {"/nowhere/plan.yaml"});
}

BOOST_AUTO_TEST_CASE(three_unknown_keys_are_reported_at_once_with_the_nearest_ones) {
  const Files files;
  const auto result = headroom(
      {"estimate", files.plan("model: {type: cruncher, dim: 8, num_layer: 2}\n"
                              "training: {micro_batch_sise: 4, optimizer: {name: sgd, lr: 0.01}, "
                              "max_steps: 2}\noutptu: {dir: x}\n")});
  check(result, 2,
        {"plan.yaml:1:", "num_layer", "num_layers", "plan.yaml:2:", "micro_batch_sise",
         "micro_batch_size", "plan.yaml:3:1", "outptu", "output"});
}

BOOST_AUTO_TEST_CASE(negative_sizes) {
  const Files files;
  check(headroom({"estimate", files.plan(kGood), "model.dim=-8"}), 2, {"model.dim", "-8"});
}

BOOST_AUTO_TEST_CASE(sizes_that_no_machine_has) {
  const Files files;
  check(headroom({"estimate", files.plan(kGood), "model.dim=1000000000000000000"}), 2,
        {"model.dim"});
  // Each size is possible, their product is not.
  check(headroom({"estimate", files.plan(kGood), "model.dim=4000000000"}), 2, {"larger than any"});
}

BOOST_AUTO_TEST_CASE(a_word_where_a_number_belongs) {
  const Files files;
  check(headroom({"estimate", files.plan(kGood), "training.micro_batch_size=many"}), 2,
        {"training.micro_batch_size", "many"});
}

BOOST_AUTO_TEST_CASE(broken_yaml) {
  const Files files;
  check(headroom({"estimate", files.plan("model: {type: cruncher\ntraining: [")}), 2,
        {"plan.yaml:"});
}

BOOST_AUTO_TEST_CASE(a_missing_data_file) {
  const Files files;
  const auto result =
      headroom({"train", files.plan(kGood + "data: {path: nothing.csv}\noutput: {dir: " +
                                    (files.folder.path() / "runs").string() + "}\n")});
  check(result, 1, {"nothing.csv"});
  BOOST_TEST(files.empty_of_runs());
}

BOOST_AUTO_TEST_CASE(a_truncated_npy_file) {
  const Files files;
  files.file("data.npy", std::string("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fort", 28));
  const auto result =
      headroom({"train", files.plan(kGood + "data: {path: data.npy}\noutput: {dir: " +
                                    (files.folder.path() / "runs").string() + "}\n")});
  check(result, 1, {"data.npy"});
  BOOST_TEST(files.empty_of_runs());
}

BOOST_AUTO_TEST_CASE(data_of_another_width) {
  const Files files;
  files.file("data.csv", "1,2,3\n4,5,6\n");
  const auto result = headroom({"validate", files.plan(kGood + "data: {path: data.csv}\n")});
  check(result, 2, {"data.csv"});
}

BOOST_AUTO_TEST_CASE(an_unknown_gpu_command_and_option) {
  const Files files;
  check(headroom({"estimate", files.plan(kGood), "--gpu", "h1000-sxm"}), 2, {"h100-sxm"});
  check(headroom({"estimat"}), 2, {"did you mean estimate?"});
  check(headroom({"estimate", files.plan(kGood), "--jsn"}), 2, {"--jsn", "--json"});
  check(headroom({"explain", "micro_batch_sizes"}), 2, {"micro_batch_size"});
  check(headroom({"list", "gpu"}), 2, {"gpus"});
}

BOOST_AUTO_TEST_CASE(cuda_without_a_gpu_says_what_is_missing) {
  const Files files;
  // The backend library named here does not exist, whatever this build contains.
  ::setenv("HEADROOM_CUDA_BACKEND", "/nowhere/libheadroom_cuda.so", 1);
  const auto result = headroom({"train", files.plan(kGood + "data: {synthetic: true}\n"),
                                "hardware.device=cuda", "hardware.gpu=h100-sxm"});
  ::unsetenv("HEADROOM_CUDA_BACKEND");
  check(result, 1, {"hardware.device is cuda", "/nowhere/libheadroom_cuda.so"});
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_no_run) {
  const Files files;
  check(headroom({"compare", files.folder.path().string()}), 1, {"not a run folder"});
  check(headroom({"compare"}), 2, {"compare what?"});
}

BOOST_AUTO_TEST_CASE(errors_take_one_line_each) {
  const Files files;
  BOOST_TEST(lines(headroom({"estimate", files.plan(kGood), "model.dim=-8"}).err) == 1);
  BOOST_TEST(lines(headroom({"estimate", "/nowhere/plan.yaml"}).err) == 1);
}

}  // namespace
}  // namespace headroom
