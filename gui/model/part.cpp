#include "gui/model/part.h"

#include "gui/model/text.h"

#include <array>

namespace headroom::gui {
namespace {

constexpr std::array<const char*, kPartCount> kMeanings = {
    "The weights that forward and backward compute with.",
    "Full-precision copies of the weights that the optimizer updates under mixed precision.",
    "One value per weight; they live from backward to the update, or through a whole step when "
    "micro batches are accumulated.",
    "What the optimizer keeps from step to step, beside the weights.",
    "Outputs of forward that backward reads again, and the tensors that flow between ops.",
    "Outputs of the last layer, and what the loss keeps of them.",
    "Short-lived results: the loss, partial sums, gradients of activations.",
    "Scratch memory that matrix products and reductions ask for while they run.",
    "Buffers for exchanging gradients and weights with other devices.",
    "Batches: one is computed on while the next one is loaded.",
    "The driver's context and loaded kernels; no tensor, and outside the allocator.",
    "Rounding of tensors to aligned sizes, and gaps that the layout leaves between them.",
};

}  // namespace

QString label(Part part) {
  if (part.is_packing()) return QStringLiteral("packing");
  return words(name(static_cast<Category>(part.index())));
}

QString meaning(Part part) { return QString::fromLatin1(kMeanings[part.index()]); }

}  // namespace headroom::gui
