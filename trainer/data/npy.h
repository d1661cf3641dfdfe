#pragma once

#include "trainer/data/element_type.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace headroom::trainer {

/// What the header of a NumPy `.npy` file says, checked against the file's size.
struct NpyLayout {
  ElementType type = ElementType::kF32;
  std::vector<std::int64_t> shape;  ///< empty: a single number
  std::size_t data_offset = 0;
};

/// Whether the file begins as every `.npy` file does.
[[nodiscard]] bool is_npy(std::span<const std::byte> file);

/// Reads the header of a `.npy` file, versions 1 to 3, C order, little-endian.
/// Errors: IoError saying what is wrong in `path`: no header, a damaged or cut one, Fortran order,
/// big-endian or structured values, data shorter or longer than the header says.
/// Source: NumPy Enhancement Proposal 1, and numpy.lib.format for versions 2 and 3.
[[nodiscard]] NpyLayout read_npy_layout(std::span<const std::byte> file,
                                        const std::filesystem::path& path);

}  // namespace headroom::trainer
