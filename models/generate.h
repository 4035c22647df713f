// Texts, token after token.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "models/sampling.h"
#include "models/transformer.h"

namespace locus {
inline namespace LOCUS_SCALAR {

struct GenerateOptions {
    Index tokens = 0;  // to be made, for every prompt
    SamplingOptions sampling = {};
    std::uint64_t seed = 0;
    Index length = 0;      // fixed:N of the length mode; 0: the longest prompt and the tokens
    bool growing = false;  // the other length mode
    bool cache = true;     // false: every step is a pass over the whole text
    Index chunk = 0;       // tokens of a prompt in one pass; 0: all of them
    Index window = 0;      // of the cache: keys that a query sees; 0: as the model's mask
    Index sinks = 0;       // first tokens that are seen in spite of that window (arXiv:2309.17453)
};

/// A step's result, one entry per sequence.
struct GeneratedStep {
    Index step = 0;                 // from 0
    std::span<const Token> tokens;  // that were drawn
    std::span<const double> nats;   // -log of the model's probability of each, before any temperature
};

/// Continues every prompt. Token `step` of prompt `sequence` is drawn by (seed, sequence, step): by nothing
/// that was drawn before. Throws a usage Error, before any work, for prompts without a token, options that
/// make no sense and texts that the encoding cannot hold (naming both lengths); a numeric Error for logits
/// that are not finite.
void generate(const Transformer& model, const std::vector<std::vector<Token>>& prompts,
              const GenerateOptions& options, const std::function<void(const GeneratedStep&)>& take);

}  // namespace LOCUS_SCALAR
}  // namespace locus
