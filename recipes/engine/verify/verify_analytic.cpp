// Checks of what can be worked out on paper: order without positions, and the shift of a sinusoid.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "recipes/engine/verify/verify_checks.h"

namespace locus {

namespace {

// The same bytes in another order: where each byte of the second sentence stands in the first.
constexpr std::string_view sentence = "dog chases cat", swapped = "cat chases dog";

std::vector<Index> places_in_sentence() {
    std::vector<Index> places(swapped.size());
    std::iota(places.begin(), places.end(), Index{0});
    std::swap_ranges(places.begin(), places.begin() + 3, places.end() - 3);
    return places;
}

std::vector<Token> bytes_as_tokens(std::string_view text, Index vocabulary) {
    std::vector<Token> tokens;
    for (unsigned char byte : text) tokens.push_back(static_cast<Token>(byte % vocabulary));
    return tokens;
}

// Largest difference between the logits of one sentence and those of the other at the same bytes.
double change_by_order(const Transformer& model, const Recipe& recipe) {
    const Index vocabulary = model.options().vocabulary;
    const auto logits = [&](std::string_view text) {
        const std::vector<Token> tokens = bytes_as_tokens(text, vocabulary);
        return logits_of(model, text_batch(model, recipe, tokens))
            .reshaped({static_cast<Index>(text.size()), vocabulary});
    };
    const Tensor one = logits(sentence), other = logits(swapped);
    const std::vector<Index> places = places_in_sentence();
    double max = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        max = std::max(max, largest_difference(other.rows(static_cast<Index>(i), 1), one.rows(places[i], 1)));
    }
    return max;
}

// Largest |PE(p + k) - M_k PE(p)|, where M_k turns the pair of inv_freq[i] by k inv_freq[i].
double error_of_shift(const EncodingCard& from, const EncodingCard& to, std::int64_t k) {
    double max = 0;
    for (std::size_t p = 0; p < from.embedding.size(); ++p) {
        const std::vector<double>&here = from.embedding[p], &there = to.embedding[p];
        for (std::size_t i = 0; i < from.embedding_pairs.size(); ++i) {
            const auto [sine, cosine] = from.embedding_pairs[i];
            const double angle = static_cast<double>(k) * from.inv_freq[i];
            const double turned_sine = std::cos(angle) * here[sine] + std::sin(angle) * here[cosine];
            const double turned_cosine = std::cos(angle) * here[cosine] - std::sin(angle) * here[sine];
            max =
                std::max({max, std::abs(turned_sine - there[sine]), std::abs(turned_cosine - there[cosine])});
        }
    }
    return max;
}

EncodingCard card_at(const PositionalEncoding& encoding, std::int64_t shift) {
    CardRequest request;
    for (const std::int64_t position : {0, 1, 5, 63, 1000}) request.positions.push_back(position + shift);
    EncodingCard card;
    encoding.describe(card, request);
    return card;
}

}  // namespace

void check_order(const VerifySubject& s, const TakeCheck& take) {
    const auto holds = s.model.encoding().longest();
    if (!s.drawn || (holds && *holds < static_cast<Index>(sentence.size()))) return;
    const EncodingEntry& entry = EncodingRegistry::instance().at(s.recipe.encoding.kind);
    for (const bool causal : {true, false}) {
        if (entry.causal_only && !causal) continue;
        MaskOptions mask;
        mask.causal = causal;
        const auto model = model_like(s.model, s.recipe, mask, s.recipe.encoding);
        const bool same = !entry.reads_positions && !causal;
        take({fmt::format("'{}' and '{}', {}: {}", sentence, swapped, causal ? "causal" : "without a mask",
                          same ? "the same logits a byte" : "the order is noticed"),
              change_by_order(*model, s.recipe), same ? logit_limit : 1e-3, !same});
    }
}

void check_shift(const VerifySubject& s, const TakeCheck& take) {
    EncodingCard card;
    s.model.encoding().describe(card, {});
    if (card.embedding_pairs.empty()) return;
    const EncodingCard here = card_at(s.model.encoding(), 0);
    double max = 0;
    for (const std::int64_t k : {1, 7, 1000})
        max = std::max(max, error_of_shift(here, card_at(s.model.encoding(), k), k));
    take({"sinusoids: one matrix per shift takes every position there, shifts of 1 to 1000", max, 1e-12});
}

}  // namespace locus
