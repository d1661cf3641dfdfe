#include "core/describe/category.h"

namespace headroom {
namespace {

constexpr std::array<std::string_view, kCategoryCount> kCategoryNames = {
    "parameters",  "master_parameters", "gradients",     "optimizer_state", "activations", "logits",
    "temporaries", "workspace",         "communication", "inputs",          "context"};
constexpr std::array<std::string_view, kPhaseCount> kPhaseNames = {"init", "forward", "loss",
                                                                   "backward", "optimizer"};

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Category category) {
  return kCategoryNames[static_cast<std::size_t>(category)];
}
std::string_view name(Phase phase) { return kPhaseNames[static_cast<std::size_t>(phase)]; }
std::optional<Category> category_from_name(std::string_view name) {
  return find<Category>(kCategoryNames, name);
}
std::optional<Phase> phase_from_name(std::string_view name) {
  return find<Phase>(kPhaseNames, name);
}

}  // namespace headroom
