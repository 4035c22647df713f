// From the logits of a place to its next token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/core/batch.h"
#include "framework/core/random.h"

namespace locus {

/// How a token is drawn; the steps act in this order.
struct SamplingOptions {
    bool greedy = false;     // the most probable token; nothing is drawn
    double temperature = 1;  // what logits are divided by
    Index top_k = 0;         // only the k most probable tokens; 0: all
    double top_p = 1;        // only the most probable ones that together have this probability
};

/// Throws a usage Error for options that make no sense together or for this vocabulary.
void check(const SamplingOptions& options, Index vocabulary);

/// A token that may be drawn.
struct Candidate {
    Token token;
    double probability;
};

/// The token of the largest logit; the first of equals. Throws a numeric Error where a logit is not finite.
Token max_probable(std::span<const double> logits);

/// Every token with its probability, softmax(logits / temperature), most probable first, equals by number.
/// Throws a numeric Error where a logit is not finite.
std::vector<Candidate> candidates(std::span<const double> logits, double temperature);

/// Keeps the first k.
void keep_top_k(std::vector<Candidate>& candidates, Index k);

/// Keeps the smallest number of first ones whose share of all reaches p, one at least (nucleus sampling,
/// arXiv:1904.09751).
void keep_top_p(std::vector<Candidate>& candidates, double p);

/// One of the candidates, by their probabilities.
Token draw(std::span<const Candidate> candidates, RandomStream stream);

/// The next token: all of the above. The stream is used unless the options are greedy.
Token sample_token(std::span<const double> logits, const SamplingOptions& options, RandomStream stream);

/// -log of the probability of `token` under softmax(logits), in nats.
double surprise(std::span<const double> logits, Token token);

}  // namespace locus
