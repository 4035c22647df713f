#include "models/pass_cut.h"

#include <algorithm>

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

std::int32_t segment_at(const ForwardInput& input, Index b, Index t) {
    return input.segments.empty() ? 0 : input.segments[static_cast<std::size_t>(b * input.length + t)];
}

// The runs of equal segments of one sequence, padding left out.
std::vector<TokenRun> runs_of(const ForwardInput& input, Index b) {
    std::vector<TokenRun> runs;
    std::vector<std::int32_t> seen;
    for (Index t = 0; t < input.length; ++t) {
        const std::int32_t segment = segment_at(input, b, t);
        if (segment < 0) continue;
        if (t > 0 && segment == segment_at(input, b, t - 1)) {
            ++runs.back().count;
            continue;
        }
        require(std::find(seen.begin(), seen.end(), segment) == seen.end(),
                "transformer: segment {} of sequence {} is not one run of tokens", segment, b);
        seen.push_back(segment);
        runs.push_back({t, 1});
    }
    require(input.cache == nullptr || runs.size() <= 1,
            "cache: sequence {} has {} documents, but a cache holds one a sequence", b, runs.size());
    return runs;
}

bool all_alike(const ForwardInput& input) {
    if (has_lengths_of_their_own(input)) return false;
    for (Index b = 1; b < input.batch && input.cache != nullptr; ++b) {
        if (input.cache->length(b) != input.cache->length(0)) return false;
    }
    return true;
}

PassPart part_of(const ForwardInput& input, Index sequence, Index sequences, TokenRun run) {
    PassPart part;
    part.sequence = sequence;
    part.sequences = sequences;
    part.asking = part.seen = run;
    part.query = input.positions.slice(sequence, sequences, run.first, run.count);
    const KvCache* cache = input.cache;
    part.key = cache ? cache->positions(sequence, sequences, part.query) : part.query;
    const Index fixed = cache ? cache->options().length : input.frequency_length;
    if (cache && cache->options().growing)
        part.length = cache->length(sequence) + run.count;
    else
        part.length = fixed > 0 ? fixed : input.length;
    return part;
}

}  // namespace

bool has_lengths_of_their_own(const ForwardInput& input) {
    return !std::all_of(input.segments.begin(), input.segments.end(),
                        [&](std::int32_t s) { return s >= 0 && s == input.segments.front(); });
}

std::vector<PassPart> whole_pass(const ForwardInput& input) {
    return {part_of(input, 0, input.batch, {0, input.length})};
}

std::vector<PassPart> cut_pass(const ForwardInput& input) {
    if (all_alike(input)) return whole_pass(input);
    std::vector<PassPart> parts;
    for (Index b = 0; b < input.batch; ++b) {
        for (const TokenRun& run : runs_of(input, b)) parts.push_back(part_of(input, b, 1, run));
    }
    return parts;
}

std::vector<std::pair<Index, Index>> cut_by_length(const ForwardInput& input,
                                                   const PositionalEncoding& encoding) {
    std::vector<bool> begins(static_cast<std::size_t>(input.length) + 1);
    begins.front() = begins.back() = true;
    for (Index b = 0; b < input.batch; ++b) {
        Index length = input.cache ? input.cache->length(b) : 0;
        for (const TokenRun& run : runs_of(input, b)) {
            for (Index i = 1; i < run.count; ++i) {
                if (encoding.length_class(length + i) != encoding.length_class(length + i + 1))
                    begins[static_cast<std::size_t>(run.first + i)] = true;
            }
        }
    }
    std::vector<std::pair<Index, Index>> cuts;
    for (Index t = 0, first = 0; t < input.length; ++t) {
        if (!begins[static_cast<std::size_t>(t) + 1]) continue;
        cuts.emplace_back(first, t + 1);
        first = t + 1;
    }
    return cuts;
}

ForwardInput slice_input(const ForwardInput& input, Index first, Index last, std::vector<Token>& tokens,
                         std::vector<std::int32_t>& segments) {
    const auto cut = [&](const auto& all, auto& into) {
        into.clear();
        for (Index b = 0; b < input.batch && !all.empty(); ++b) {
            const auto row = all.begin() + b * input.length;
            into.insert(into.end(), row + first, row + last);
        }
    };
    cut(input.tokens, tokens);
    cut(input.segments, segments);
    ForwardInput part = input;
    part.tokens = tokens;
    part.segments = segments;
    part.length = last - first;
    part.positions = input.positions.slice(0, input.batch, first, last - first);
    return part;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
