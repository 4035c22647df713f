// What an evaluation found: the content of evaluations/ in a run folder.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/batch.h"
#include "recipes/engine/config/protocol.h"
#include "recipes/engine/statistics/bootstrap.h"

namespace locus {

/// beyond_table: the encoding's table has no value there; diverged: a loss is not finite; too_short: the text
/// has no whole window of this length.
enum class ResultState { ok, beyond_table, diverged, too_short };

/// "beyond_table"
const char* to_string(ResultState state);

/// One row: a length, a context or a bin of positions. Numbers are there only in state ok.
struct EvaluationResult {
    Index length = 0;                         // inputs of a window; of same_target: tokens before the target
    Index stride = 0;                         // of sliding
    std::optional<std::array<Index, 2>> bin;  // of per_position: positions, the second excluded
    ResultState state = ResultState::ok;
    std::string reason;      // of any other state
    Index tokens = 0;        // scored
    Index full_windows = 0;  // scored windows that have all their inputs
    std::optional<double> nats_per_token, bits_per_byte, perplexity;
    std::optional<double> gain;  // of same_target: loss at the baseline context - loss here, in nats, paired
    std::optional<Interval> interval, gain_interval;  // of nats_per_token and of gain
};

/// The tokens that a protocol scores, in the order of document and index, and their loss.
struct TokenLosses {
    std::vector<Index> document;            // number in the corpus
    std::vector<Index> index;               // in the split's part of the document
    std::vector<Token> target;              // the token itself
    std::vector<Index> lengths;             // of windows or contexts
    std::vector<std::vector<double>> nats;  // [lengths][tokens]; NaN where there is no value
};

/// One protocol over one split.
struct ProtocolRun {
    Protocol protocol;
    std::string split;              // "valid"
    std::string unit;               // what a token is: "byte"
    std::string text;               // "documents" or "one stream"
    std::string bos = "none";       // no start token: a document's first token is never a target
    std::string tail = "scored";    // what happens to tokens after the last full window
    Index documents = 0;            // of the split
    Index documents_too_short = 0;  // those of fewer than 2 tokens, which score nothing
    std::string interval_method;
    std::vector<EvaluationResult> results;

    // Of same_target.
    std::optional<Index> eligible, baseline_context;
    std::optional<Index>
        effective_context;  // the largest c that beats c / 2 with no harm from the trained length to c
    std::optional<Index> none_beyond;  // where it is known that there is none: beyond what context

    std::vector<std::string> notes;  // what a reader must know
    TokenLosses losses;
};

struct EvaluationReport {
    std::vector<ProtocolRun> runs;
};

/// {"runs": [{protocol, split, unit, bos, tail, documents, results: [...]}]}; what is not finite is null.
nlohmann::json to_json(const EvaluationReport& report);

}  // namespace locus
