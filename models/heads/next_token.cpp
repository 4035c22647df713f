#include "framework/ops/matmul.h"
#include "models/head.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// A matrix over the vocabulary, the embedder's own where it is tied, and the cross-entropy of its logits.
class NextToken : public Head {
  public:
    NextToken(const ParameterScope& scope, const ModelOptions& options, const Parameter& tied)
        : output_(tied ? tied
                       : scope.add_matrix("output.weight", {options.vocabulary, options.width},
                                          Initial::normal(options.deviation()))) {}

    Variable outputs(const Variable& states) const override { return linear(states, output_); }

    Loss loss(const Variable& states, const Targets& targets, bool keep_each) const override {
        return linear_cross_entropy(states, output_, targets, keep_each);
    }

  private:
    Parameter output_;
};

const bool next_token_registered = HeadRegistry::instance().add(
    "next_token",
    {.doc = "a token of the vocabulary for every place, by cross-entropy",
     .make = [](const ParameterScope& scope, const ModelOptions& options, const Parameter& tied) {
         return std::make_unique<NextToken>(scope, options, tied);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
