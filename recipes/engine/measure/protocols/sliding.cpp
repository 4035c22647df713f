#include "framework/core/error.h"
#include "recipes/engine/measure/plan_text.h"
#include "recipes/engine/measure/policy.h"

namespace locus {

namespace {

class Sliding : public ProtocolPolicy {
  public:
    std::string doc() const override {
        return "a window of the length moves on; only its new tokens are scored";
    }
    std::string argument() const override { return "stride"; }
    std::string definition(const std::string& protocol, const EvaluationFacts&) const override {
        const std::size_t colon = protocol.find(':');
        return fmt::format(
            "a window of the length moves by {}; its new tokens are scored, the first window scores all",
            colon == std::string::npos ? "an eighth of it" : protocol.substr(colon + 1) + " tokens");
    }
    FigureWords figure(const std::string& protocol) const override {
        return {"length", "Loss against length", "window length, tokens",
                protocol + ": only a window's new tokens are scored"};
    }
    void check(const Protocol& protocol, const std::vector<Index>& lengths) const override {
        require(protocol.argument <= lengths.front(),
                "{} would skip tokens of windows of length {} (sliding without a stride moves by an eighth "
                "of each "
                "length)",
                text_of(protocol), lengths.front());
    }
    void plan(EvaluationJob& job, const Protocol& protocol, const EvaluationPlan& plan, TokenList& list,
              const Split& split, Index longest) const override {
        const auto stride = [&](Index length) {
            return protocol.argument > 0 ? protocol.argument : default_stride(length);
        };
        plan_text(job, plan, list, split, longest, stride);
        for (std::size_t k = 0; k < plan.lengths.size(); ++k)
            job.run.records[k].details["stride"] = stride(plan.lengths[k]);
    }
};

const bool sliding_registered = add_protocol<Sliding>("sliding");

}  // namespace

}  // namespace locus
