#pragma once

#include "trainer/data/dataset.h"
#include "trainer/data/mapped_file.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace headroom::trainer {

/// A long line of token numbers, in a mapped file or in memory.
class TokenDataset final : public Dataset {
 public:
  /// `info` says how and how many tokens are stored from `offset` bytes into the file on.
  TokenDataset(DatasetInfo info, std::unique_ptr<const MappedFile> file, std::size_t offset);
  TokenDataset(DatasetInfo info, std::vector<std::int32_t> tokens);

  [[nodiscard]] const DatasetInfo& info() const override { return info_; }
  [[nodiscard]] std::vector<DatasetFact> describe() const override;
  void check(const BatchSpec& spec) const override;
  void check_values(const BatchSpec& spec) const override;
  /// Every start that leaves room for a sequence and the token after it.
  [[nodiscard]] std::int64_t places(const BatchSpec& spec) const override;
  [[nodiscard]] std::int64_t stride(const BatchSpec& spec) const override;
  void read(std::int64_t place,
            std::int64_t sample,
            const BatchSpec& spec,
            const BatchBuffers& to) const override;
  void check_unchanged() const override;

 private:
  [[nodiscard]] std::string outside(double token,
                                    std::int64_t position,
                                    const BatchSpec& spec) const;

  DatasetInfo info_;
  std::unique_ptr<const MappedFile> file_;
  std::vector<std::int32_t> in_memory_;
  const std::byte* tokens_ = nullptr;
};

}  // namespace headroom::trainer
