#include "recipes/engine/measure/paired_contexts.h"

namespace locus {

namespace {

std::optional<std::size_t> place_of(const ProtocolRun& run, Index context) {
    for (std::size_t r = 0; r < run.records.size(); ++r)
        if (context_of(run.records[r]) == context && run.records[r].state == RecordState::ok) return r;
    return std::nullopt;
}

/// Nats of each token at one context minus those at another.
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

// Whether no longer context can count: the encoding holds none, or this one is significantly worse than the
// baseline, beyond the trained length.
bool ends_the_search(const Record& record, Index train_length) {
    if (record.state == RecordState::beyond_table) return true;
    if (context_of(record) <= train_length) return false;
    const auto gain = record.interval(gain_metric);
    return record.state == RecordState::diverged || (gain && gain->high < 0);
}

}  // namespace

Index context_of(const Record& record) {
    const auto place = record.coordinates.find("context");
    const auto* context = place == record.coordinates.end() ? nullptr : std::get_if<Index>(&place->second);
    return context == nullptr ? 0 : *context;
}

void fill_gains(ProtocolRun& run, const Clusters& clusters) {
    const auto from = place_of(run, *run.fact("baseline_context"));
    if (!from) return;
    std::vector<std::vector<TokenSum>> statistics(run.records.size());
    for (std::size_t r = 0; r < run.records.size(); ++r) {
        if (run.records[r].state != RecordState::ok) continue;
        const std::vector<double> gains = difference(run, *from, r);
        run.records[r].metrics[gain_metric].value = mean(gains);
        statistics[r] = sum_by_cluster(clusters, gains);
    }
    const auto intervals = bootstrap(statistics);
    for (std::size_t r = 0; r < run.records.size(); ++r)
        run.records[r].metrics[gain_metric].interval = intervals[r];
}

void find_effective_context(ProtocolRun& run, const Clusters& clusters, Index train_length) {
    const Index baseline = *run.fact("baseline_context");
    std::vector<std::vector<TokenSum>> steps;
    std::vector<Index> contexts;
    std::optional<Index> beyond;
    bool all_compared = true;
    for (std::size_t r = 0; r < run.records.size(); ++r) {
        const Record& record = run.records[r];
        const Index context = context_of(record);
        if (ends_the_search(record, train_length)) {
            if (!beyond) beyond = baseline;
            break;
        }
        const auto half = context % 2 == 0 ? place_of(run, context / 2) : std::nullopt;
        if (!half || record.state != RecordState::ok) {
            all_compared = all_compared && context <= baseline;
            continue;
        }
        if (!beyond) beyond = context / 2;
        steps.push_back(sum_by_cluster(clusters, difference(run, *half, r)));
        contexts.push_back(context);
    }
    const auto intervals = bootstrap(steps);
    auto& effective = run.facts["effective_context"];
    for (std::size_t i = 0; i < contexts.size(); ++i)
        if (intervals[i] && intervals[i]->low > 0) effective = contexts[i];
    const bool is_known = all_compared && clusters.count >= 2 && place_of(run, baseline);
    if (!effective && is_known) run.facts["effective_context_none_beyond"] = beyond;
}

}  // namespace locus
