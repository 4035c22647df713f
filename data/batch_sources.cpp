#include "data/batch_sources.h"

namespace locus {

std::unique_ptr<BatchSource> make_batch_source(const Split& train, const DataOptions& options,
                                               const BatchShape& shape) {
    return BatchSourceRegistry::instance().at(options.source).make(train, options, shape);
}

}  // namespace locus
