#include "recipes/engine/evaluation/evaluate.h"

#include <limits>

#include "framework/distributed/rank_errors.h"
#include "recipes/engine/evaluation/known_losses.h"
#include "recipes/engine/measure/summary.h"

namespace locus {

namespace {

using Scored = std::map<std::string, std::vector<double>>;

// Scores the windows of every length that `scored` does not hold, the long ones first: short ones may be
// their beginnings.
void score_lengths(const Transformer& model, const Split& split, EvaluationJob& job, KnownLosses& known,
                   Scored& scored, const EvaluationPlan& plan, Workers& workers, ProgressCount& count,
                   const Communicator& group) {
    TokenLosses& losses = job.run.losses;
    losses.nats.resize(job.windows.size());
    for (std::size_t k = job.windows.size(); k-- > 0;) {
        const std::vector<Window>& windows = job.windows[k];
        const std::string key = draft_key(job.run, windows);
        if (!scored.contains(key)) {
            std::vector<double> nats(losses.index.size(), std::numeric_limits<double>::quiet_NaN());
            const std::vector<Window> rest = known.fill(windows, nats);
            if (rest.size() < windows.size()) count.add(inputs_of(windows) - inputs_of(rest));
            score(model, split.documents, rest, nats, workers, count, plan.positions, group);
            scored[key] = std::move(nats);
        }
        losses.nats[k] = scored[key];
        known.add(windows, losses.nats[k]);
    }
}

}  // namespace

EvaluationReport evaluate(const Transformer& model, const Split& split, const EvaluationPlan& plan,
                          const Tokenizer& tokenizer, Workers& workers, EvaluationProgress progress,
                          const Communicator& group, EvaluationDraft* draft) {
    EvaluationDraft own;
    Scored& scored = (draft != nullptr ? draft : &own)->losses;
    const EvaluationPlan sound = checked(plan);
    std::vector<EvaluationJob> jobs;
    Index inputs = 0;
    for (const Protocol& protocol : sound.protocols) {
        jobs.push_back(make_job(protocol, sound, split, model.encoding().longest()));
        for (const std::vector<Window>& windows : jobs.back().windows)
            if (!scored.contains(draft_key(jobs.back().run, windows))) inputs += inputs_of(windows);
    }
    ProgressCount count(std::move(progress), inputs);
    EvaluationReport report;
    KnownLosses known(sound.positions.kind != PositionKind::randomized &&
                      model.later_tokens_change_nothing());
    for (EvaluationJob& job : jobs) {
        job.run.unit = tokenizer.name();
        score_lengths(model, split, job, known, scored, sound, workers, count, group);
        on_every_rank(group, [&] { summarise(job.run, job.clusters, tokenizer, sound.train_length); });
        report.runs.push_back(std::move(job.run));
    }
    return report;
}

}  // namespace locus
