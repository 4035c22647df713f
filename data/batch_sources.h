// The kinds of batches that a recipe can train on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "data/options.h"
#include "data/split.h"
#include "framework/core/batch_source.h"
#include "framework/core/registry.h"

namespace locus {

/// Of the batches: sequences, tokens of each, and what they are drawn by.
struct BatchShape {
    Index sequences = 0, length = 0;
    std::uint64_t seed = 0;
};

/// What the registry holds of a kind. One file each in data/batch_kinds/, which registers itself.
struct BatchSourceEntry {
    std::string doc;  // one line
    /// The corpus under the split must live on.
    std::function<std::unique_ptr<BatchSource>(const Split& train, const DataOptions&, const BatchShape&)>
        make;
};

using BatchSourceRegistry = Registry<BatchSourceEntry>;

/// The source that the options name. Throws a usage or data Error where the split has no batches of this
/// shape.
std::unique_ptr<BatchSource> make_batch_source(const Split& train, const DataOptions& options,
                                               const BatchShape& shape);

}  // namespace locus
