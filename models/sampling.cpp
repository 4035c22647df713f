#include "models/sampling.h"

#include <algorithm>
#include <cmath>

#include "framework/core/error.h"
#include "framework/core/scalar.h"

namespace locus {

namespace {

void require_finite(std::span<const double> logits) {
    for (std::size_t i = 0; i < logits.size(); ++i)
        require(std::isfinite(logits[i]), Failure::numeric, "sample: the logit of token {} is {}", i,
                unsigned_nan(logits[i]));
}

double sum_of(std::span<const Candidate> candidates) {
    double sum = 0;
    for (const Candidate& candidate : candidates) sum += candidate.probability;
    return sum;
}

}  // namespace

void check(const SamplingOptions& o, Index vocabulary) {
    require(std::isfinite(o.temperature) && o.temperature > 0,
            "sample: temperature {} must be above 0; greedy takes the most probable token", o.temperature);
    require(o.top_k >= 0 && o.top_k <= vocabulary, "sample: top_k {} of a vocabulary of {}", o.top_k,
            vocabulary);
    require(o.top_p > 0 && o.top_p <= 1, "sample: top_p {} must be above 0 and at most 1", o.top_p);
    require(!o.greedy || (o.temperature == 1 && o.top_k == 0 && o.top_p == 1),
            "sample: greedy draws nothing: temperature {}, top_k {} and top_p {} have no meaning",
            o.temperature, o.top_k, o.top_p);
}

Token max_probable(std::span<const double> logits) {
    require_finite(logits);
    return static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

std::vector<Candidate> candidates(std::span<const double> logits, double temperature) {
    require_finite(logits);
    const double max = *std::max_element(logits.begin(), logits.end());
    std::vector<Candidate> all;
    double sum = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        all.push_back({static_cast<Token>(i), std::exp((logits[i] - max) / temperature)});
        sum += all.back().probability;
    }
    for (Candidate& candidate : all) candidate.probability /= sum;
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.probability > b.probability; });
    return all;
}

void keep_top_k(std::vector<Candidate>& candidates, Index k) {
    if (k < static_cast<Index>(candidates.size())) candidates.resize(static_cast<std::size_t>(k), {});
}

void keep_top_p(std::vector<Candidate>& candidates, double p) {
    const double wanted = p * sum_of(candidates);
    double sum = 0;
    std::size_t count = 0;
    while (count < candidates.size() && (count == 0 || sum < wanted)) sum += candidates[count++].probability;
    candidates.resize(count, {});
}

Token draw(std::span<const Candidate> candidates, RandomStream stream) {
    const double place = stream.uniform() * sum_of(candidates);
    double sum = 0;
    for (const Candidate& candidate : candidates) {
        sum += candidate.probability;
        if (place < sum) return candidate.token;
    }
    return candidates.back().token;  // rounding: the sum fell short of itself
}

Token sample_token(std::span<const double> logits, const SamplingOptions& options, RandomStream stream) {
    if (options.greedy) return max_probable(logits);
    std::vector<Candidate> left = candidates(logits, options.temperature);
    if (options.top_k > 0) keep_top_k(left, options.top_k);
    if (options.top_p < 1) keep_top_p(left, options.top_p);
    return draw(left, stream);
}

double surprise(std::span<const double> logits, Token token) {
    const double max = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (double logit : logits) sum += std::exp(logit - max);
    return max + std::log(sum) - logits[static_cast<std::size_t>(token)];
}

}  // namespace locus
