#include "trainer/batches.h"

#include "core/describe/error.h"
#include "core/describe/format.h"
#include "trainer/data/open_dataset.h"

namespace headroom::trainer {
namespace {

std::vector<BatchBuffers> ring_of(const Loader& loader,
                                  const std::vector<std::vector<void*>>& buffers) {
  std::vector<BatchBuffers> ring;
  const auto span = [](void* memory, Bytes size) {
    return std::span(static_cast<std::byte*>(memory), static_cast<std::size_t>(size.value()));
  };
  for (const std::vector<void*>& slot : buffers) {
    ring.push_back({.inputs = span(slot.at(0), loader.spec().input_bytes()),
                    .targets = span(slot.at(1), loader.spec().target_bytes())});
  }
  return ring;
}

std::unique_ptr<Loader> loader_of(const Plan& plan, const DataPart& part) {
  const BatchSpec spec = batch_spec(plan);
  std::unique_ptr<Dataset> dataset = open_dataset(plan.data, &spec, plan.training.seed);
  const SampleOrder order = default_order(dataset->info().kind);
  return std::make_unique<Loader>(
      std::move(dataset), spec,
      Sampler::Options{
          .seed = plan.training.seed,
          .order = order,
          .batch = spec.batch,
          .accumulation = part.evaluation ? 1 : plan.training.gradient_accumulation_steps},
      part);
}

}  // namespace

std::unique_ptr<Loader> make_loader(const Plan& plan) {
  return loader_of(plan, {.held_out = plan.data.held_out});
}

std::unique_ptr<Loader> make_evaluation_loader(const Plan& plan) {
  if (plan.training.eval_every == 0) return nullptr;
  return loader_of(plan, {.held_out = plan.data.held_out, .evaluation = true});
}

std::string data_description(const Loader& loader) {
  const DatasetInfo& info = loader.dataset().info();
  if (info.synthetic) return "synthetic: seeded random data, for measuring only";
  return info.path.filename().string() + " (" + info.format + ", " +
         format_counted(info.items, info.kind == DataKind::kTokens ? "token" : "row") + ')';
}

PrefetchedBatches::PrefetchedBatches(const Loader& loader,
                                     const std::vector<std::vector<void*>>& buffers,
                                     std::int64_t steps_done,
                                     std::int64_t end_step)
    : prefetcher_(loader, ring_of(loader, buffers), steps_done, end_step + 1) {}

void PrefetchedBatches::acquire(std::int64_t micro, int slot) {
  const Prefetcher::Batch batch = prefetcher_.acquire();
  if (batch.slot != static_cast<std::size_t>(slot)) {
    throw Error("batches: micro batch " + std::to_string(micro) + " is in slot " +
                std::to_string(batch.slot) + ", expected " + std::to_string(slot));
  }
}

void PrefetchedBatches::release(std::int64_t, int) { prefetcher_.release(); }

}  // namespace headroom::trainer
