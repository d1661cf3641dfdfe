#pragma once

#include "core/describe/plan.h"
#include "core/runtime/device.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace headroom::trainer {

/// How the next token is drawn from what the model thinks of all tokens.
struct DrawOptions {
  double temperature = 1;  ///< 0: always the likeliest
  std::int64_t top_k = 0;  ///< only the k likeliest; 0: all
  std::uint64_t seed = 0;
};

/// Continues token sequences with a trained transformer. Every token runs the model over all that
/// it can see, in a window that is a power of two long (nothing is cached between tokens).
class TextGenerator {
 public:
  /// `checkpoint`: a folder of a run's checkpoints. Errors: ConfigError unless the plan's model
  /// reads tokens; IoError as load_parameters.
  TextGenerator(const Plan& plan, std::filesystem::path checkpoint, runtime::Device& device);
  ~TextGenerator();

  /// The token that follows; the last `context` ones count. Errors: Error for a token outside the
  /// vocabulary, or an empty sequence.
  [[nodiscard]] std::int32_t next(std::span<const std::int32_t> tokens, const DrawOptions& options);
  /// Most tokens that the model looks back on.
  [[nodiscard]] std::int64_t context() const;

 private:
  struct Window;
  Window& window_for(std::int64_t tokens);

  Plan plan_;
  std::filesystem::path checkpoint_;
  runtime::Device& device_;
  std::unique_ptr<Window> window_;
  std::uint64_t drawn_ = 0;
};

}  // namespace headroom::trainer
