#include "recipes/engine/search_fitness.h"

#include "recipes/engine/evaluate_plan.h"
#include "recipes/engine/score.h"

namespace locus::inline LOCUS_SCALAR {

FixedWindows::FixedWindows(const Split& split, bool contiguous, Index length, Index count) : split_(split) {
    std::vector<Window> all;
    for (std::size_t d = 0; d < split.documents.size(); ++d) {
        const auto tokens = static_cast<Index>(split.documents[d].tokens.size());
        const auto cut = full_windows(static_cast<Index>(d), tokens, length, length);
        all.insert(all.end(), cut.begin(), cut.end());
    }
    const auto found = static_cast<Index>(all.size()), taken = std::min(found, count);
    std::vector<Index> keys;
    for (Index i = 0; i < taken; ++i) {
        Window window = all[static_cast<std::size_t>(i * found / taken)];
        window.slot = i * length;
        windows_.push_back(window);
        const Index key = contiguous ? window.start / bootstrap_block : window.document;
        keys.insert(keys.end(), static_cast<std::size_t>(window.scored()), key);
    }
    if (!keys.empty()) clusters_ = make_clusters(keys, contiguous ? "blocks" : "documents");
}

std::vector<double> FixedWindows::nats(const Transformer& model) const {
    Workers one(1);
    ProgressCount silent(nullptr, 0);
    Index slots = 0;
    for (const Window& window : windows_) slots += window.scored();
    return score(model, split_.documents, windows_, slots, one, silent);
}

std::unique_ptr<Transformer> under_encoding(const Recipe& recipe, const Transformer& trained,
                                            const EncodingOptions& encoding) {
    Recipe changed = recipe;
    changed.encoding = encoding;
    auto model = make_model(changed);
    model->parameters().values().copy_from(trained.parameters().values());
    model->parameters().touch();
    return model;
}

}  // namespace locus::inline LOCUS_SCALAR
