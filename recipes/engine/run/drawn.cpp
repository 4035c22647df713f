#include "recipes/engine/run/drawn.h"

#include <cmath>

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

Batch drawn_batch(const Transformer& model, const Recipe& recipe, Index sequences, Index length) {
    Batch batch{sequences, length, drawn_tokens(model, sequences * length, 5),
                drawn_tokens(model, sequences * length, 6),
                placed_text(model, recipe, Positions::consecutive(length))};
    for (std::size_t i = 0; i < batch.targets.size(); i += 7) batch.targets[i] = Batch::no_target;
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

}  // namespace locus
