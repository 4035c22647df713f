// From protocols and documents to windows, before any model runs.
#pragma once

#include <optional>
#include <vector>

#include "data/split.h"
#include "recipes/engine/evaluation/evaluation.h"
#include "recipes/engine/evaluation/windows.h"

namespace locus {

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

/// Lengths ascending, and lengths and protocols once each. Throws a usage Error for none of either, a length
/// or a number of targets below 1, a stride above a length, and lengths beyond the positions that are drawn.
EvaluationPlan checked(EvaluationPlan plan);

/// Windows of one protocol of a checked plan. `longest`: the positions that the encoding's table holds, if
/// it has one.
EvaluationJob make_job(const Protocol& protocol, const EvaluationPlan& plan, const Split& split,
                       std::optional<Index> longest);

}  // namespace locus
