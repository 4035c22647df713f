// What was measured, and how it is written down.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/scalar.h"
#include "recipes/engine/statistics/interval.h"

namespace locus {

/// ok; beyond_table: the encoding's table has no value there; diverged: a loss is not finite; too_short: the
/// text has no whole window of this length.
enum class RecordState { ok, beyond_table, diverged, too_short };

/// "beyond_table"
const char* to_string(RecordState state);

/// A place on an axis: a number, a range [low, high), or a word.
using AxisPlace = std::variant<Index, std::array<Index, 2>, std::string>;

/// "128", "[8, 16)"
std::string text_of(const AxisPlace& value);

/// A number of a record, and how sure it is.
struct Measured {
    std::optional<double> value;
    std::optional<Interval> interval;
};

/// One result of a protocol: numbers at some coordinates. Values are there only in state ok.
struct Record {
    std::map<std::string, AxisPlace> coordinates;  // by axis: length, context, bin, depth, ...
    std::map<std::string, Measured> metrics;       // by name
    std::optional<Index> count;                    // tokens, or other items, that were scored
    std::map<std::string, Index> details;          // further counts, such as full_windows or stride
    RecordState state = RecordState::ok;
    std::string reason;  // of any other state

    std::optional<double> value(const std::string& metric) const;
    std::optional<Interval> interval(const std::string& metric) const;
};

/// Counts that a protocol adds: eligible, baseline_context, effective_context, ...
using EvaluationFacts = std::map<std::string, std::optional<Index>>;

/// One protocol over one split, as it stands in summary.json. What is empty was not recorded.
struct Evaluation {
    std::string protocol;                      // "sliding:16"
    std::string split;                         // "valid"
    std::string axis;                          // what it measures along: "length"
    std::string primary;                       // the metric that its intervals are about
    std::string unit;                          // what a token is: "byte"
    std::string text;                          // "documents" or "one stream"
    std::string bos;                           // "none": a document's first token is never a target
    std::string tail;                          // "scored": what happens to tokens after the last full window
    std::optional<Index> documents;            // of the split
    std::optional<Index> documents_too_short;  // those of fewer than 2 tokens, which score nothing
    EvaluationFacts facts;
    std::string interval_method;
    std::vector<Record> records;
    std::vector<std::string> notes;  // what a reader must know
    std::string items_hash;          // XXH3-128 of what was scored
    std::string file;                // of the items' results, beside summary.json

    std::optional<Index> fact(const std::string& name) const;
    /// The place of a record on an axis. `length` stands for the evaluation's own axis where a record has
    /// none of that name. Nothing where it has no such coordinate.
    std::optional<AxisPlace> place(const Record& record, const std::string& name) const;
};

/// {"protocol", "split", ..., "results": [{"length": 64, "nats_per_token": ..., "state": "ok", ...}]}; what
/// is not finite is null.
nlohmann::json to_json(const Evaluation& evaluation);

/// What to_json wrote; fields that are missing stay empty. Throws a storage Error that begins with `place`
/// for fields of a wrong type and a state that is not known.
Evaluation evaluation_of(const nlohmann::json& object, const std::string& place = "an evaluation");

}  // namespace locus
