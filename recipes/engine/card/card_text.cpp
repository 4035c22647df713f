#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/error.h"
#include "recipes/engine/card/card.h"
#include "recipes/engine/card/card_mask.h"
#include "recipes/engine/card/card_phases.h"

namespace locus {

namespace {

using nlohmann::json;

constexpr std::size_t max_pairs = 64, max_heads = 32;

std::string plain(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string list(const json& object) {
    std::size_t width = 0;
    for (const auto& [name, value] : object.items()) width = std::max(width, name.size());
    std::string text;
    for (const auto& [name, value] : object.items())
        text += fmt::format("  {:<{}}  {}\n", name, width, plain(value));
    return text;
}

std::string more(std::size_t count, std::size_t max, const char* what) {
    return count > max ? fmt::format("  ... and {} more {}\n", count - max, what) : "";
}

// A column of the frequencies, empty where the card has no such list.
std::string cell(const json& numbers, std::size_t i, int width) {
    return numbers.empty() ? ""
                           : fmt::format("  {:>{}}", fmt::format("{:.6g}", numbers[i].get<double>()), width);
}

std::string frequencies(const json& card) {
    const auto inverse = card["inv_freq"].get<std::vector<double>>();
    if (inverse.empty()) return "";
    const json &arcs = card["trained_arc"], &axes = card["pair_axis"], &zeta = card["zeta"];
    std::string text = fmt::format("\nfrequencies, magnitude {:.6g}", card["magnitude"].get<double>());
    if (!arcs.empty())
        text += fmt::format(" (turns: over the {} trained positions)", plain(card["trained_positions"]));
    text += "\n";
    text += fmt::format("  {:>4}  {:>14}  {:>14}{}{}{}\n", "pair", "radians/token", "wavelength",
                        arcs.empty() ? "" : fmt::format("  {:>12}", "turns"), axes.empty() ? "" : "  axis",
                        zeta.empty() ? "" : "        zeta");
    for (std::size_t i = 0; i < std::min(inverse.size(), max_pairs); ++i)
        text += fmt::format("  {:>4}  {:>14.8g}  {:>14.8g}{}{}{}\n", i, inverse[i],
                            2 * std::numbers::pi / inverse[i], cell(arcs, i, 12), cell(axes, i, 4),
                            cell(zeta, i, 10));
    return text + more(inverse.size(), max_pairs, "pairs");
}

// Both sides of zero at 0, 1, 2, 3, 4, 8, 16, ...: where biases change.
std::vector<std::size_t> telling(const std::vector<std::int64_t>& distances) {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < distances.size(); ++k) {
        const std::int64_t size = std::abs(distances[k]);
        if (size < 4 || (size & (size - 1)) == 0 || k + 1 == distances.size()) chosen.push_back(k);
    }
    return chosen;
}

std::string biases(const json& card) {
    const auto bias = card["bias"].get<std::vector<std::vector<double>>>();
    if (bias.empty()) return "";
    const auto distances = card["distances"].get<std::vector<std::int64_t>>();
    const auto rows = card["rows"].get<std::vector<std::int64_t>>();
    const bool tabled = !rows.empty();  // else the encoding has no table that a row could be of
    std::string text = fmt::format("\nbias by distance (query position - key position)\n  {:>8}{}",
                                   "distance", tabled ? fmt::format("  {:>6}", "row") : "");
    const std::size_t heads = std::min(bias.size(), max_heads);
    for (std::size_t h = 0; h < heads; ++h) text += fmt::format("  {:>12}", fmt::format("head {}", h));
    text += "\n";
    for (const std::size_t k : telling(distances)) {
        text += fmt::format("  {:>8}{}", distances[k], tabled ? fmt::format("  {:>6}", rows[k]) : "");
        for (std::size_t h = 0; h < heads; ++h) text += fmt::format("  {:>12.6g}", bias[h][k]);
        text += "\n";
    }
    return text + more(bias.size(), max_heads, "heads");
}

std::string slopes(const json& card) {
    std::string text;
    for (const double slope : card["slopes"].get<std::vector<double>>())
        text += fmt::format(" {:.8g}", slope);
    return text.empty() ? "" : "\nslopes by head:" + text + "\n";
}

// The first pairs at the first positions: the rest is in the JSON.
std::string waves(const json& card) {
    constexpr std::size_t positions = 8, pairs = 4;
    if (card["cos"].empty()) return "";
    const auto cos = card["cos"].get<std::vector<std::vector<double>>>();
    const auto sin = card["sin"].get<std::vector<std::vector<double>>>();
    const std::size_t shown = std::min(cos.front().size(), pairs);
    std::string text = fmt::format("\ncos and sin of pairs 0 to {} by position\n", shown - 1);
    for (std::size_t p = 0; p < std::min(cos.size(), positions); ++p) {
        text += fmt::format("  {:>8}", plain(card["positions"][p]));
        for (std::size_t i = 0; i < shown; ++i)
            text += fmt::format("  {:>11.8f} {:>11.8f}", cos[p][i], sin[p][i]);
        text += "\n";
    }
    return text + more(cos.size(), positions, "positions");
}

}  // namespace

std::string card_text(const json& card) {
    std::string text =
        fmt::format("encoding {}, {} parameters of {}, length {}\n", plain(card["kind"]),
                    plain(card["encoding_parameters"]), plain(card["parameters"]), plain(card["length"]));
    if (!card["options"].empty()) text += "\noptions\n" + list(card["options"]);
    text += "\nconventions\n" + list(card["conventions"]);
    return text + frequencies(card) + phases_text(card["phases"]) + waves(card) + slopes(card) +
           biases(card) + masks_text(card);
}

}  // namespace locus
