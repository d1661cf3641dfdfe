#include "core/describe/plan_keys.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

std::string meaning(std::string_view section, std::string_view word) {
  const KeyMatch match = match_key(section, word);
  if (match.key != nullptr) return std::string(match.key->path);
  if (match.section != nullptr) return std::string(match.section->path) + ':';
  return "unknown";
}

BOOST_AUTO_TEST_SUITE(plan_keys)

BOOST_AUTO_TEST_CASE(edit_distance_counts_a_swap_once) {
  BOOST_TEST(edit_distance("", "") == 0);
  BOOST_TEST(edit_distance("abc", "") == 3);
  BOOST_TEST(edit_distance("", "abc") == 3);
  BOOST_TEST(edit_distance("kitten", "sitting") == 3);
  BOOST_TEST(edit_distance("seq_len", "seq_lne") == 1);
  BOOST_TEST(edit_distance("ab", "ba") == 1);
  // Optimal string alignment does not edit a swapped pair again; free edits would need 2.
  BOOST_TEST(edit_distance("ca", "abc") == 3);
}

BOOST_AUTO_TEST_CASE(canonical_keys_and_sections_are_found) {
  BOOST_TEST(meaning("training", "micro_batch_size") == "training.micro_batch_size");
  BOOST_TEST(meaning("", "training") == "training:");
  BOOST_TEST(meaning("training", "optimizer") == "training.optimizer:");
  BOOST_TEST(meaning("", "framework") == "framework");
  BOOST_TEST(meaning("", "training.optimizer.lr") == "training.optimizer.lr");
}

BOOST_AUTO_TEST_CASE(familiar_names_lead_to_the_canonical_key) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"batch_size", "training.micro_batch_size"},
      {"grad_accum_steps", "training.gradient_accumulation_steps"},
      {"max_seq_len", "training.seq_len"},
      {"max_seq_length", "training.seq_len"},
      {"sequence_len", "training.seq_len"},
      {"dtype", "training.precision"},
      {"bf16", "training.precision"},
      {"lr", "training.optimizer.lr"},
      {"learning_rate", "training.optimizer.lr"},
      {"weight_decay", "training.optimizer.weight_decay"},
      {"warmup_ratio", "training.lr_schedule.warmup_steps"},
      {"gradient_checkpointing", "training.activation_checkpointing"},
      {"enable_activation_checkpointing", "training.activation_checkpointing"},
      {"clip_grad_norm", "training.grad_clip_norm"},
      {"max_norm", "training.grad_clip_norm"},
      {"num_epochs", "training.epochs"},
      {"log_every_n_steps", "output.log_every"},
      {"logging_steps", "output.log_every"},
      {"save_interval", "output.save_every"},
      {"output_dir", "output.dir"},
      {"out_dir", "output.dir"},
      {"seed", "training.seed"},
      {"gpus", "hardware.count"},
  };
  for (const auto& [word, path] : cases) BOOST_TEST(meaning("", word) == path);
  BOOST_TEST(meaning("training", "lr") == "training.optimizer.lr");
  BOOST_TEST(meaning("training", "batch_size") == "training.micro_batch_size");
  BOOST_TEST(meaning("training.optimizer", "learning_rate") == "training.optimizer.lr");
  BOOST_TEST(meaning("", "optimizer") == "training.optimizer:");
  BOOST_TEST(meaning("", "training.lr") == "training.optimizer.lr");
}

BOOST_AUTO_TEST_CASE(words_do_not_wander_sideways) {
  BOOST_TEST(meaning("data", "lr") == "unknown");
  BOOST_TEST(meaning("model", "batch_size") == "unknown");
  BOOST_TEST(meaning("data", "dtype") == "data.dtype");
  BOOST_TEST(meaning("", "name") == "unknown");
  BOOST_TEST(meaning("training.optimizer", "seed") == "unknown");
}

BOOST_AUTO_TEST_CASE(match_says_how_the_key_was_written) {
  const KeyMatch moved = match_key("", "seed");
  BOOST_TEST(moved.moved);
  BOOST_TEST(moved.alias == nullptr);
  const KeyMatch renamed = match_key("training", "batch_size");
  BOOST_TEST(!renamed.moved);
  BOOST_TEST(renamed.alias->word == "batch_size");
}

BOOST_AUTO_TEST_CASE(near_misses_are_recognised) {
  BOOST_TEST(nearest_key("training", "micro_bacth_size") == "training.micro_batch_size");
  BOOST_TEST(nearest_key("training", "micro_batch") == "training.micro_batch_size");
  BOOST_TEST(nearest_key("training.optimizer", "lrr") == "training.optimizer.lr");
  BOOST_TEST(nearest_key("training", "lrr") == "training.optimizer.lr");
  BOOST_TEST(nearest_key("", "trianing") == "training");
  BOOST_TEST(nearest_key("", "modle") == "model");
  BOOST_TEST(nearest_key("", "training.seq_lne") == "training.seq_len");
  BOOST_TEST(nearest_key("training", "gradient_acumulation_step") ==
             "training.gradient_accumulation_steps");
  BOOST_TEST(nearest_key("model", "hiden_sizes") == "model.hidden_sizes");
  // Of two keys as near, the one in the same section.
  BOOST_TEST(nearest_key("data", "pth") == "data.path");
}

BOOST_AUTO_TEST_CASE(strangers_get_no_suggestion) {
  BOOST_TEST(nearest_key("training", "quantum_flux") == "");
  BOOST_TEST(nearest_key("", std::string(500, 'x')) == "");
  BOOST_TEST(nearest_key("", "") == "");
  BOOST_TEST(nearest_word("lion", choices<OptimizerKind>()) == "");
  BOOST_TEST(nearest_word("adanw", choices<OptimizerKind>()) == "adamw");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
