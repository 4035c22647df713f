// What the cells of an experiment share: the schema, the workers, and corpora that were read once.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/split.h"
#include "framework/core/parallel.h"
#include "framework/core/products.h"
#include "framework/distributed/communicator.h"
#include "models/transformer.h"
#include "recipes/engine/config/recipe.h"
#include "recipes/engine/config/schema.h"
#include "recipes/engine/identity/identity.h"

namespace locus {

/// The schema with the options of every registered encoding.
const Schema& recipe_schema();

/// What a reader of results should know of the recipe's encoding: parameters that training does not reach.
std::vector<std::string> cautions_of(const Recipe& recipe);

/// A corpus and its splits.
struct LoadedData {
    Corpus corpus;
    Splits splits;
};

/// Its kind, and the hash of its model where it has one.
std::string name_of(const TokenizerIdentity& tokenizer);

/// Tokenizer, corpus and splits.
Identity identity_of(const LoadedData& data);

/// Whether two recipes mean the same corpus and splits.
bool same_text(const DataOptions& a, const DataOptions& b);

/// Keeps the workers, the ranks that work together, and the last corpus.
class Workbench {
  public:
    explicit Workbench(int threads, const Communicator& group = {}, GemmBackend backend = GemmBackend::own)
        : workers_(threads), group_(group), backend_(backend) {}

    Workers& workers() { return workers_; }
    const Communicator& group() const { return group_; }
    GemmBackend backend() const { return backend_; }  // of training's products

    /// The data of a recipe. Throws a data Error.
    const LoadedData& data(const DataOptions& options);

    /// What the building of a corpus from files has to say, once for each time that it was built.
    std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

  private:
    Workers workers_;
    Communicator group_;
    GemmBackend backend_;
    std::unique_ptr<LoadedData> data_;  // one: cells seldom differ in data
    DataOptions options_;               // what data_ was made from
    std::vector<std::string> notes_;
};

/// The model of a recipe with its initial values. Throws a usage Error where sizes do not fit, where the
/// positions of the training data lie beyond the encoding's table, or where the memory that is available
/// cannot hold the weights.
std::unique_ptr<Transformer> make_model(const Recipe& recipe);

/// The same for training. Throws a usage Error where the encoding does not read the positions of the recipe's
/// data: text has one axis; where its loss would leak through the mask; and where the available memory cannot
/// hold what training on so many threads takes.
std::unique_ptr<Transformer> make_trainable_model(const Recipe& recipe, int threads = 1);

}  // namespace locus
