#include "recipes/engine/evaluate.h"

#include <limits>

#include "recipes/engine/evaluate_summary.h"
#include "recipes/engine/known_losses.h"

namespace locus::inline LOCUS_SCALAR {

namespace {

// Scores the windows of every length, the long ones first: short ones may be their beginnings.
void score_lengths(const Transformer& model, const Split& split, EvaluationJob& job, KnownLosses& known,
                   const EvaluationPlan& plan, Workers& workers, ProgressCount& count,
                   const Communicator& group) {
    TokenLosses& losses = job.run.losses;
    losses.nats.assign(job.windows.size(),
                       std::vector<double>(losses.index.size(), std::numeric_limits<double>::quiet_NaN()));
    for (std::size_t k = job.windows.size(); k-- > 0;) {
        const std::vector<Window> rest = known.fill(job.windows[k], losses.nats[k]);
        if (rest.size() < job.windows[k].size()) count.add(inputs_of(job.windows[k]) - inputs_of(rest));
        score(model, split.documents, rest, losses.nats[k], workers, count, plan.positions, group);
        known.add(rest, losses.nats[k]);
    }
}

}  // namespace

EvaluationReport evaluate(const Transformer& model, const Split& split, const EvaluationPlan& plan,
                          const Tokenizer& tokenizer, Workers& workers, EvaluationProgress progress,
                          const Communicator& group) {
    const EvaluationPlan sound = checked(plan);
    std::vector<EvaluationJob> jobs;
    Index inputs = 0;
    for (const Protocol& protocol : sound.protocols) {
        jobs.push_back(make_job(protocol, sound, split, model.encoding().longest()));
        inputs += jobs.back().inputs();
    }
    ProgressCount count(std::move(progress), inputs);
    EvaluationReport report;
    KnownLosses known(sound.positions.kind != PositionKind::randomized &&
                      model.later_tokens_change_nothing());
    for (EvaluationJob& job : jobs) {
        job.run.unit = tokenizer.name();
        score_lengths(model, split, job, known, sound, workers, count, group);
        summarise(job.run, job.clusters, tokenizer, sound.train_length);
        report.runs.push_back(std::move(job.run));
    }
    return report;
}

}  // namespace locus::inline LOCUS_SCALAR
