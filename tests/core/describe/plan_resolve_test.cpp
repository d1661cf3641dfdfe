#include "core/describe/plan_resolve.h"

#include "core/describe/plan_schema.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

/// A plan edited key by key, as the window does.
struct Draft {
  Plan plan;
  Origins given;

  Draft() {
    set("model.type", std::string("cruncher"));
    set("model.dim", std::int64_t{8});
    set("model.num_layers", std::int64_t{2});
    set("training.micro_batch_size", std::int64_t{4});
    set("training.optimizer.name", std::string("sgd"));
    set("training.max_steps", std::int64_t{10});
  }
  void set(const std::string& path, const KeyValue& value) {
    find_key(path)->access.set(plan, value);
    given[path] = {};
  }
  void unset(const std::string& path) { given.erase(path); }

  std::vector<std::string> problems(const BrokenKeys& broken = {}) {
    std::vector<std::string> texts;
    for (const Problem& problem : resolve(plan, given, broken)) texts.push_back(to_string(problem));
    return texts;
  }
  std::string problem() {
    const std::vector<std::string> all = problems();
    BOOST_REQUIRE_EQUAL(all.size(), 1u);
    return all.front();
  }
  void check_good() {
    for (const std::string& problem : problems()) BOOST_ERROR(problem);
  }
};

BOOST_AUTO_TEST_SUITE(plan_resolve)

/// The signatures of torch.optim in PyTorch 2.
BOOST_AUTO_TEST_CASE(optimizer_defaults_are_those_of_pytorch) {
  struct Expected {
    const char* name;
    double lr, weight_decay, eps, beta1, beta2, alpha;
  };
  for (const Expected& expected :
       {Expected{"sgd", 1e-3, 0, 0, 0, 0, 0}, Expected{"adagrad", 1e-2, 0, 1e-10, 0, 0, 0},
        Expected{"rmsprop", 1e-2, 0, 1e-8, 0, 0, 0.99},
        Expected{"adam", 1e-3, 0, 1e-8, 0.9, 0.999, 0},
        Expected{"adamw", 1e-3, 1e-2, 1e-8, 0.9, 0.999, 0}}) {
    Draft draft;
    draft.set("training.optimizer.name", std::string(expected.name));
    draft.check_good();
    const OptimizerPlan& optimizer = draft.plan.training.optimizer;
    BOOST_TEST(optimizer.lr == expected.lr);
    BOOST_TEST(optimizer.weight_decay == expected.weight_decay);
    BOOST_TEST(optimizer.eps == expected.eps);
    BOOST_TEST(optimizer.beta1 == expected.beta1);
    BOOST_TEST(optimizer.beta2 == expected.beta2);
    BOOST_TEST(optimizer.alpha == expected.alpha);
    BOOST_TEST(optimizer.momentum == 0.0);
  }
}

/// The notes add 1e-5 under the root.
BOOST_AUTO_TEST_CASE(adagrad_of_the_notes) {
  Draft draft;
  draft.set("training.optimizer.name", std::string("adagrad"));
  draft.set("training.optimizer.eps_inside_root", true);
  draft.check_good();
  BOOST_TEST(draft.plan.training.optimizer.eps == 1e-5);
}

BOOST_AUTO_TEST_CASE(defaults_follow_the_keys_they_depend_on) {
  Draft draft;
  draft.set("training.optimizer.name", std::string("adamw"));
  draft.check_good();
  BOOST_TEST(draft.plan.training.optimizer.weight_decay == 1e-2);
  draft.set("training.optimizer.name", std::string("sgd"));
  draft.check_good();
  BOOST_TEST(draft.plan.training.optimizer.weight_decay == 0.0);
  BOOST_TEST(draft.plan.training.optimizer.beta1 == 0.0);
  BOOST_TEST((draft.plan.model.init == Initialization::kFanInNormal));
  BOOST_TEST(draft.plan.data.target_columns == 1);
  BOOST_TEST(draft.plan.hardware.gpu == "h100-sxm");
  draft.set("hardware.device", std::string("cpu"));
  draft.check_good();
  BOOST_TEST(draft.plan.hardware.gpu == "");
}

BOOST_AUTO_TEST_CASE(an_mlp_starts_like_torch_linear) {
  Draft draft;
  for (const char* key : {"model.dim", "model.num_layers"}) draft.unset(key);
  draft.set("model.type", std::string("mlp"));
  draft.set("model.input_size", std::int64_t{5});
  draft.set("model.hidden_sizes", std::vector<std::int64_t>{4});
  draft.set("model.output_size", std::int64_t{3});
  draft.check_good();
  BOOST_TEST((draft.plan.model.init == Initialization::kTorchLinear));
  BOOST_TEST(draft.plan.data.target_columns == 3);
  draft.set("data.target_columns", std::int64_t{2});
  BOOST_TEST(draft.problem().find("data.target_columns: 2 targets per sample, but the model "
                                  "compares with 3") == 0u);
}

BOOST_AUTO_TEST_CASE(resolving_twice_changes_nothing) {
  Draft draft;
  draft.set("parallel.tensor", std::int64_t{2});
  draft.check_good();
  const Plan once = draft.plan;
  draft.check_good();
  BOOST_TEST((draft.plan == once));
}

BOOST_AUTO_TEST_CASE(clipping_turns_the_fused_update_off) {
  Draft draft;
  draft.check_good();
  BOOST_TEST(draft.plan.training.optimizer_in_backward);
  draft.set("training.grad_clip_norm", 1.0);
  draft.check_good();
  BOOST_TEST(!draft.plan.training.optimizer_in_backward);
  draft.set("training.optimizer_in_backward", true);
  BOOST_TEST(draft.problem().find("training.optimizer_in_backward: cannot be true while "
                                  "grad_clip_norm is above 0") == 0u);
}

BOOST_AUTO_TEST_CASE(gpus_and_ranks_fill_each_other_in) {
  Draft draft;
  draft.set("hardware.count", std::int64_t{16});
  draft.set("parallel.tensor", std::int64_t{4});
  draft.check_good();
  BOOST_TEST(draft.plan.parallel.data == 4);
  draft.unset("hardware.count");
  draft.set("parallel.data", std::int64_t{3});
  draft.check_good();
  BOOST_TEST(draft.plan.hardware.count == 12);
  draft.set("hardware.count", std::int64_t{16});
  BOOST_TEST(draft.problem().find("hardware.count: 16 GPUs, but data x tensor x pipeline x context "
                                  "is 12") == 0u);
}

BOOST_AUTO_TEST_CASE(more_gpus_than_can_be_counted) {
  Draft draft;
  for (const char* key :
       {"parallel.data", "parallel.tensor", "parallel.pipeline", "parallel.context"}) {
    draft.set(key, std::int64_t{1048576});
  }
  BOOST_TEST(draft.problem().find("hardware.count: ") == 0u);
  draft.set("parallel.pipeline", std::int64_t{1});
  draft.set("parallel.context", std::int64_t{1});
  BOOST_TEST(draft.problem().find("is too large") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(missing_keys_say_what_they_are) {
  Draft draft;
  draft.unset("training.micro_batch_size");
  BOOST_TEST(draft.problem() ==
             "training.micro_batch_size: is missing (Samples B that one device takes through "
             "forward and backward at once; at least 1, at most 2^40)");
}

BOOST_AUTO_TEST_CASE(exactly_one_run_length) {
  Draft draft;
  draft.unset("training.max_steps");
  BOOST_TEST(draft.problem() ==
             "training.max_steps: is missing: nothing says how long to train (give exactly one of "
             "max_steps or epochs)");
  draft.set("training.epochs", 2.0);
  draft.check_good();
  BOOST_TEST(!draft.plan.training.max_steps.has_value());
  draft.set("training.max_steps", std::int64_t{5});
  BOOST_TEST(draft.problem() ==
             "training.epochs: cannot be given together with training.max_steps (keep exactly one "
             "of max_steps, max_tokens, epochs)");
}

BOOST_AUTO_TEST_CASE(keys_that_do_not_apply_say_why) {
  const auto complaint = [](const std::string& key, const KeyValue& value) {
    Draft draft;
    draft.set(key, value);
    return draft.problem();
  };
  BOOST_TEST(complaint("training.seq_len", std::int64_t{8}) ==
             "training.seq_len: does not apply here: only models that read tokens have it; "
             "cruncher reads whole samples (remove it)");
  BOOST_TEST(complaint("model.bias", true) ==
             "model.bias: does not apply here: only models of type mlp have it; this one is "
             "cruncher (remove it)");
  BOOST_TEST(complaint("training.optimizer.betas", std::vector<double>{0.9, 0.9}) ==
             "training.optimizer.betas: does not apply here: it belongs to adam, adamw; the "
             "optimizer is sgd (remove it)");
  for (const char* key :
       {"training.lr_schedule.min_lr", "training.optimizer.alpha", "training.optimizer.eps"}) {
    BOOST_TEST(complaint(key, 1e-6).find("does not apply here") != std::string::npos, key);
  }
  for (const char* key : {"training.optimizer.centered", "training.optimizer.eps_inside_root",
                          "parallel.sequence_parallel"}) {
    BOOST_TEST(complaint(key, true).find("does not apply here") != std::string::npos, key);
  }
  for (const char* key : {"training.activation_checkpointing.every", "parallel.virtual_stages",
                          "training.max_tokens"}) {
    Draft draft;
    draft.set(key, std::int64_t{2});
    BOOST_TEST(draft.problems().front().find("does not apply here") != std::string::npos, key);
  }
  BOOST_TEST(complaint("training.attention", std::string("flash")).find("have no attention") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(nesterov_needs_momentum) {
  Draft draft;
  draft.set("training.optimizer.nesterov", true);
  BOOST_TEST(draft.problem().find("needs momentum above 0 and dampening 0") != std::string::npos);
  draft.set("training.optimizer.momentum", 0.9);
  draft.check_good();
  draft.set("training.optimizer.dampening", 0.1);
  BOOST_TEST(draft.problems().size() == 1u);
}

BOOST_AUTO_TEST_CASE(schedules_must_make_sense) {
  Draft draft;
  draft.set("training.lr_schedule.name", std::string("cosine"));
  draft.set("training.lr_schedule.min_lr", 0.5);
  BOOST_TEST(draft.problem().find("0.5 is above the learning rate 0.001") != std::string::npos);
  draft.set("training.lr_schedule.min_lr", 1e-3);
  draft.set("training.lr_schedule.warmup_steps", std::int64_t{10});
  draft.check_good();
  draft.set("training.lr_schedule.warmup_steps", std::int64_t{11});
  BOOST_TEST(draft.problem().find("11 is more than the run's 10 steps") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(raw_data_needs_its_dtype_and_other_data_refuses_one) {
  Draft draft;
  draft.set("data.path", std::string("x.bin"));
  draft.set("data.format", std::string("bin"));
  BOOST_TEST(draft.problem() ==
             "data.dtype: is missing: a raw binary file does not say its number format (one of u8, "
             "u16, i32, f32)");
  draft.set("data.dtype", std::string("u16"));
  draft.check_good();
  BOOST_TEST((draft.plan.data.dtype == DType::kU16));
  draft.set("data.format", std::string("npy"));
  BOOST_TEST(draft.problem().find("files of format npy say their own dtype") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(synthetic_data_has_no_path) {
  Draft draft;
  draft.set("data.synthetic", true);
  draft.check_good();
  draft.set("data.path", std::string("x.csv"));
  BOOST_TEST(draft.problem() ==
             "data.path: does not apply here: synthetic data has no file (remove it)");
}

BOOST_AUTO_TEST_CASE(runs_need_data_and_estimates_do_not) {
  Draft draft;
  draft.check_good();
  BOOST_REQUIRE(problems_before_training(draft.plan).size() == 1u);
  BOOST_TEST(problems_before_training(draft.plan)[0].key == "data.path");
  draft.set("data.synthetic", true);
  draft.check_good();
  BOOST_TEST(problems_before_training(draft.plan).empty());
}

BOOST_AUTO_TEST_CASE(what_depends_on_a_broken_key_is_not_judged) {
  Draft draft;
  draft.unset("model.type");
  draft.unset("model.dim");
  draft.set("model.bias", true);
  draft.set("training.optimizer.betas", std::vector<double>{0.9, 0.9});
  const auto problems = draft.problems({"model.type", "training.optimizer.name"});
  for (const std::string& problem : problems) BOOST_ERROR(problem);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
