#include <algorithm>
#include <iterator>

#include "framework/core/error.h"
#include "recipes/engine/measure/contradictions.h"
#include "recipes/engine/measure/metric.h"
#include "recipes/engine/measure/paired_contexts.h"
#include "recipes/engine/measure/policy.h"
#include "recipes/engine/measure/targets.h"

namespace locus {

namespace {

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

/// The same tokens at every context: all have a whole longest context before them.
class SameTarget : public ProtocolPolicy {
  public:
    std::string doc() const override {
        return "one fixed set of target tokens; only the visible context varies";
    }
    std::string axis() const override { return "context"; }
    std::vector<std::string> metrics() const override {
        std::vector<std::string> names = ProtocolPolicy::metrics();
        names.insert(names.begin(), gain_metric);
        return names;
    }
    std::string definition(const std::string&, const EvaluationFacts& facts) const override {
        const auto from = facts.find("baseline_context");
        const bool recorded = from != facts.end() && from->second;
        return fmt::format(
            "one fixed set of target tokens, each with exactly c tokens before it; only c varies; "
            "gain(c) = loss({}) - loss(c), token by token",
            recorded ? fmt::format("{}", *from->second) : "the training length");
    }
    FigureWords figure(const std::string&) const override {
        return {"context", "Loss against visible context", "visible context, tokens",
                "the same target tokens at every context"};
    }

    void plan(EvaluationJob& job, const Protocol&, const EvaluationPlan& plan, TokenList& list,
              const Split& split, Index longest) const override {
        const Index max = plan.lengths.back();
        const TargetSet set = draw_targets(split.documents, max, plan.targets);
        for (const Target& target : set.targets)
            list.add(static_cast<std::size_t>(target.document), target.index,
                     (target.index - 1) / bootstrap_block);
        job.run.facts["eligible"] = set.eligible;
        job.run.facts["baseline_context"] = baseline(job, plan);
        job.run.facts["effective_context"] = std::nullopt;
        job.run.facts["effective_context_none_beyond"] = std::nullopt;
        if (set.eligible < plan.targets)
            job.run.notes.push_back(
                fmt::format("{} targets instead of {}: no more tokens of split {} have {} before them",
                            set.eligible, plan.targets, split.name, max));
        for (std::size_t k = 0; k < plan.lengths.size(); ++k) {
            const Index context = plan.lengths[k];
            Record record;
            if (context > longest) {
                record = beyond_table(longest);
            } else if (list.count() == 0) {
                record = unscored(
                    RecordState::too_short,
                    fmt::format("no token of split {} has {} before it; the longest document has {} tokens",
                                split.name, max, longest_document(split)));
            } else {
                for (std::size_t i = 0; i < set.targets.size(); ++i)
                    job.windows[k].push_back(target_window(set.targets[i].document, set.targets[i].index,
                                                           context, static_cast<Index>(i)));
            }
            record.coordinates["context"] = context;
            record.details["full_windows"] = static_cast<Index>(job.windows[k].size());
            job.run.records.push_back(record);
        }
    }

    void summarise(ProtocolRun& run, const Clusters& clusters, Index train_length) const override {
        fill_gains(run, clusters);
        find_effective_context(run, clusters, train_length);
    }

    std::string contradiction(const Evaluation& evaluation, const Record& record) const override {
        const auto gain = record.value(gain_metric), here = record.value(loss_metric);
        const auto baseline = evaluation.fact("baseline_context");
        if (!gain || !here || !baseline) return "";
        for (const Record& other : evaluation.records) {
            const auto from = other.value(loss_metric);
            if (!from || context_of(other) != *baseline || nearly_equal(*gain, *from - *here)) continue;
            return fmt::format("{} is {}, but {} - {} nats per token are {}", gain_metric, *gain, *from,
                               *here, *from - *here);
        }
        return "";
    }
};

const bool same_target_registered = add_protocol<SameTarget>("same_target");

}  // namespace

}  // namespace locus
