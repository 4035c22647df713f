#include "recipes/engine/card/card_mask.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "models/layer_mask.h"
#include "models/receptive_path.h"

namespace locus {

namespace {

using nlohmann::json;

constexpr Index max_masked = 128;      // tokens of a mask
constexpr Index max_followed = 65536;  // tokens of the receptive path
constexpr std::size_t max_listed = 4096, max_drawn = 8, max_kinds = 8;

json mask_matrix(const Mask& mask, Index length) {
    const Index shown = std::min(length, max_masked);
    json out = json::array();
    for (Index i = 0; i < shown; ++i) {
        json row = json::array();
        for (Index j = 0; j < shown; ++j) row.push_back(mask.allows(0, i, j, length, length) ? 1 : 0);
        out.push_back(std::move(row));
    }
    return out;
}

// Layers with the same mask, together.
json kinds_of(const std::vector<Mask>& layers, Index length) {
    json kinds = json::array();
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        const Mask& mask = layers[layer];
        const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const json& kind) {
            return kind["window"] == mask.window && kind["dilation"] == mask.dilation;
        });
        if (same != kinds.end()) {
            (*same)["layers"].push_back(layer);
            continue;
        }
        kinds.push_back({{"layers", json::array({layer})},
                         {"window", mask.window},
                         {"dilation", mask.dilation},
                         {"mask", mask_matrix(mask, length)}});
    }
    return kinds;
}

json path_of(const std::vector<Mask>& layers, Index length) {
    const ReceptivePath path = receptive_path(layers, std::min(length, max_followed));
    json listed = json::array();
    for (std::size_t n = 0; n < std::min(path.layers.size(), max_listed); ++n)
        listed.push_back(path.layers[n] == ReceptivePath::never ? json() : json(path.layers[n]));
    std::vector<Index> gaps = path.gaps();
    const std::size_t count = gaps.size();
    gaps.resize(std::min(count, max_listed));
    const Index windows = reach_of_windows(layers);
    return {{"length", path.layers.size()},
            {"layers_to_distance", std::move(listed)},
            {"farthest", path.farthest()},
            {"reach", path.farthest() + 1},
            {"gaps", gaps},
            {"gap_count", count},
            {"reach_of_windows", windows == 0 ? json() : json(windows)}};
}

std::string kind_text(const json& kind) {
    const auto layers = kind["layers"].get<std::vector<Index>>();
    std::string text = fmt::format("\nmask of layer{} {} (rows: queries, columns: keys; ",
                                   layers.size() > 1 ? "s" : "", fmt::join(layers, ", "));
    const auto window = kind["window"].get<Index>(), dilation = kind["dilation"].get<Index>();
    text += window == 0 ? "no window" : fmt::format("window {}", window);
    text += dilation > 1 ? fmt::format(", dilation {})\n", dilation) : ")\n";
    const json& rows = kind["mask"];
    for (std::size_t i = 0; i < std::min(rows.size(), max_drawn); ++i) {
        text += " ";
        for (std::size_t j = 0; j < std::min(rows.size(), max_drawn); ++j)
            text += rows[i][j] != 0 ? " x" : " .";
        text += "\n";
    }
    return text;
}

// Distances 1, 2, 4, 8, ... and the farthest, each with its layers.
std::string path_text(const json& path) {
    std::string distances, layers;
    const json& needed = path["layers_to_distance"];
    const auto farthest = path["farthest"].get<std::size_t>();
    for (std::size_t n = 1; n < needed.size(); ++n) {
        if ((n & (n - 1)) != 0 && n != farthest) continue;
        distances += fmt::format(" {:>6}", n);
        layers += fmt::format(" {:>6}", needed[n].is_null() ? "-" : needed[n].dump());
    }
    std::string text = fmt::format("\nreceptive path of the last of {} tokens\n", path["length"].dump());
    if (!distances.empty())
        text += fmt::format("  tokens back    {}\n  layers needed  {}\n", distances, layers);
    text +=
        fmt::format("  through all layers: {} tokens back, {} with itself", farthest, path["reach"].dump());
    if (!path["reach_of_windows"].is_null())
        text += fmt::format("; windows alone, without the end of the sequence: {}",
                            path["reach_of_windows"].dump());
    if (path["gap_count"] != 0)
        text += fmt::format("; {} nearer distances have no path", path["gap_count"].dump());
    return text + "\n";
}

std::string numbers_text(const PerLayer& numbers) {
    if (numbers.each.empty()) return fmt::format("{}", numbers.all);
    return fmt::format("{} by layer", fmt::join(numbers.each, ", "));
}

}  // namespace

void add_masks(json& card, const Recipe& recipe, Index length) {
    std::vector<Mask> layers;
    json windows = json::array(), dilations = json::array();
    for (Index layer = 0; layer < recipe.model.layers; ++layer) {
        layers.push_back(layer_mask(recipe.mask, layer));
        windows.push_back(layers.back().window);
        dilations.push_back(layers.back().dilation);
    }
    card["windows"] = std::move(windows);
    card["dilations"] = std::move(dilations);
    card["masks"] = kinds_of(layers, length);
    card["mask"] = card["masks"][0]["mask"];
    card["receptive_path"] = path_of(layers, length);
}

std::string masks_text(const json& card) {
    std::string text;
    const json& kinds = card["masks"];
    for (std::size_t k = 0; k < std::min(kinds.size(), max_kinds); ++k) text += kind_text(kinds[k]);
    if (kinds.size() > max_kinds) text += fmt::format("  ... and {} more masks\n", kinds.size() - max_kinds);
    return text + path_text(card["receptive_path"]);
}

std::string mask_convention(const MaskOptions& mask) {
    std::string text =
        mask.causal ? "causal: a token sees itself and earlier ones" : "all tokens see each other";
    const bool windows = mask.window != 0;
    text += windows ? fmt::format("; window {}{}", numbers_text(mask.window),
                                  mask.window.each.empty() ? "" : " (0: no window)")
                    : std::string("; no window");
    text += fmt::format(
        "; a window W counts the query itself ({}Hugging Face's sliding_window W, flash-attn's left = W - "
        "1{})",
        mask.causal ? "i - W < j <= i: " : "|i - j| < W: ", mask.causal ? "" : " = right");
    if (mask.dilation != 1)
        text += fmt::format("; dilation {}: keys at multiples of it, (W - 1) x dilation back",
                            numbers_text(mask.dilation));
    if (mask.global > 0)
        text += fmt::format("; the first {} tokens see all and are seen by all{}", mask.global,
                            mask.causal ? ", but never a later one" : "");
    if (mask.global_projections)
        text += "; the queries of global tokens, and what those see, have projections of their own";
    return text;
}

}  // namespace locus
