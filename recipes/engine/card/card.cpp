#include "recipes/engine/card/card.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "framework/core/error.h"
#include "recipes/engine/card/card_conventions.h"
#include "recipes/engine/card/card_mask.h"
#include "recipes/engine/card/card_phases.h"

namespace locus {

namespace {

using nlohmann::json;

constexpr Index max_positions = 8;     // where none are asked for
constexpr Index max_distances = 4096;  // on each side, in a row

std::vector<std::int64_t> counting(std::int64_t from, std::int64_t count) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), from);
    return numbers;
}

// Every distance within the length, and those between the positions asked for; only the past where that is
// all a query sees.
std::vector<std::int64_t> distances_of(const CardRequest& request, bool causal) {
    const Index max = std::min(request.length, max_distances);
    std::set<std::int64_t> distances;
    for (std::int64_t d = causal ? 0 : 1 - max; d < max; ++d) distances.insert(d);
    for (const std::int64_t query : request.positions)
        for (const std::int64_t key : request.positions)
            if (!causal || query >= key) distances.insert(query - key);
    return {distances.begin(), distances.end()};
}

CardRequest request_of(const Recipe& recipe, const CardQuestion& question) {
    CardRequest request;
    request.length = question.length == 0 ? recipe.train.length : question.length;
    require(request.length >= 1, "card: expected a length of at least 1 token, found {}", request.length);
    request.positions = question.positions;
    if (request.positions.empty()) request.positions = counting(0, std::min(request.length, max_positions));
    request.distances = distances_of(request, recipe.mask.causal);
    return request;
}

json options_of(const Options& options) {
    json out = json::object();
    for (const auto& [name, value] : options.values())
        std::visit([&](const auto& held) { out[name] = held; }, value);
    return out;
}

/// magnitude * wave(position * inverse frequency), [positions][pairs].
json waves(const EncodingCard& card, const std::vector<std::int64_t>& positions, double (*wave)(double)) {
    json out = json::array();
    if (card.inv_freq.empty()) return out;
    for (std::size_t p = 0; p < positions.size(); ++p) {
        const std::int64_t position = positions[p];
        json row = json::array();
        const bool early = position < card.early_positions && !card.early_inv_freq.empty();
        const auto& turning = early ? card.early_inv_freq : card.inv_freq;
        for (std::size_t i = 0; i < turning.size(); ++i) {
            const double inverse = turning[i];
            const bool own = early && !card.query_magnitude.empty();
            const double turned = own ? card.query_magnitude[p][i] : card.magnitude;
            const double magnitude = card.inv_freq[i] == 0 ? 1 : turned;  // a pair that stands is left alone
            row.push_back(magnitude * wave(static_cast<double>(position) * inverse));
        }
        out.push_back(std::move(row));
    }
    return out;
}

// Turns over the positions of training; the cells of a grid do not stand in one line.
json trained_arc(const EncodingCard& card, const std::string& kind, Index trained_positions) {
    json out = json::array();
    if (!EncodingRegistry::instance().at(kind).reads(1)) return out;
    for (const double inverse : card.inv_freq)
        out.push_back(static_cast<double>(trained_positions) * inverse / (2 * std::numbers::pi));
    return out;
}

Index encoding_parameters(const Transformer& model) {
    Index count = 0;
    for (const ParameterInfo& parameter : model.parameters().parameters())
        if (parameter.name.starts_with("encoding.")) count += parameter.shape.count();
    return count;
}

// What an encoding described by halves would be shown by halves.
void check_sizes(const EncodingCard& card, const CardRequest& request, const std::string& kind) {
    const auto fits = [&](std::size_t found, std::size_t expected, const char* list, const char* of) {
        require(found == 0 || found == expected,
                "card: encoding {} describes {} of {}: expected {} entries or none, found {}", kind, list, of,
                expected, found);
    };
    const std::size_t pairs = card.inv_freq.size(), positions = request.positions.size();
    fits(card.early_inv_freq.size(), pairs, "early_inv_freq", "pairs");
    fits(card.pair_axis.size(), pairs, "pair_axis", "pairs");
    fits(card.zeta.size(), pairs, "zeta", "pairs");
    fits(card.query_magnitude.size(), positions, "query_magnitude", "positions");
    fits(card.key_magnitude.size(), positions, "key_magnitude", "positions");
    fits(card.embedding.size(), positions, "embedding", "positions");
    fits(card.rows.size(), card.distances.size(), "rows", "distances");
    for (const auto& row : card.bias)
        require(
            row.size() == card.distances.size(),
            "card: encoding {} describes biases of a head: expected one for each of its {} distances, found "
            "{}",
            kind, card.distances.size(), row.size());
}

}  // namespace

json card_json(const Recipe& recipe, const Transformer& model, const CardQuestion& question) {
    const CardRequest request = request_of(recipe, question);
    EncodingCard card;
    model.encoding().describe(card, request);
    check_sizes(card, request, recipe.encoding.kind);
    if (card.logit_scale == 0) card.logit_scale = 1 / std::sqrt(static_cast<double>(recipe.model.head_dim()));
    json out;
    out["kind"] = recipe.encoding.kind;
    out["options"] = options_of(recipe.encoding.options);
    out["conventions"] = conventions_of(recipe, model, card);
    out["base"] = card.base ? json(*card.base) : json();
    out["length"] = request.length;
    const Index reach = recipe.data.positions.span(trained_length(recipe));
    out["train_length"] = trained_length(recipe);
    out["trained_positions"] = reach;
    out["inv_freq"] = card.inv_freq;
    out["early_inv_freq"] = card.early_inv_freq;
    out["early_positions"] = card.early_positions;
    out["pair_axis"] = card.pair_axis;
    out["learned_inv_freq"] = card.learned_inv_freq;
    out["magnitude"] = card.magnitude;
    out["zeta"] = card.zeta;
    out["query_magnitude"] = card.query_magnitude;
    out["key_magnitude"] = card.key_magnitude;
    out["logit_scale"] = card.logit_scale;
    out["trained_arc"] = trained_arc(card, recipe.encoding.kind, reach);
    out["phases"] = phases_of(recipe, model, request.length);
    out["slopes"] = card.slopes;
    out["distances"] = card.distances;
    out["rows"] = card.rows;
    out["bias"] = card.bias;
    out["positions"] = request.positions;
    out["cos"] = waves(card, request.positions, [](double angle) { return std::cos(angle); });
    out["sin"] = waves(card, request.positions, [](double angle) { return std::sin(angle); });
    out["embedding"] = card.embedding;
    add_masks(out, recipe, request.length);
    out["parameters"] = model.parameters().count();
    out["encoding_parameters"] = encoding_parameters(model);
    return out;
}

}  // namespace locus
