#include "recipes/engine/evaluation/evaluate_plan.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "framework/core/error.h"
#include "recipes/engine/evaluation/targets.h"

namespace locus {

namespace {

Index size_of(const SplitDocument& document) {
    return static_cast<Index>(document.tokens.size());
}

Index longest_document(const Split& split) {
    Index longest = 0;
    for (const SplitDocument& document : split.documents) longest = std::max(longest, size_of(document));
    return longest;
}

/// Adds documents[d].tokens[index] to what is scored; tokens with one key are drawn together.
struct TokenList {
    const Split& split;
    TokenLosses& losses;
    std::vector<Index> document_keys, block_keys;

    Index count() const { return static_cast<Index>(losses.index.size()); }

    void add(std::size_t d, Index index, Index block) {
        const SplitDocument& document = split.documents[d];
        losses.document.push_back(document.index);
        losses.index.push_back(index);
        losses.target.push_back(document.tokens[static_cast<std::size_t>(index)]);
        document_keys.push_back(static_cast<Index>(d));
        block_keys.push_back(block);
    }

    Clusters clusters(bool contiguous) const {
        const bool one_document = document_keys.empty() || document_keys.front() == document_keys.back();
        if (!contiguous && !one_document) return make_clusters(document_keys, "documents");
        return make_clusters(block_keys, fmt::format("blocks of {} tokens", bootstrap_block));
    }
};

EvaluationResult unscored(Index length, ResultState state, std::string reason) {
    EvaluationResult result;
    result.length = length;
    result.state = state;
    result.reason = std::move(reason);
    return result;
}

EvaluationResult beyond(Index length, Index longest) {
    return unscored(length, ResultState::beyond_table,
                    fmt::format("the encoding's table or range holds {} positions", longest));
}

// A document's last window is shorter, and so is that of a short document: where most tokens lie in such
// windows, a reader has to know. Counts the full ones.
void note_full_windows(EvaluationJob& job, std::size_t k, Index tokens) {
    EvaluationResult& result = job.run.results[k];
    Index full = 0;
    for (const Window& window : job.windows[k])
        if (window.inputs == result.length) full += window.scored();
    if (2 * full < tokens)
        job.run.notes.push_back(
            fmt::format("{} of {} tokens are scored in full windows of {}", full, tokens, result.length));
}

// Every token of a document but its first, at every length of which there is a whole window.
void plan_text(EvaluationJob& job, const EvaluationPlan& plan, const Split& split, Index longest,
               TokenList& list) {
    std::vector<Index> slots;
    for (std::size_t d = 0; d < split.documents.size(); ++d) {
        slots.push_back(list.count());
        for (Index i = 1; i < size_of(split.documents[d]); ++i) list.add(d, i, (i - 1) / bootstrap_block);
    }
    const Index longest_window = std::max<Index>(0, longest_document(split) - 1);
    for (std::size_t k = 0; k < plan.lengths.size(); ++k) {
        const Index length = plan.lengths[k];
        EvaluationResult result;
        result.length = length;
        if (length > longest) {
            result = beyond(length, longest);
        } else if (length > longest_window) {
            result = unscored(length, ResultState::too_short,
                              fmt::format("no window of {} tokens; the longest window of split {} has {}",
                                          length, split.name, longest_window));
        }
        Index stride = length;
        if (job.run.protocol.kind == ProtocolKind::sliding)
            stride = result.stride =
                job.run.protocol.stride > 0 ? job.run.protocol.stride : default_stride(length);
        job.run.results.push_back(result);
        if (result.state != ResultState::ok) continue;
        for (std::size_t d = 0; d < split.documents.size(); ++d) {
            const auto cut =
                sliding_windows(static_cast<Index>(d), size_of(split.documents[d]), length, stride, slots[d]);
            job.windows[k].insert(job.windows[k].end(), cut.begin(), cut.end());
        }
        job.run.results[k].full_windows = std::count_if(job.windows[k].begin(), job.windows[k].end(),
                                                        [&](const Window& w) { return w.inputs == length; });
        note_full_windows(job, k, list.count());
    }
}

// One long window, as often as documents hold it whole: each position is then the mean over the same windows.
// Where a table is shorter, the positions that it holds are scored: later tokens cannot change them.
void plan_positions(EvaluationJob& job, const Split& split, Index longest, TokenList& list) {
    const Index length = job.run.losses.lengths.front();
    const Index seen = std::min(length, longest);
    for (std::size_t d = 0; d < split.documents.size(); ++d) {
        const auto cut =
            full_windows(static_cast<Index>(d), size_of(split.documents[d]), length, seen, list.count());
        for (const Window& window : cut) {
            for (Index p = 0; p < length; ++p)
                list.add(d, window.start + p + 1, window.start / bootstrap_block);
        }
        job.windows[0].insert(job.windows[0].end(), cut.begin(), cut.end());
    }
    const std::vector<Index> edges = position_edges(length);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        EvaluationResult result;
        if (edges[i + 1] > longest) {
            result = beyond(length, longest);
        } else if (list.count() == 0) {
            result = unscored(length, ResultState::too_short,
                              fmt::format("no document of split {} has {} tokens; the longest has {}",
                                          split.name, length + 1, longest_document(split)));
        }
        result.length = length;
        result.bin = {edges[i], edges[i + 1]};
        if (result.state == ResultState::ok) result.full_windows = static_cast<Index>(job.windows[0].size());
        job.run.results.push_back(result);
    }
    job.run.tail = "not scored";
    job.run.notes.push_back(
        fmt::format("{} full windows of {} tokens, which do not overlap; a bin is [first "
                    "position, last position + 1], positions from 0",
                    job.windows[0].size(), length));
}

// The trained length; where it is not among the contexts, the longest below it, or the shortest of all.
Index baseline(EvaluationJob& job, const EvaluationPlan& plan) {
    const auto beyond = std::upper_bound(plan.lengths.begin(), plan.lengths.end(), plan.train_length);
    const Index context = beyond == plan.lengths.begin() ? *beyond : *std::prev(beyond);
    if (context != plan.train_length)
        job.run.notes.push_back(
            fmt::format("the trained length {} is not among the contexts: gains are counted from {}",
                        plan.train_length, context));
    return context;
}

// The same tokens at every context: all have a whole longest context before them.
void plan_targets(EvaluationJob& job, const EvaluationPlan& plan, const Split& split, Index longest,
                  TokenList& list) {
    const Index most = plan.lengths.back();
    const TargetSet set = draw_targets(split.documents, most, plan.targets);
    for (const Target& target : set.targets)
        list.add(static_cast<std::size_t>(target.document), target.index,
                 (target.index - 1) / bootstrap_block);
    job.run.eligible = set.eligible;
    job.run.baseline_context = baseline(job, plan);
    if (set.eligible < plan.targets)
        job.run.notes.push_back(
            fmt::format("{} targets instead of {}: no more tokens of split {} have {} before them",
                        set.eligible, plan.targets, split.name, most));
    for (std::size_t k = 0; k < plan.lengths.size(); ++k) {
        const Index context = plan.lengths[k];
        EvaluationResult result;
        result.length = context;
        if (context > longest) {
            result = beyond(context, longest);
        } else if (list.count() == 0) {
            result = unscored(
                context, ResultState::too_short,
                fmt::format("no token of split {} has {} before it; the longest document has {} tokens",
                            split.name, most, longest_document(split)));
        }
        job.run.results.push_back(result);
        if (result.state != ResultState::ok) continue;
        for (std::size_t i = 0; i < set.targets.size(); ++i) {
            job.windows[k].push_back(
                target_window(set.targets[i].document, set.targets[i].index, context, static_cast<Index>(i)));
        }
        job.run.results[k].full_windows = static_cast<Index>(job.windows[k].size());
    }
}

}  // namespace

Index inputs_of(const std::vector<Window>& windows) {
    Index sum = 0;
    for (const Window& window : windows) sum += window.inputs;
    return sum;
}

Index EvaluationJob::inputs() const {
    Index sum = 0;
    for (const auto& of_length : windows) sum += inputs_of(of_length);
    return sum;
}

EvaluationPlan checked(EvaluationPlan plan) {
    require(!plan.lengths.empty() && !plan.protocols.empty(),
            "evaluation: expected lengths and protocols, found {} and {}", plan.lengths.size(),
            plan.protocols.size());
    std::sort(plan.lengths.begin(), plan.lengths.end());
    plan.lengths.erase(std::unique(plan.lengths.begin(), plan.lengths.end()), plan.lengths.end());
    require(plan.lengths.front() >= 1, "evaluation: expected lengths of at least 1 token, found {}",
            plan.lengths.front());
    require(plan.targets >= 1, "evaluation: expected at least 1 target, found {}", plan.targets);
    require(
        plan.positions.kind != PositionKind::randomized || plan.lengths.back() <= plan.positions.max_position,
        "evaluation: {} tokens need as many of the {} randomized positions (data.max_position)",
        plan.lengths.back(), plan.positions.max_position);
    std::vector<Protocol> once;
    for (const Protocol& protocol : plan.protocols) {
        require(
            protocol.stride <= plan.lengths.front(),
            "evaluation: protocol {}: a stride above the length {} would leave tokens out (sliding without "
            "a stride moves by an eighth of each length)",
            text_of(protocol), plan.lengths.front());
        if (std::find(once.begin(), once.end(), protocol) == once.end()) once.push_back(protocol);
    }
    plan.protocols = std::move(once);
    return plan;
}

EvaluationJob make_job(const Protocol& protocol, const EvaluationPlan& plan, const Split& split,
                       std::optional<Index> longest) {
    EvaluationJob job;
    ProtocolRun& run = job.run;
    run.protocol = protocol;
    run.split = split.name;
    run.text = plan.contiguous ? "one stream" : "documents";
    run.documents = static_cast<Index>(split.documents.size());
    run.notes = plan.notes;
    if (plan.positions.kind == PositionKind::randomized)
        run.notes.push_back(fmt::format(
            "positions of each window: a sorted sample of 0 to {}, drawn by its place in the text",
            plan.positions.max_position - 1));
    run.documents_too_short = std::count_if(split.documents.begin(), split.documents.end(),
                                            [](const SplitDocument& d) { return d.tokens.size() < 2; });
    const bool only_longest = protocol.kind == ProtocolKind::per_position;
    run.losses.lengths = only_longest ? std::vector{plan.lengths.back()} : plan.lengths;
    job.windows.resize(run.losses.lengths.size());

    const Index table = longest.value_or(std::numeric_limits<Index>::max());
    TokenList list{split, run.losses, {}, {}};
    if (protocol.kind == ProtocolKind::per_position) {
        plan_positions(job, split, table, list);
    } else if (protocol.kind == ProtocolKind::same_target) {
        plan_targets(job, plan, split, table, list);
    } else {
        plan_text(job, plan, split, table, list);
    }
    job.clusters = list.clusters(plan.contiguous);
    run.interval_method = interval_method(job.clusters);
    return job;
}

}  // namespace locus
