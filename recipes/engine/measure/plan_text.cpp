#include "recipes/engine/measure/plan_text.h"

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

namespace {

// A document's last window is shorter, and so is that of a short document: where most tokens lie in such
// windows, a reader has to know.
void count_full_windows(EvaluationJob& job, std::size_t k, Index tokens) {
    const Index length = job.run.losses.lengths[k];
    Index windows = 0, scored = 0;
    for (const Window& window : job.windows[k]) {
        if (window.inputs != length) continue;
        ++windows;
        scored += window.scored();
    }
    job.run.records[k].details["full_windows"] = windows;
    if (windows > 0 && 2 * scored < tokens)
        job.run.notes.push_back(
            fmt::format("{} of {} tokens are scored in full windows of {}", scored, tokens, length));
}

Record record_at(Index length, Index longest, const Split& split) {
    const Index longest_window = std::max<Index>(0, longest_document(split) - 1);
    if (length > longest) return beyond_table(longest);
    if (length > longest_window)
        return unscored(RecordState::too_short,
                        fmt::format("no window of {} tokens; the longest window of split {} has {}", length,
                                    split.name, longest_window));
    return {};
}

}  // namespace

void plan_text(EvaluationJob& job, const EvaluationPlan& plan, TokenList& list, const Split& split,
               Index longest, const std::function<Index(Index length)>& stride) {
    std::vector<Index> slots;
    for (std::size_t d = 0; d < split.documents.size(); ++d) {
        slots.push_back(list.count());
        for (Index i = 1; i < size_of(split.documents[d]); ++i) list.add(d, i, (i - 1) / bootstrap_block);
    }
    for (std::size_t k = 0; k < plan.lengths.size(); ++k) {
        const Index length = plan.lengths[k];
        Record& record = job.run.records.emplace_back(record_at(length, longest, split));
        record.coordinates["length"] = length;
        if (record.state == RecordState::ok) {
            for (std::size_t d = 0; d < split.documents.size(); ++d) {
                const auto cut = sliding_windows(static_cast<Index>(d), size_of(split.documents[d]), length,
                                                 stride(length), slots[d]);
                job.windows[k].insert(job.windows[k].end(), cut.begin(), cut.end());
            }
        }
        count_full_windows(job, k, list.count());
    }
}

}  // namespace locus
