// Every mistake gets one clear message, the documented exit code, and leaves nothing behind.

#include "tests/cli/run_program.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>

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
  for (const char* command : {"estimate", "validate", "train"}) {
    check(headroom({command, "/nowhere/plan.yaml"}), 2, {"/nowhere/plan.yaml", "no such plan"});
  }
  const Files files;
  check(headroom({"estimate", files.folder.path().string()}), 2, {"is a folder, not a plan file"});
  files.plan(kGood);
  check(headroom({"estimate", files.folder.path().string()}), 2, {"the plan of this run is"});
  check(headroom({"estimate", files.plan(kGood), "hardware.gpu=nothing.yaml"}), 2,
        {"hardware.gpu", "nothing.yaml", "headroom bench -o"});
}

BOOST_AUTO_TEST_CASE(a_run_folder_without_its_plan) {
  const Files files;
  files.file("run.jsonl", "");
  check(headroom({"compare", files.folder.path().string()}), 1,
        {"plan.yaml is missing", "put the plan"});
}

BOOST_AUTO_TEST_CASE(a_run_log_that_is_damaged) {
  const Files files;
  files.plan(kGood);
  files.file("run.jsonl", "{\"type\":\"eval\",\"step\":3}\n{\"type\":\"eval\",\"step\":[}\n");
  const auto result = headroom({"compare", files.folder.path().string()});
  check(result, 1, {"run.jsonl:2: this record is damaged", "remove the line"});
  BOOST_TEST(!contains(result.err, "json.exception"));
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

const std::string kClassifier =
    "model: {type: mlp, input_size: 2, hidden_sizes: [4], output_size: 3, loss: cross_entropy}\n"
    "training: {micro_batch_size: 2, optimizer: {name: sgd, lr: 0.01}, max_steps: 2}\n";

BOOST_AUTO_TEST_CASE(class_numbers_that_the_model_does_not_have) {
  const Files files;
  files.file("data.csv", "1,2,0\n3,4,3\n5,6,4\n");
  const std::string plan = files.plan(kClassifier + "data: {path: data.csv}\noutput: {dir: " +
                                      (files.folder.path() / "runs").string() + "}\n");
  for (const auto& words : {std::vector<std::string>{"validate", plan},
                            {"train", plan, "--dry-run"},
                            {"train", plan}}) {
    check(headroom(words), 2,
          {"data.csv", "row 2, column 3", "holds 3, which is no class number from 0 to 2",
           "2 of 3 rows", "model.output_size to at least 5"});
    BOOST_TEST(files.empty_of_runs());
  }
  BOOST_TEST(headroom({"validate", plan, "model.output_size=5"}).code == 0);
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite) {
  const Files files;
  // Two rows of two inputs and one target; the last target is a NaN with its sign bit set.
  const std::vector<float> values = {1, 2, 0.5f, 3, 4, -std::numeric_limits<float>::quiet_NaN()};
  files.file("data.f32", {reinterpret_cast<const char*>(values.data()), values.size() * 4});
  const std::string plan = files.plan(
      "model: {type: mlp, input_size: 2, hidden_sizes: [4], output_size: 1, loss: mse}\n"
      "training: {micro_batch_size: 2, optimizer: {name: sgd, lr: 0.01}, max_steps: 2}\n"
      "data: {path: data.f32}\noutput: {dir: " +
      (files.folder.path() / "runs").string() + "}\n");
  for (const auto& words : {std::vector<std::string>{"validate", plan}, {"train", plan}}) {
    check(headroom(words), 1, {"row 2, column 3", "holds nan, which is no finite"});
    BOOST_TEST(files.empty_of_runs());
  }
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
  check(headroom({"list", "gpus", "dtypes"}), 2, {"dtypes", "one at a time"});
  check(headroom({"explain", "bf16", "f32"}), 2, {"f32", "one at a time"});
  check(headroom({"bench", "quickly"}), 2, {"quickly"});
  check(headroom({"help", "estimat"}), 2, {"did you mean estimate?"});
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

BOOST_AUTO_TEST_CASE(an_optimizer_given_in_words_names_the_key_of_the_file_it_rules_out) {
  const Files files;
  const std::string plan = files.plan(
      "model: {type: cruncher, dim: 8, num_layers: 2}\ntraining:\n  micro_batch_size: 4\n"
      "  max_steps: 2\n  optimizer: {name: adagrad, lr: 0.01, eps_inside_root: true}\n");
  for (const char* word : {"training.optimizer=adam", "training.optimizer.name=adam"}) {
    check(headroom({"estimate", plan, word}), 2,
          {"plan.yaml:5:", "training.optimizer.eps_inside_root", "it belongs to adagrad",
           std::string("is set by override 1 '") + word, "'~training.optimizer.eps_inside_root'"});
    BOOST_TEST(headroom({"estimate", plan, word, "~training.optimizer.eps_inside_root"}).code == 0);
  }
}

BOOST_AUTO_TEST_CASE(errors_take_one_line_each) {
  const Files files;
  const auto broken = headroom({"estimate", files.plan(kGood), "model.dim=4\n\x1b[31m8"});
  check(broken, 2, {"override 1 'model.dim=4\\n\\x1b[31m8'"});
  BOOST_TEST(lines(broken.err) == 1);
  BOOST_TEST(lines(headroom({"esti\nmate"}).err) == 1);
  BOOST_TEST(lines(headroom({"estimate", files.plan(kGood), "model.dim=-8"}).err) == 1);
  BOOST_TEST(lines(headroom({"estimate", "/nowhere/plan.yaml"}).err) == 1);
}

}  // namespace
}  // namespace headroom
