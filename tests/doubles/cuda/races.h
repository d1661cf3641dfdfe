#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headroom::cuda_double {

/// For each stream, the latest operation known to come before a point.
class Clock {
 public:
  [[nodiscard]] bool covers(std::uint32_t stream, std::uint64_t operation) const;
  void advance(std::uint32_t stream, std::uint64_t operation);
  void join(const Clock& other);

 private:
  std::map<std::uint32_t, std::uint64_t> latest_;
};

/// Bytes that an operation touches: `rows` pieces of `row_bytes`, `pitch` apart.
struct Extent {
  std::uintptr_t base = 0;
  std::size_t row_bytes = 0;
  std::size_t pitch = 0;
  std::size_t rows = 1;

  [[nodiscard]] std::uintptr_t end() const { return base + (rows - 1) * pitch + row_bytes; }
};

[[nodiscard]] Extent contiguous(const void* pointer, std::size_t bytes);
/// False only when the two share no byte; pieces are told apart when the pitches are equal.
[[nodiscard]] bool overlap(const Extent& a, const Extent& b);

struct Access {
  enum class Kind {
    kRead,
    kWrite,
    kArgument,  ///< a pointer handed to a kernel: read or written, extent unknown
  };
  Extent extent;
  Kind kind = Kind::kRead;
};

/// Finds conflicting accesses that nothing puts in order, from the order of issue alone; whether
/// the operations happened to run in a harmless order does not matter.
class RaceDetector {
 public:
  /// `clock` covers all that comes before the operation. Returns one line per race.
  std::vector<std::string> issue(std::uint32_t stream,
                                 std::uint64_t operation,
                                 const Clock& clock,
                                 const std::string& what,
                                 const std::vector<Access>& accesses);
  /// Forgets what the host has waited for.
  void forget(const Clock& host);
  void clear() { past_.clear(); }

 private:
  struct Past {
    std::uint32_t stream = 0;
    std::uint64_t operation = 0;
    std::string what;
    std::vector<Access> accesses;
  };
  std::vector<Past> past_;
};

}  // namespace headroom::cuda_double
