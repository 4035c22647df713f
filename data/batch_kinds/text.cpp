#include "data/batch_sources.h"
#include "data/batches.h"

namespace locus {

namespace {

const bool text_registered = BatchSourceRegistry::instance().add(
    "text", {.doc = "documents in windows, in an order drawn by the seed",
             .make = [](const Split& train, const DataOptions& options, const BatchShape& shape) {
                 return std::make_unique<TrainingOrder>(train, options.block, shape.length, shape.sequences,
                                                        shape.seed, options.positions);
             }});

}  // namespace

}  // namespace locus
