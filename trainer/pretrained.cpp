#include "trainer/pretrained.h"

#include "core/describe/convert.h"
#include "core/describe/error.h"
#include "core/io/safetensors.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace headroom::trainer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGpt2Prefix = "transformer.";
/// Elements converted at a time.
constexpr std::size_t kChunk = 1 << 20;

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw IoError(path.string() + " holds no .safetensors file");
  return files;
}

/// The bytes of `count` elements as f32.
void widen(DType dtype, const std::byte* from, std::size_t count, float* to) {
  const auto each = [&]<class T>() {
    const auto* values = reinterpret_cast<const T*>(from);
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(values[i]);
  };
  if (dtype == DType::kF32) return each.template operator()<float>();
  if (dtype == DType::kBf16) return each.template operator()<bf16>();
  if (dtype == DType::kF16) return each.template operator()<f16>();
  throw IoError("weights stored as " + std::string(name(dtype)) + " cannot be loaded");
}

void narrow(DType dtype, const float* from, std::size_t count, std::byte* to) {
  const auto each = [&]<class T>() {
    auto* values = reinterpret_cast<T*>(to);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(from[i]);
  };
  if (dtype == DType::kF32) return each.template operator()<float>();
  if (dtype == DType::kBf16) return each.template operator()<bf16>();
  if (dtype == DType::kF16) return each.template operator()<f16>();
  throw Error("parameters in " + std::string(name(dtype)) + " cannot be loaded");
}

bool is_mask(std::string_view name) {
  return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") ||
         name.ends_with(".rotary_emb.inv_freq");
}

/// Where every tensor of the model stands among the files.
class Checkpoint {
 public:
  explicit Checkpoint(const fs::path& path) : path_(path) {
    for (const fs::path& file : files_of(path)) {
      files_.push_back(std::make_unique<io::SafetensorsFile>(file));
      for (const io::StoredTensor& tensor : files_.back()->tensors()) {
        stored_[tensor.name] = {files_.back().get(), &tensor};
      }
    }
  }

  void load(const TensorInfo& info, TensorId into, runtime::Executor& executor) {
    const Place place = find(info);
    copy(*place.file, *place.tensor, executor.step().tensor(into).type, into, executor);
  }

  /// What nobody asked for.
  std::vector<std::string> check(const Step& step) {
    for (TensorId id : step.parameters) (void)find(step.tensor(id));
    return left_over();
  }

 private:
  struct Place {
    const io::SafetensorsFile* file = nullptr;
    const io::StoredTensor* tensor = nullptr;
  };

  /// The stored tensor of a parameter, checked.
  Place find(const TensorInfo& info) {
    const std::string name = to_string(info.name);
    auto found = stored_.find(name);
    if (found == stored_.end() && name.starts_with(kGpt2Prefix)) {
      found = stored_.find(name.substr(kGpt2Prefix.size()));
    }
    if (found == stored_.end()) throw IoError(path_.string() + ": tensor " + name + " is missing");
    const io::StoredTensor& tensor = *found->second.tensor;
    read_.insert(found->first);
    std::vector<std::int64_t> shape;
    for (const Dim& dim : info.type.shape) shape.push_back(dim.size);
    const bool readable =
        tensor.dtype == DType::kF32 || tensor.dtype == DType::kBf16 || tensor.dtype == DType::kF16;
    if (!readable || tensor.shape != shape) {
      throw IoError(path_.string() + ": tensor " + found->first + " (" + tensor.dtype_name +
                    ") is not the model's, which is " + to_string(info.type.shape) +
                    " in F32, BF16 or F16");
    }
    return found->second;
  }

  /// Errors: IoError for a tensor that no model of the kind leaves out.
  [[nodiscard]] std::vector<std::string> left_over() const {
    std::vector<std::string> names;
    for (const auto& [name, place] : stored_) {
      if (read_.contains(name)) continue;
      if (!is_mask(name) && name != "lm_head.weight") {
        throw IoError(path_.string() + ": the model has no tensor " + name);
      }
      names.push_back(name);
    }
    return names;
  }

  static void copy(const io::SafetensorsFile& file,
                   const io::StoredTensor& tensor,
                   const TensorType& type,
                   TensorId into,
                   runtime::Executor& executor) {
    const auto count = static_cast<std::size_t>(type.shape.numel());
    const auto from_size = static_cast<std::size_t>(size_of(*tensor.dtype));
    const auto to_size = static_cast<std::size_t>(size_of(type.dtype));
    std::vector<std::byte> stored(kChunk * from_size), rounded(kChunk * to_size);
    std::vector<float> values(kChunk);
    for (std::size_t begin = 0; begin < count; begin += kChunk) {
      const std::size_t n = std::min(kChunk, count - begin);
      file.read(tensor, std::span(stored).first(n * from_size), begin * from_size);
      std::span<const std::byte> result = std::span(stored).first(n * from_size);
      if (*tensor.dtype != type.dtype) {
        widen(*tensor.dtype, stored.data(), n, values.data());
        narrow(type.dtype, values.data(), n, rounded.data());
        result = std::span(rounded).first(n * to_size);
      }
      executor.write_tensor(into, begin * to_size, result);
    }
  }

  fs::path path_;
  std::vector<std::unique_ptr<io::SafetensorsFile>> files_;
  std::map<std::string, Place> stored_;
  std::set<std::string> read_;
};

}  // namespace

std::vector<std::string> load_pretrained(const fs::path& path, runtime::Executor& executor) {
  Checkpoint checkpoint(path);
  const Step& step = executor.step();
  std::vector<std::string> unused = checkpoint.check(step);
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    const TensorInfo& info = step.tensor(step.parameters[p]);
    checkpoint.load(info, step.parameters[p], executor);
    for (TensorId id : step.states[p]) {
      if (step.tensor(id).category == Category::kMasterParameters) {
        checkpoint.load(info, id, executor);
      }
    }
  }
  return unused;
}

void check_pretrained(const fs::path& path, const Step& step) {
  (void)Checkpoint(path).check(step);
}

}  // namespace headroom::trainer
