// From protocols and documents to windows, before any model runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/options.h"
#include "data/split.h"
#include "framework/core/batch.h"
#include "recipes/engine/measure/protocol.h"
#include "recipes/engine/measure/record.h"
#include "recipes/engine/measure/windows.h"
#include "recipes/engine/statistics/bootstrap.h"

namespace locus {

/// The tokens that a protocol scores, in the order of document and index, and their loss.
struct TokenLosses {
    std::vector<Index> document;            // number in the corpus
    std::vector<Index> index;               // in the split's part of the document
    std::vector<Token> target;              // the token itself
    std::vector<Index> lengths;             // of windows or contexts
    std::vector<std::vector<double>> nats;  // [lengths][tokens]; NaN where there is no value
};

/// An evaluation with the results of its tokens.
struct ProtocolRun : Evaluation {
    TokenLosses losses;
};

/// XXH3-128 of what was scored: documents, places and targets; not of the losses.
std::string items_hash(const TokenLosses& losses);

/// What is to be evaluated.
struct EvaluationPlan {
    std::vector<Index> lengths;  // tokens
    std::vector<Protocol> protocols;
    Index targets = 2048;     // of same_target
    Index train_length = 0;   // 1x: the context that gains are counted from, where it is among the lengths
    bool contiguous = false;  // Splits::contiguous: the split is a piece of one document
    PositionOptions positions = {};       // of the windows
    std::vector<std::string> notes = {};  // about the model, for a reader of the results
};

/// A protocol with everything but the losses.
struct EvaluationJob {
    ProtocolRun run;
    Clusters clusters;
    std::vector<std::vector<Window>> windows;  // [lengths of run.losses]; none where nothing can be scored

    Index inputs() const;  // tokens to run through the model
};

/// Tokens that these windows show to a model.
Index inputs_of(const std::vector<Window>& windows);

inline constexpr Index bootstrap_block = 4096;  // tokens of a stream that are drawn together

/// Adds documents[d].tokens[index] to what is scored; tokens with one key are drawn together.
struct TokenList {
    const Split& split;
    TokenLosses& losses;
    std::vector<Index> document_keys = {}, block_keys = {};

    Index count() const { return static_cast<Index>(losses.index.size()); }
    void add(std::size_t d, Index index, Index block);
    Clusters clusters(bool contiguous) const;
};

/// Lengths ascending, and lengths and protocols once each. Throws a usage Error for none of either, a length
/// or a number of targets below 1, an argument that does not fit the lengths, and lengths beyond the
/// positions that are drawn.
EvaluationPlan checked(EvaluationPlan plan);

/// Windows of one protocol of a checked plan. `longest`: the positions that the encoding's table holds, if
/// it has one.
EvaluationJob make_job(const Protocol& protocol, const EvaluationPlan& plan, const Split& split,
                       std::optional<Index> longest);

/// Tokens of a document, and of the longest one of a split.
Index size_of(const SplitDocument& document);
Index longest_document(const Split& split);

/// A record without numbers, and why it has none.
Record unscored(RecordState state, std::string reason);
Record beyond_table(Index longest);

}  // namespace locus
