#include "estimator/reference_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace headroom::estimator {
namespace {

constexpr std::string_view kLlama1 =
    "LLaMA paper, table 15 (GPU-hours), by way of cli99/llm-analysis d841e40 README";
constexpr std::string_view kLlamaCards = "meta-llama/llama-models a9c89c4 model cards";

constexpr ReferenceRun six_np(std::string_view name,
                              int year,
                              double parameters,
                              double tokens,
                              double gpu_hours,
                              std::string_view gpu,
                              std::string_view source) {
  return {name,
          year,
          Flops(6 * parameters * tokens),
          Standing::kDerived,
          parameters,
          tokens,
          gpu_hours,
          gpu,
          source};
}

constexpr std::string_view kA100 = "a100-sxm-80gb", kH100 = "h100-sxm";

const std::array<ReferenceRun, 14>& runs() {
  static const std::array<ReferenceRun, 14> kRuns = [] {
    std::array<ReferenceRun, 14> all = {
        six_np("TinyLlama-1.1B (300B tokens)", 2023, 1.10e9, 0.3e12, 3456, "a100-sxm-40gb",
               "jzhang38/TinyLlama README"),
        six_np("LLaMA-7B", 2023, 6.74e9, 1e12, 82432, kA100, kLlama1),
        six_np("LLaMA-13B", 2023, 13.02e9, 1e12, 135168, kA100, kLlama1),
        six_np("LLaMA-33B", 2023, 32.53e9, 1.4e12, 530432, kA100, kLlama1),
        six_np("LLaMA-65B", 2023, 65.29e9, 1.4e12, 1022362, kA100, kLlama1),
        six_np("Llama-2-7B", 2023, 6.74e9, 2e12, 184320, kA100, kLlamaCards),
        six_np("Llama-2-13B", 2023, 13.02e9, 2e12, 368640, kA100, kLlamaCards),
        six_np("Llama-2-70B", 2023, 68.98e9, 2e12, 1720320, kA100, kLlamaCards),
        six_np("Llama-3.1-8B", 2024, 8.03e9, 15e12, 1.46e6, kH100, kLlamaCards),
        six_np("Llama-3.1-70B", 2024, 70.55e9, 15e12, 7.0e6, kH100, kLlamaCards),
        six_np("Llama-3.1-405B", 2024, 405.85e9, 15e12, 30.84e6, kH100, kLlamaCards),
        six_np("DeepSeek-V3 (37B active)", 2024, 37e9, 14.8e12, 2.664e6, "",
               "deepseek-ai/DeepSeek-V3 9b4e978 README; trained on H800"),
        ReferenceRun{"GPT-3", 2020, Flops(3.14e23), Standing::kPublished, 175e9, 300e9, 0, "",
                     "Brown et al. 2020, Language Models are Few-Shot Learners, table D.1"},
        ReferenceRun{"GPT-4 (estimate)", 2023, Flops(2e25), Standing::kUnchecked, 0, 0, 0, "",
                     "outside estimates (Epoch AI: about 2e25); OpenAI published nothing"},
    };
    std::sort(all.begin(), all.end(),
              [](const ReferenceRun& a, const ReferenceRun& b) { return a.flops < b.flops; });
    return all;
  }();
  return kRuns;
}

constexpr std::array<ReportingThreshold, 2> kThresholds = {{
    {"EU AI Act: presumed systemic risk", Flops(1e25), true,
     "general-purpose models trained with more than this are presumed to have high-impact "
     "capabilities",
     "Regulation (EU) 2024/1689, article 51(2)"},
    {"US Executive Order 14110: report to the government", Flops(1e26), false,
     "revoked on 20 January 2025",
     "Executive Order 14110 of 30 October 2023, section 4.2(b)(i); revoked by Executive Order "
     "14148"},
}};

std::string rounded(double number, const char* format) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

}  // namespace

std::span<const ReferenceRun> reference_runs() { return runs(); }
std::span<const ReportingThreshold> reporting_thresholds() { return kThresholds; }

RunScale compare_run(Flops run) {
  RunScale scale;
  if (run <= Flops(0)) return scale;
  double closest = 0;
  for (const ReferenceRun& reference : reference_runs()) {
    const double ratio = run.value() / reference.flops.value();
    const double distance = std::abs(std::log(ratio));
    if (scale.nearest == nullptr || distance < closest) {
      closest = distance;
      scale.nearest = &reference;
      scale.ratio = ratio;
    }
  }
  for (const ReportingThreshold& threshold : reporting_thresholds()) {
    if (run >= threshold.flops) scale.reached.push_back(&threshold);
  }
  return scale;
}

std::string to_string(const RunScale& scale) {
  if (scale.nearest == nullptr) return "no FLOPs to compare";
  const std::string ratio = scale.ratio < 1 ? rounded(100 * scale.ratio, "%.3g%% of ")
                                            : rounded(scale.ratio, "%.3g times ");
  std::string text = ratio + std::string(scale.nearest->name) + " (" +
                     rounded(scale.nearest->flops.value(), "%.3g") + " FLOPs)";
  if (scale.reached.empty()) return text + "; below every reporting threshold";
  for (const ReportingThreshold* threshold : scale.reached) {
    text += "; at or above " + rounded(threshold->flops.value(), "%.0e") + ", " +
            std::string(threshold->name);
    if (!threshold->in_force) text += " (" + std::string(threshold->note) + ')';
  }
  return text;
}

}  // namespace headroom::estimator
