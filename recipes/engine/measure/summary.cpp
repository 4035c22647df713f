#include "recipes/engine/measure/summary.h"

#include <cmath>
#include <map>

#include "recipes/engine/measure/metric.h"
#include "recipes/engine/measure/policy.h"

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

void fill(Record& record, const TokenSum& sum, Index bytes) {
    record.count = sum.tokens;
    if (!std::isfinite(sum.nats)) {
        record.state = RecordState::diverged;
        record.reason = "the loss of a token is not finite";
        return;
    }
    for (auto& [name, measured] : record.metrics) {
        const auto of_losses = MetricRegistry::instance().at(name).of_losses;
        if (of_losses != nullptr) measured.value = of_losses(sum, bytes);
    }
}

}  // namespace

TokenSum sum_of(const Evaluation& evaluation, const Record& record, const std::vector<Index>& indices,
                std::span<const double> nats) {
    const std::vector<bool> taken = policy_of(evaluation.protocol).tokens_of(evaluation, record, indices);
    TokenSum sum;
    for (std::size_t i = 0; i < nats.size(); ++i)
        if (taken.empty() || taken[i]) sum.add({nats[i], 1});
    return sum;
}

void summarise(ProtocolRun& run, const Clusters& clusters, const Tokenizer& tokenizer, Index train_length) {
    const ProtocolPolicy& policy = policy_of(run.protocol);
    const std::vector<Index> bytes = bytes_of(run.losses.target, tokenizer);
    std::vector<std::vector<TokenSum>> statistics(run.records.size());
    for (std::size_t r = 0; r < run.records.size(); ++r) {
        Record& record = run.records[r];
        if (record.state != RecordState::ok) continue;
        const std::vector<double>& nats = run.losses.nats[policy.losses_of(r)];
        const std::vector<bool> taken = policy.tokens_of(run, record, run.losses.index);
        TokenSum sum;
        Index bytes_scored = 0;
        for (std::size_t i = 0; i < nats.size(); ++i) {
            if (!taken.empty() && !taken[i]) continue;
            sum.add({nats[i], 1});
            bytes_scored += bytes[i];
        }
        fill(record, sum, bytes_scored);
        statistics[r] = sum_by_cluster(clusters, nats, taken);
    }
    const auto intervals = bootstrap(statistics);
    for (std::size_t r = 0; r < run.records.size(); ++r)
        if (run.records[r].state == RecordState::ok)
            run.records[r].metrics[loss_metric].interval = intervals[r];
    policy.summarise(run, clusters, train_length);
}

}  // namespace locus
