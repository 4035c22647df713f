#include "framework/core/error.h"
#include "recipes/engine/measure/policy.h"

namespace locus {

namespace {

/// One long window, as often as documents hold it whole: each position is then the mean over the same
/// windows.
class PerPosition : public ProtocolPolicy {
  public:
    std::string doc() const override { return "mean loss in bins of the positions of one long window"; }
    std::string axis() const override { return "bin"; }
    bool is_table() const override { return false; }
    std::string definition(const std::string&, const EvaluationFacts&) const override { return doc(); }
    FigureWords figure(const std::string&) const override {
        return {"position", "Loss against position", "position in the window, tokens",
                "mean over each bin of positions"};
    }
    std::vector<Index> lengths(const EvaluationPlan& plan) const override { return {plan.lengths.back()}; }
    std::size_t losses_of(std::size_t) const override { return 0; }

    // Where a table is shorter, the positions that it holds are scored: later tokens cannot change them.
    void plan(EvaluationJob& job, const Protocol&, const EvaluationPlan& plan, TokenList& list,
              const Split& split, Index longest) const override {
        const Index length = plan.lengths.back(), seen = std::min(length, longest);
        for (std::size_t d = 0; d < split.documents.size(); ++d) {
            const auto cut =
                full_windows(static_cast<Index>(d), size_of(split.documents[d]), length, seen, list.count());
            for (const Window& window : cut)
                for (Index p = 0; p < length; ++p)
                    list.add(d, window.start + p + 1, window.start / bootstrap_block);
            job.windows[0].insert(job.windows[0].end(), cut.begin(), cut.end());
        }
        const auto windows = static_cast<Index>(job.windows[0].size());
        const std::vector<Index> edges = position_edges(length);
        for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
            Record record;
            if (edges[i + 1] > longest) {
                record = beyond_table(longest);
            } else if (windows == 0) {
                record = unscored(RecordState::too_short,
                                  fmt::format("no document of split {} has {} tokens; the longest has {}",
                                              split.name, length + 1, longest_document(split)));
            }
            record.coordinates["bin"] = std::array{edges[i], edges[i + 1]};
            record.details["full_windows"] = record.state == RecordState::ok ? windows : 0;
            job.run.records.push_back(record);
        }
        job.run.facts["length"] = length;
        job.run.tail = "not scored";
        job.run.notes.push_back(fmt::format(
            "{} full windows of {} tokens, which do not overlap; a bin is [first position, last position "
            "+ 1], positions from 0",
            windows, length));
    }

    std::vector<bool> tokens_of(const Evaluation& evaluation, const Record& record,
                                const std::vector<Index>& indices) const override {
        const auto bin = std::get<std::array<Index, 2>>(record.coordinates.at("bin"));
        const Index length = *evaluation.fact("length");
        std::vector<bool> taken;
        for (const Index index : indices) {
            const Index position = (index - 1) % length;
            taken.push_back(position >= bin[0] && position < bin[1]);
        }
        return taken;
    }
};

const bool per_position_registered = add_protocol<PerPosition>("per_position");

}  // namespace

}  // namespace locus
