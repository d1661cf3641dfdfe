#pragma once

#include "core/describe/run_records.h"
#include "core/runtime/executor.h"

#include <string>
#include <utility>
#include <vector>

namespace headroom::trainer {

/// Follows what the operating system (CPU) or the driver (GPU) counts for this run, beside what
/// the ledger counts, and names the parts that are no tensors. A part is measured by marking the
/// moments before and after it came into being.
class MemoryWatch {
 public:
  /// `start` is the count before the device was opened.
  explicit MemoryWatch(Bytes start) : start_(start), last_(start) {}

  /// All growth since the previous mark belongs to `part`; parts of one name add up.
  void mark(const std::string& part, Bytes now);
  /// A part that came into being since the previous mark and that its owner has measured.
  void measured(const runtime::FixedPart& part) {
    add(part);
    last_ += part.bytes;
  }
  /// Growth since the previous mark that is tensors, or named already.
  void skip(Bytes now) { last_ = now; }
  void observe(Bytes now);

  /// The memory record of a run whose ledger has recorded a step.
  [[nodiscard]] MemoryRecord record(std::int64_t step,
                                    const runtime::Ledger& ledger,
                                    const runtime::Executor& executor) const;

 private:
  void add(const runtime::FixedPart& part);

  Bytes start_, last_, peak_;
  std::vector<std::pair<std::string, Bytes>> parts_;
};

}  // namespace headroom::trainer
