#include "trainer/data/token_dataset.h"

#include "core/describe/error.h"
#include "core/describe/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace headroom::trainer {
namespace {

std::string where(const DatasetInfo& info) {
  return info.synthetic ? std::string("synthetic data") : info.path.string();
}

}  // namespace

TokenDataset::TokenDataset(DatasetInfo info,
                           std::unique_ptr<const MappedFile> file,
                           std::size_t offset)
    : info_(std::move(info)), file_(std::move(file)), tokens_(file_->bytes().data() + offset) {}

TokenDataset::TokenDataset(DatasetInfo info, std::vector<std::int32_t> tokens)
    : info_(std::move(info)), in_memory_(std::move(tokens)) {
  tokens_ = std::as_bytes(std::span(in_memory_)).data();
  info_.stored = ElementType::kI32;
  info_.items = static_cast<std::int64_t>(in_memory_.size());
  info_.in_memory = Bytes(static_cast<std::int64_t>(in_memory_.capacity() * sizeof(std::int32_t)));
}

std::vector<DatasetFact> TokenDataset::describe() const {
  std::vector<DatasetFact> result = facts(info_);
  visit_type(info_.stored, [&](auto tag) {
    using T = typename decltype(tag)::type;
    double smallest = as_double(load<T>(tokens_)), largest = smallest;
    for (std::int64_t i = 1; i < info_.items; ++i) {
      const double token = as_double(load<T>(tokens_ + i * static_cast<std::int64_t>(sizeof(T))));
      smallest = std::min(smallest, token);
      largest = std::max(largest, token);
    }
    result.push_back({"smallest token", fmt::format("{:.0f}", smallest)});
    result.push_back({"largest token", fmt::format("{:.0f}", largest)});
  });
  return result;
}

void TokenDataset::check(const BatchSpec& spec) const {
  std::vector<Problem> problems;
  if (spec.kind != DataKind::kTokens) {
    problems.push_back(
        {{},
         "data.path",
         fmt::format("{} holds tokens, but the model reads rows of {}", where(info_),
                     format_counted(spec.features, "feature")),
         "use a table (.csv, .npy with two dimensions) or a model that reads tokens"});
  } else if (info_.items <= spec.sequence_length) {
    problems.push_back({{},
                        "training.seq_len",
                        fmt::format("{} holds {}, but one sequence needs {}", where(info_),
                                    format_counted(info_.items, "token"), spec.sequence_length + 1),
                        "shorten seq_len or use more data"});
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

void TokenDataset::check_values(const BatchSpec& spec) const {
  std::int64_t bad = 0, first_bad = -1;
  double largest = 0, first = 0;
  visit_type(info_.stored, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t i = 0; i < info_.items; ++i) {
      const double token = as_double(load<T>(tokens_ + i * static_cast<std::int64_t>(sizeof(T))));
      largest = std::max(largest, token);
      if (token >= 0 && token < static_cast<double>(spec.classes)) continue;
      if (bad++ == 0) first_bad = i, first = token;
    }
  });
  if (bad == 0) return;
  throw ConfigError({Problem{
      {},
      "data.path",
      outside(first, first_bad, spec) +
          (bad > 1 ? fmt::format("; so are {} of {} tokens", bad, info_.items) : std::string()),
      "use a token file of the model's tokenizer, or a model with a vocabulary of at least " +
          fmt::format("{:.0f}", largest + 1)}});
}

std::string TokenDataset::outside(double token,
                                  std::int64_t position,
                                  const BatchSpec& spec) const {
  return fmt::format("token {:.0f} at position {} of {} is outside the model's vocabulary of {}",
                     token, position, where(info_), spec.classes);
}

std::int64_t TokenDataset::places(const BatchSpec& spec) const {
  return info_.items - spec.sequence_length;
}

std::int64_t TokenDataset::stride(const BatchSpec& spec) const { return spec.sequence_length; }

void TokenDataset::read(std::int64_t place,
                        std::int64_t sample,
                        const BatchSpec& spec,
                        const BatchBuffers& to) const {
  visit_type(info_.stored, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t length = spec.sequence_length;
    auto* inputs = reinterpret_cast<std::int32_t*>(to.inputs.data()) + sample * length;
    auto* targets = reinterpret_cast<std::int32_t*>(to.targets.data()) + sample * length;
    const std::byte* from = tokens_ + place * static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t t = 0; t <= length; ++t, from += sizeof(T)) {
      const double token = as_double(load<T>(from));
      if (token < 0 || token >= static_cast<double>(spec.classes)) {
        throw IoError(outside(token, place + t, spec));
      }
      const auto id = static_cast<std::int32_t>(token);
      if (t < length) inputs[t] = id;
      if (t > 0) targets[t - 1] = id;
    }
  });
}

void TokenDataset::check_unchanged() const {
  if (file_) file_->check_unchanged();
}

}  // namespace headroom::trainer
