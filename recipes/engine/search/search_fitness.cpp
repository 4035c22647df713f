#include "recipes/engine/search/search_fitness.h"

#include <atomic>

#include "framework/distributed/rank_errors.h"
#include "recipes/engine/evaluation/score.h"
#include "recipes/engine/measure/plan.h"

namespace locus {

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

Index FixedWindows::tokens() const {
    Index tokens = 0;
    for (const Window& window : windows_) tokens += window.scored();
    return tokens;
}

std::vector<double> FixedWindows::nats(const Transformer& model) const {
    Workers one(1);
    ProgressCount silent(nullptr, 0);
    std::vector<double> nats(static_cast<std::size_t>(tokens()));
    score(model, split_.documents, windows_, nats, one, silent);
    return nats;
}

std::vector<double> spread(Workbench& bench, Index count, Index width,
                           const std::function<void(Index i, int worker, std::span<double> row)>& job) {
    const Communicator& group = bench.group();
    std::vector<double> rows(static_cast<std::size_t>(count * width));
    std::vector<Index> begins;
    for (int rank = 0; rank <= group.size(); ++rank) begins.push_back(count * rank / group.size() * width);
    const auto me = static_cast<std::size_t>(group.rank());
    std::atomic<Index> next = begins[me] / width;
    const Index end = begins[me + 1] / width;
    on_every_rank(group, [&] {
        bench.workers().run([&](int worker) {
            for (Index i = next++; i < end; i = next++)
                job(i, worker,
                    std::span(rows).subspan(static_cast<std::size_t>(i * width),
                                            static_cast<std::size_t>(width)));
        });
    });
    group.gather(std::span(rows), begins);
    return rows;
}

std::unique_ptr<Transformer> under_encoding(const Recipe& recipe, const Transformer& trained,
                                            const EncodingOptions& encoding) {
    Recipe changed = recipe;
    changed.encoding = encoding;
    auto model = make_model(changed);
    model->parameters().change(
        [&](const MutableTensor& values) { values.copy_from(trained.parameters().values()); });
    return model;
}

}  // namespace locus
