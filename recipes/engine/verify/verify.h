// Does every way to run a model agree? The equivalences that a comparison of encodings stands on.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/distributed/communicator.h"
#include "models/transformer.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// One equivalence, and how far its two sides lie apart.
struct Check {
    std::string name;
    double difference = 0;  // the largest
    double limit = 0;
    bool at_least = false;  // the difference must exceed the limit: a check of the checks
    bool passed() const { return at_least ? difference > limit : difference <= limit; }  // false for NaN
};

struct VerifyReport {
    std::string encoding;
    bool trained = false;        // the weights of a run; else every parameter is drawn
    double logit_deviation = 0;  // standard deviation of the logits that are compared
    double encoding_effect = 0;  // largest change of a logit when the encoding is removed
    std::vector<Check> checks;

    bool passed() const;
};

/// {encoding, parameters, logit_deviation, encoding_effect, checks[{name, difference, limit, bound, passed}]}
nlohmann::json to_json(const VerifyReport& report);

struct VerifyOptions {
    int threads = 2;                                         // compared with one
    Communicator group = {};                                 // of ranks, which are compared with one
    std::function<void(const Check& check)> show = nullptr;  // called after every check
};

/// Runs the checks on the model of a recipe with `trained` weights (null: every parameter drawn, such that
/// logits have a standard deviation above 1; then a model that does not notice the loss of its encoding
/// fails). All ranks of a group call it, and each runs all checks.
VerifyReport verify(const Recipe& recipe, const Transformer* trained, const VerifyOptions& options);

}  // namespace locus
