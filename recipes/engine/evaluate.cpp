#include "recipes/engine/evaluate.h"

#include "recipes/engine/evaluate_summary.h"

namespace locus::inline LOCUS_SCALAR {

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
    for (EvaluationJob& job : jobs) {
        job.run.unit = tokenizer.name();
        const auto tokens = static_cast<Index>(job.run.losses.index.size());
        for (const std::vector<Window>& windows : job.windows) {
            job.run.losses.nats.push_back(
                score(model, split.documents, windows, tokens, workers, count, sound.positions, group));
        }
        summarise(job.run, job.clusters, tokenizer, sound.train_length);
        report.runs.push_back(std::move(job.run));
    }
    return report;
}

}  // namespace locus::inline LOCUS_SCALAR
