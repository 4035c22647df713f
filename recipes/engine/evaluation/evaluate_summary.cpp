#include "recipes/engine/evaluation/evaluate_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace locus {

namespace {

/// Bytes of each scored token, by the tokenizer.
std::vector<Index> bytes_of(const std::vector<Token>& tokens, const Tokenizer& tokenizer) {
    std::map<Token, Index> sizes;
    std::vector<Index> bytes;
    bytes.reserve(tokens.size());
    for (const Token token : tokens) {
        const auto [entry, is_new] = sizes.emplace(token, 0);
        if (is_new) entry->second = static_cast<Index>(tokenizer.decode(std::span(&token, 1)).size());
        bytes.push_back(entry->second);
    }
    return bytes;
}

void fill(EvaluationResult& result, const TokenSum& sum, Index bytes) {
    result.tokens = sum.tokens;
    if (!std::isfinite(sum.nats)) {
        result.state = ResultState::diverged;
        result.reason = "the loss of a token is not finite";
        return;
    }
    result.nats_per_token = sum.mean();
    result.perplexity = sum.perplexity();
    if (bytes > 0) result.bits_per_byte = sum.nats / static_cast<double>(bytes) / std::numbers::ln2;
}

/// The losses that a result stands for, and which of the tokens: all, or those of its bin.
struct Share {
    const std::vector<double>* nats;
    std::vector<bool> tokens;

    bool takes(std::size_t i) const { return tokens.empty() || tokens[i]; }
};

Share share_of(const ProtocolRun& run, std::size_t r) {
    if (run.protocol.kind != ProtocolKind::per_position) return {&run.losses.nats[r], {}};
    const EvaluationResult& result = run.results[r];
    Share share{&run.losses.nats[0], {}};
    for (const Index index : run.losses.index) {
        const Index position = (index - 1) % result.length;
        share.tokens.push_back(position >= (*result.bin)[0] && position < (*result.bin)[1]);
    }
    return share;
}

void fill_losses(ProtocolRun& run, const Clusters& clusters, const std::vector<Index>& bytes) {
    std::vector<std::vector<TokenSum>> statistics(run.results.size());
    for (std::size_t r = 0; r < run.results.size(); ++r) {
        if (run.results[r].state != ResultState::ok) continue;
        const Share share = share_of(run, r);
        TokenSum sum;
        Index bytes_scored = 0;
        for (std::size_t i = 0; i < share.nats->size(); ++i) {
            if (!share.takes(i)) continue;
            sum.add({(*share.nats)[i], 1});
            bytes_scored += bytes[i];
        }
        fill(run.results[r], sum, bytes_scored);
        statistics[r] = sum_by_cluster(clusters, *share.nats, share.tokens);
    }
    const auto intervals = bootstrap(statistics);
    for (std::size_t r = 0; r < run.results.size(); ++r) {
        if (run.results[r].state == ResultState::ok) run.results[r].interval = intervals[r];
    }
}

std::optional<std::size_t> place_of(const ProtocolRun& run, Index length) {
    for (std::size_t r = 0; r < run.results.size(); ++r) {
        const bool is_there = run.results[r].length == length && run.results[r].state == ResultState::ok;
        if (is_there) return r;
    }
    return std::nullopt;
}

/// Nats of each token at one length minus those at another.
std::vector<double> difference(const ProtocolRun& run, std::size_t from, std::size_t to) {
    std::vector<double> result = run.losses.nats[from];
    for (std::size_t i = 0; i < result.size(); ++i) result[i] -= run.losses.nats[to][i];
    return result;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

void fill_gains(ProtocolRun& run, const Clusters& clusters) {
    const auto from = place_of(run, *run.baseline_context);
    if (!from) return;
    std::vector<std::vector<TokenSum>> statistics(run.results.size());
    for (std::size_t r = 0; r < run.results.size(); ++r) {
        if (run.results[r].state != ResultState::ok) continue;
        const std::vector<double> gains = difference(run, *from, r);
        run.results[r].gain = mean(gains);
        statistics[r] = sum_by_cluster(clusters, gains);
    }
    const auto intervals = bootstrap(statistics);
    for (std::size_t r = 0; r < run.results.size(); ++r) run.results[r].gain_interval = intervals[r];
}

// Whether no longer context can count: the encoding holds none, or this one is significantly worse than the
// baseline, beyond the trained length.
bool ends_the_search(const EvaluationResult& result, Index train_length) {
    if (result.state == ResultState::beyond_table) return true;
    if (result.length <= train_length) return false;
    return result.state == ResultState::diverged || (result.gain_interval && result.gain_interval->high < 0);
}

// The largest c whose paired interval of G(c) - G(c / 2) lies above 0 while no context from the trained
// length to c is significantly harmful; below the trained length as well. Where there is none, what it was
// looked for beyond: the shortest context that a longer one was compared with, or the baseline that none
// could better.
void find_effective_context(ProtocolRun& run, const Clusters& clusters, Index train_length) {
    std::vector<std::vector<TokenSum>> steps;
    std::vector<Index> contexts;
    std::optional<Index> beyond;
    bool all_compared = true;
    for (std::size_t r = 0; r < run.results.size(); ++r) {
        const EvaluationResult& result = run.results[r];
        if (ends_the_search(result, train_length)) {
            if (!beyond) beyond = run.baseline_context;
            break;
        }
        const auto half = result.length % 2 == 0 ? place_of(run, result.length / 2) : std::nullopt;
        if (!half || result.state != ResultState::ok) {
            all_compared = all_compared && result.length <= *run.baseline_context;
            continue;
        }
        if (!beyond) beyond = result.length / 2;
        steps.push_back(sum_by_cluster(clusters, difference(run, *half, r)));
        contexts.push_back(result.length);
    }
    const auto intervals = bootstrap(steps);
    for (std::size_t i = 0; i < contexts.size(); ++i) {
        if (intervals[i] && intervals[i]->low > 0) run.effective_context = contexts[i];
    }
    const bool is_known = all_compared && clusters.count >= 2 && place_of(run, *run.baseline_context);
    if (!run.effective_context && is_known) run.none_beyond = beyond;
}

}  // namespace

void summarise(ProtocolRun& run, const Clusters& clusters, const Tokenizer& tokenizer, Index train_length) {
    fill_losses(run, clusters, bytes_of(run.losses.target, tokenizer));
    if (run.protocol.kind != ProtocolKind::same_target) return;
    fill_gains(run, clusters);
    find_effective_context(run, clusters, train_length);
}

}  // namespace locus
