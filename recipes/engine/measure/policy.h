// What a protocol is: from documents to windows, and from the losses of tokens to records.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/registry.h"
#include "recipes/engine/measure/plan.h"

namespace locus {

/// How a protocol's records are drawn.
struct FigureWords {
    std::string kind;     // of a file's name: "length"
    std::string title;    // "Loss against length"
    std::string x_label;  // "window length, tokens"
    std::string note;     // what the reader of the curve must know
};

/// One way to measure. A protocol registers itself in a file of its own; nothing else knows its name.
class ProtocolPolicy {
  public:
    virtual ~ProtocolPolicy() = default;

    virtual std::string doc() const = 0;                   // a sentence, for `locus list protocols`
    virtual std::string argument() const { return ""; }    // what NAME:ARG says; "": it takes none
    virtual std::string axis() const { return "length"; }  // that it measures along
    virtual std::vector<std::string> axes() const { return {axis()}; }  // of its records: depth, hops, ...
    virtual std::vector<std::string> metrics() const;  // the first one is what its intervals are about
    /// Whether its records are a table, too; else they are one only where nothing else was measured.
    virtual bool is_table() const { return true; }
    /// What stands under a table, of the protocol as its run folders name it; `facts`: those of the
    /// evaluation.
    virtual std::string definition(const std::string& protocol, const EvaluationFacts& facts) const = 0;
    virtual FigureWords figure(const std::string& protocol) const = 0;

    /// Throws a usage Error where the argument does not fit the lengths, which ascend.
    virtual void check(const Protocol&, const std::vector<Index>&) const {}
    /// The lengths of a plan that it runs windows of.
    virtual std::vector<Index> lengths(const EvaluationPlan& plan) const { return plan.lengths; }
    /// Fills the tokens, the records without numbers, and the windows of each length.
    virtual void plan(EvaluationJob& job, const Protocol& protocol, const EvaluationPlan& plan,
                      TokenList& list, const Split& split, Index longest) const = 0;

    /// The place in TokenLosses::nats of what a record is about.
    virtual std::size_t losses_of(std::size_t record) const { return record; }
    /// Which of the scored tokens a record is about, by their index in the document; empty: all.
    virtual std::vector<bool> tokens_of(const Evaluation&, const Record&, const std::vector<Index>&) const {
        return {};
    }
    /// What it works out beside the losses of each record.
    virtual void summarise(ProtocolRun&, const Clusters&, Index /*train_length*/) const {}
    /// What a record contradicts; "" where all fits.
    virtual std::string contradiction(const Evaluation&, const Record&) const { return ""; }
};

using ProtocolRegistry = Registry<std::shared_ptr<const ProtocolPolicy>>;

/// The policy of "sliding" or of "sliding:16"; throws a usage Error where it is not known.
const ProtocolPolicy& policy_of(const std::string& protocol);

/// The same, or nullptr: run folders may be of another program.
const ProtocolPolicy* find_policy(const std::string& protocol);

/// Registers `Policy` under `name`: const bool sliding_registered = add_protocol<Sliding>("sliding");
template <typename Policy>
bool add_protocol(const std::string& name) {
    return ProtocolRegistry::instance().add(name, std::make_shared<const Policy>());
}

}  // namespace locus
