#include "recipes/engine/measure/plan_text.h"
#include "recipes/engine/measure/policy.h"

namespace locus {

namespace {

class NonOverlapping : public ProtocolPolicy {
  public:
    std::string doc() const override { return "documents cut into pieces of the length, every token scored"; }
    std::string definition(const std::string&, const EvaluationFacts&) const override {
        return doc() + "; longer windows look better for free: early tokens have less context";
    }
    FigureWords figure(const std::string&) const override {
        return {"length", "Loss against length", "window length, tokens",
                "pieces that do not overlap: longer pieces starve fewer tokens of context"};
    }
    void plan(EvaluationJob& job, const Protocol&, const EvaluationPlan& plan, TokenList& list,
              const Split& split, Index longest) const override {
        plan_text(job, plan, list, split, longest, [](Index length) { return length; });
    }
};

const bool non_overlapping_registered = add_protocol<NonOverlapping>("non_overlapping");

}  // namespace

}  // namespace locus
