#include "recipes/engine/measure/plan.h"

#include <algorithm>
#include <limits>

#include "framework/core/error.h"
#include "framework/io/checksum.h"
#include "recipes/engine/measure/policy.h"

namespace locus {

Index size_of(const SplitDocument& document) {
    return static_cast<Index>(document.tokens.size());
}

Index longest_document(const Split& split) {
    Index longest = 0;
    for (const SplitDocument& document : split.documents) longest = std::max(longest, size_of(document));
    return longest;
}

Record unscored(RecordState state, std::string reason) {
    Record record;
    record.state = state;
    record.reason = std::move(reason);
    return record;
}

Record beyond_table(Index longest) {
    return unscored(RecordState::beyond_table,
                    fmt::format("the encoding's table or range holds {} positions", longest));
}

void TokenList::add(std::size_t d, Index index, Index block) {
    const SplitDocument& document = split.documents[d];
    losses.document.push_back(document.index);
    losses.index.push_back(index);
    losses.target.push_back(document.tokens[static_cast<std::size_t>(index)]);
    document_keys.push_back(static_cast<Index>(d));
    block_keys.push_back(block);
}

Clusters TokenList::clusters(bool contiguous) const {
    const bool one_document = document_keys.empty() || document_keys.front() == document_keys.back();
    if (!contiguous && !one_document) return make_clusters(document_keys, "documents");
    return make_clusters(block_keys, fmt::format("blocks of {} tokens", bootstrap_block));
}

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

std::string items_hash(const TokenLosses& losses) {
    Checksum checksum;
    for (const auto* numbers : {&losses.document, &losses.index})
        checksum.add(std::span<const Index>(*numbers));
    checksum.add(std::as_bytes(std::span(losses.target)));
    return checksum.hex();
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
        check_protocol(protocol, plan.lengths);
        if (std::find(once.begin(), once.end(), protocol) == once.end()) once.push_back(protocol);
    }
    plan.protocols = std::move(once);
    return plan;
}

EvaluationJob make_job(const Protocol& protocol, const EvaluationPlan& plan, const Split& split,
                       std::optional<Index> longest) {
    const ProtocolPolicy& policy = policy_of(protocol.name);
    EvaluationJob job;
    ProtocolRun& run = job.run;
    run.protocol = text_of(protocol);
    run.split = split.name;
    run.axis = policy.axis();
    run.primary = policy.metrics().front();
    run.text = plan.contiguous ? "one stream" : "documents";
    run.bos = "none";
    run.tail = "scored";
    run.documents = static_cast<Index>(split.documents.size());
    run.notes = plan.notes;
    if (plan.positions.kind == PositionKind::randomized)
        run.notes.push_back(fmt::format(
            "positions of each window: a sorted sample of 0 to {}, drawn by its place in the text",
            plan.positions.max_position - 1));
    run.documents_too_short = std::count_if(split.documents.begin(), split.documents.end(),
                                            [](const SplitDocument& d) { return d.tokens.size() < 2; });
    run.losses.lengths = policy.lengths(plan);
    job.windows.resize(run.losses.lengths.size());
    TokenList list{split, run.losses};
    policy.plan(job, protocol, plan, list, split, longest.value_or(std::numeric_limits<Index>::max()));
    job.clusters = list.clusters(plan.contiguous);
    run.interval_method = interval_method(job.clusters);
    run.items_hash = items_hash(run.losses);
    for (Record& record : run.records) {
        record.count = record.count.value_or(0);
        for (const std::string& metric : policy.metrics()) record.metrics[metric];
    }
    return job;
}

}  // namespace locus
