#include "recipes/engine/run/drawn.h"

#include <cmath>

#include "data/batch_sources.h"
#include "framework/core/random.h"

namespace locus {

std::vector<Token> drawn_tokens(const Transformer& model, Index count, std::uint64_t index) {
    RandomStream stream(1, Purpose::verify, {index});
    std::vector<Token> tokens;
    for (Index i = 0; i < count; ++i)
        tokens.push_back(
            static_cast<Token>(stream.below(static_cast<std::uint64_t>(model.options().vocabulary))));
    return tokens;
}

Batch text_batch(const Transformer& model, const Recipe& recipe, std::vector<Token> tokens) {
    Batch batch = Batch::of_text(1, std::move(tokens));
    batch.positions = placed_text(model, recipe, batch.positions);
    return batch;
}

Batch drawn_batch(const Transformer& model, const Recipe& recipe, Index sequences, Index length) {
    std::vector<Token> targets = drawn_tokens(model, sequences * length, 6);
    for (std::size_t i = 0; i < targets.size(); i += 7) targets[i] = Batch::no_target;
    Batch batch = Batch::of_text(sequences, drawn_tokens(model, sequences * length, 5), std::move(targets));
    batch.positions = placed_text(model, recipe, batch.positions);
    return batch;
}

Positions placed_text(const Transformer& model, const Recipe& recipe, const Positions& text) {
    const auto columns =
        static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(trained_length(recipe)))));
    std::vector<std::int64_t> values;
    for (Index b = 0; b < text.batch(); ++b) {
        for (Index t = 0; t < text.length(); ++t) {
            const std::int64_t p = text(b, t);
            if (model.axes() == 2 && p != Positions::none)
                values.insert(values.end(), {p / columns, p % columns});
            else
                values.insert(values.end(), static_cast<std::size_t>(model.axes()), p);
        }
    }
    return Positions(text.batch(), text.length(), model.axes(), std::move(values));
}

DrawnSource::DrawnSource(const Transformer& model, const Recipe& recipe, Index sequences, Index length)
    : model_(model), recipe_(recipe) {
    Index tokens = 0;
    for (std::uint64_t document = 0; tokens < 2 * sequences * length; ++document) {
        const Index sizes[] = {length + 1, 2 + length / 3, 2 * length + 1, 2 + length / 2};
        texts_.push_back(drawn_tokens(model, sizes[document % 4], 100 + document));
        tokens += sizes[document % 4];
    }
    for (std::size_t d = 0; d < texts_.size(); ++d) {
        const std::string name = std::to_string(d);
        split_.documents.push_back({name, name, static_cast<Index>(d), texts_[d]});
    }
    DataOptions options = recipe.data;
    options.block = length;
    source_ = make_batch_source(split_, options, {sequences, length, recipe.train.seed});
}

void DrawnSource::fill(Index step, Batch& batch) const {
    source_->fill(step, batch);
    if (model_.axes() != batch.positions.axes())
        batch.positions = placed_text(model_, recipe_, batch.positions);
}

}  // namespace locus
