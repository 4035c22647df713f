#include "models/pass_cut.h"

#include <algorithm>

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// The runs of equal segments of one sequence, padding left out.
std::vector<TokenRun> runs_of(const Batch& batch, Index b) {
    if (batch.segments.empty()) return {{0, batch.length}};
    const auto segments = batch.segments.numbers().subspan(static_cast<std::size_t>(b * batch.length),
                                                           static_cast<std::size_t>(batch.length));
    std::vector<TokenRun> runs;
    std::vector<std::int32_t> seen;
    for (std::size_t t = 0; t < segments.size(); ++t) {
        const std::int32_t segment = segments[t];
        if (segment < 0) continue;
        if (t > 0 && segment == segments[t - 1]) {
            ++runs.back().count;
            continue;
        }
        require(std::find(seen.begin(), seen.end(), segment) == seen.end(),
                "transformer: segment {} of sequence {} is not one run of tokens", segment, b);
        seen.push_back(segment);
        runs.push_back({static_cast<Index>(t), 1});
    }
    return runs;
}

// The same where a cache stands before them.
std::vector<TokenRun> cached_runs_of(const Batch& batch, Index b) {
    std::vector<TokenRun> runs = runs_of(batch, b);
    require(runs.size() <= 1, "cache: sequence {} has {} documents, but a cache holds one per sequence", b,
            runs.size());
    return runs;
}

bool all_alike(const Batch& batch, const KvCache* cache) {
    if (has_lengths_of_their_own(batch)) return false;
    for (Index b = 1; b < batch.sequences && cache != nullptr; ++b) {
        if (cache->length(b) != cache->length(0)) return false;
    }
    return true;
}

AttentionCall part_of(const Batch& batch, const Pass& pass, Index sequence, Index sequences, TokenRun run) {
    AttentionCall part;
    part.sequence = sequence;
    part.sequences = sequences;
    part.asking = part.seen = run;
    part.query = batch.positions.slice(sequence, sequences, run.first, run.count);
    const KvCache* cache = pass.cache;
    part.key = cache ? cache->positions(sequence, sequences, part.query) : part.query;
    const Index fixed = cache ? cache->options().length : pass.frequency_length;
    if (cache && cache->options().growing)
        part.length = cache->length(sequence) + run.count;
    else
        part.length = fixed > 0 ? fixed : batch.length;
    return part;
}

}  // namespace

bool has_lengths_of_their_own(const Batch& batch) {
    const auto segments = batch.segments.numbers();
    return !std::all_of(segments.begin(), segments.end(),
                        [&](std::int32_t s) { return s >= 0 && s == segments.front(); });
}

std::vector<AttentionCall> whole_pass(const Batch& batch, const Pass& pass) {
    return {part_of(batch, pass, 0, batch.sequences, {0, batch.length})};
}

std::vector<AttentionCall> cut_pass(const Batch& batch, const Pass& pass) {
    if (all_alike(batch, pass.cache)) return whole_pass(batch, pass);
    std::vector<AttentionCall> parts;
    for (Index b = 0; b < batch.sequences; ++b) {
        for (const TokenRun& run : pass.cache ? cached_runs_of(batch, b) : runs_of(batch, b))
            parts.push_back(part_of(batch, pass, b, 1, run));
    }
    return parts;
}

std::vector<TokenRun> cut_by_length(const Batch& batch, const KvCache& cache,
                                    const PositionalEncoding& encoding) {
    std::vector<bool> begins(static_cast<std::size_t>(batch.length) + 1);
    begins.front() = begins.back() = true;
    for (Index b = 0; b < batch.sequences; ++b) {
        const Index length = cache.length(b);
        for (const TokenRun& run : cached_runs_of(batch, b)) {
            for (Index i = 1; i < run.count; ++i) {
                if (encoding.length_class(length + i) != encoding.length_class(length + i + 1))
                    begins[static_cast<std::size_t>(run.first + i)] = true;
            }
        }
    }
    std::vector<TokenRun> cuts;
    for (Index t = 0, first = 0; t < batch.length; ++t) {
        if (!begins[static_cast<std::size_t>(t) + 1]) continue;
        cuts.push_back({first, t + 1 - first});
        first = t + 1;
    }
    return cuts;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
