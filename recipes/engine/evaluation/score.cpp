#include "recipes/engine/evaluation/score.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "data/positions.h"
#include "framework/distributed/rank_errors.h"
#include "framework/nn/step_scope.h"

namespace locus {

void ProgressCount::add(Index tokens) {
    std::lock_guard lock(mutex_);
    done_ += tokens;
    if (report_) report_(done_, total_);
}

namespace {

constexpr Index tokens_of_a_pass = 1024;  // rows enough for BLAS; more would leave the cache

/// Windows of equal length that share a forward pass.
struct WindowGroup {
    std::vector<const Window*> windows;
    Positions positions;  // where they do not depend on the window

    Index sequences() const { return static_cast<Index>(windows.size()); }
    Index length() const { return windows.front()->inputs; }
};

/// Long windows come first, so that no worker is left alone with one at the end.
std::vector<WindowGroup> make_passes(std::span<const Window> windows) {
    std::map<Index, std::vector<const Window*>, std::greater<>> by_length;
    for (const Window& window : windows) by_length[window.inputs].push_back(&window);
    std::vector<WindowGroup> passes;
    for (const auto& [length, all] : by_length) {
        const Positions positions = Positions::consecutive(length);
        const auto step = static_cast<std::size_t>(std::max<Index>(1, tokens_of_a_pass / length));
        for (std::size_t i = 0; i < all.size(); i += step) {
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(i);
            const auto last = first + static_cast<std::ptrdiff_t>(std::min(step, all.size() - i));
            passes.push_back({{first, last}, positions});
        }
    }
    return passes;
}

// Drawn for each window by itself, so that it does not matter which windows share a pass.
Positions drawn_positions(const WindowGroup& pass, std::span<const SplitDocument> documents,
                          const PositionOptions& options) {
    std::vector<std::int64_t> all;
    for (const Window* window : pass.windows) {
        const Index document = documents[static_cast<std::size_t>(window->document)].index;
        const auto own = evaluation_positions(options, document, window->start, window->inputs);
        all.insert(all.end(), own.begin(), own.end());
    }
    return Positions(pass.sequences(), pass.length(), 1, std::move(all));
}

Batch make_batch(const WindowGroup& group, std::span<const SplitDocument> documents,
                 const PositionOptions& options) {
    std::vector<Token> tokens, targets;
    for (const Window* window : group.windows) {
        const auto text = documents[static_cast<std::size_t>(window->document)].tokens;
        const auto inputs = text.begin() + window->start;
        tokens.insert(tokens.end(), inputs, inputs + window->inputs);
        targets.insert(targets.end(), static_cast<std::size_t>(window->first), Batch::no_target);
        targets.insert(targets.end(), inputs + window->first + 1, inputs + window->inputs + 1);
    }
    Batch batch = Batch::of_text(group.sequences(), std::move(tokens), std::move(targets));
    batch.positions = options.kind == PositionKind::randomized ? drawn_positions(group, documents, options)
                                                               : group.positions;
    return batch;
}

void run(const Transformer& model, const WindowGroup& group, const Batch& batch, Index frequency_length,
         std::vector<double>& nats) {
    const Loss loss = model.loss(batch, {.frequency_length = frequency_length, .keep_each = true});
    for (Index s = 0; s < group.sequences(); ++s) {
        const Window& window = *group.windows[static_cast<std::size_t>(s)];
        std::copy_n(loss.each.begin() + s * batch.length + window.first, window.scored(),
                    nats.begin() + window.slot);
    }
}

// The passes of a rank: as they are sorted by length, every n-th gives all ranks about the same work.
std::vector<const WindowGroup*> passes_of(const std::vector<WindowGroup>& passes, int rank, int ranks) {
    std::vector<const WindowGroup*> own;
    for (auto i = static_cast<std::size_t>(rank); i < passes.size(); i += static_cast<std::size_t>(ranks))
        own.push_back(&passes[i]);
    return own;
}

// Calls visit(first slot, number of slots) for what a pass scores.
template <typename Visit>
void each_run_of_slots(const WindowGroup& pass, Visit visit) {
    for (const Window* window : pass.windows) visit(window->slot, window->scored());
}

// Every rank gets the losses that the others worked out, bit for bit.
void gather_losses(const std::vector<WindowGroup>& passes, const Communicator& group,
                   std::vector<double>& nats) {
    if (group.alone()) return;
    std::vector<double> packed;
    std::vector<Index> begins = {0};
    for (int rank = 0; rank < group.size(); ++rank) {
        for (const WindowGroup* pass : passes_of(passes, rank, group.size())) {
            each_run_of_slots(*pass, [&](Index slot, Index count) {
                packed.insert(packed.end(), nats.begin() + slot, nats.begin() + slot + count);
            });
        }
        begins.push_back(static_cast<Index>(packed.size()));
    }
    group.gather(std::span(packed), begins);
    auto next = packed.begin();
    for (int rank = 0; rank < group.size(); ++rank) {
        for (const WindowGroup* pass : passes_of(passes, rank, group.size())) {
            each_run_of_slots(*pass, [&](Index slot, Index count) {
                std::copy_n(next, count, nats.begin() + slot);
                next += count;
            });
        }
    }
}

}  // namespace

void score(const Transformer& model, std::span<const SplitDocument> documents,
           std::span<const Window> windows, std::vector<double>& nats, Workers& workers,
           ProgressCount& progress, const PositionOptions& positions, const Communicator& group) {
    const std::vector<WindowGroup> passes = make_passes(windows);
    const std::vector<const WindowGroup*> own = passes_of(passes, group.rank(), group.size());
    std::atomic<std::size_t> next = 0;
    Index tokens = 0;  // of all ranks
    for (const Window& window : windows) tokens += window.inputs;
    const auto work = [&](int) {
        StepSpace space;
        try {
            for (std::size_t i = next++; i < own.size(); i = next++) {
                const Batch batch = make_batch(*own[i], documents, positions);
                const Index reach = positions.kind == PositionKind::randomized ? positions.max_position : 0;
                {
                    const StepScope scope(space);
                    run(model, *own[i], batch, reach, nats);
                }
                progress.add(batch.sequences * batch.length);
            }
        } catch (...) {
            next = own.size();  // the other workers stop after the pass that they are in
            throw;
        }
    };
    on_every_rank(group, [&] { workers.run(work); });
    gather_losses(passes, group, nats);
    for (const WindowGroup* pass : own) tokens -= pass->sequences() * pass->length();
    if (!group.alone()) on_every_rank(group, [&] { progress.add(tokens); });
}

TokenSum split_loss(const Transformer& model, const Split& split, Index length, Workers& workers,
                    const PositionOptions& positions, const Communicator& group) {
    std::vector<Window> windows;
    TokenSum sum;
    for (std::size_t d = 0; d < split.documents.size(); ++d) {
        const auto tokens = static_cast<Index>(split.documents[d].tokens.size());
        const auto cut = sliding_windows(static_cast<Index>(d), tokens, length, length, sum.tokens);
        windows.insert(windows.end(), cut.begin(), cut.end());
        sum.tokens += std::max<Index>(0, tokens - 1);
    }
    ProgressCount silent(nullptr, 0);
    std::vector<double> nats(static_cast<std::size_t>(sum.tokens));
    score(model, split.documents, windows, nats, workers, silent, positions, group);
    for (const double each : nats) sum.nats += each;
    return sum;
}

}  // namespace locus
