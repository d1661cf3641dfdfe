#pragma once

#include "core/describe/plan.h"
#include "trainer/data/dataset.h"

#include <cstdint>
#include <memory>

namespace headroom::trainer {

/// Opens the data that a plan names, or makes the synthetic data that it asks for with `seed`.
///
/// With `data.format: auto` a file tells by its contents what it is (the NumPy and llm.c headers),
/// then by its ending (.csv .tsv .u8 .u16 .i32 .f32 .f64), then by reading as a table of numbers. A
/// headerless .bin is taken as 16-bit tokens (nanoGPT) when the model reads tokens. NumPy arrays
/// and raw files of whole numbers with one dimension are tokens, unless the model reads rows; of
/// more dimensions, the first counts rows and the others are flattened into columns. The last
/// `data.target_columns` columns are the targets: without that key as many as the model needs,
/// or 1.
///
/// `expected` is what the model takes in; without it (`headroom data info`) nothing is checked
/// against a model.
/// Errors: IoError when the file is missing or damaged; ConfigError when it cannot be told what the
/// file holds, or when plan, file and model disagree.
[[nodiscard]] std::unique_ptr<Dataset> open_dataset(const DataPlan& plan,
                                                    const BatchSpec* expected = nullptr,
                                                    std::uint64_t seed = 0);

}  // namespace headroom::trainer
