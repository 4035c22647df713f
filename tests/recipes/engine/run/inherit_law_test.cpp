// No step taken, nothing changed: a run that begins with another one and says nothing of a key has the
// ancestor's, whatever its own train.length. Every key of model, encoding and mask, of every encoding, under
// every rule of scaling.

#include <set>

#include "models/scaling.h"
#include "tests/recipes/engine/run/support.h"

namespace locus::test {
namespace {

// Values that need others beside them, or that no generic one stands for.
const std::multimap<std::string, Settings>& hints() {
    static const std::multimap<std::string, Settings> all = {
        {"mask.window", {{"mask.window", "5"}}},
        {"mask.dilation", {{"mask.window", "5"}, {"mask.dilation", "2"}}},
        {"mask.global", {{"mask.window", "5"}, {"mask.global", "2"}}},
        {"mask.global_projections",
         {{"mask.window", "5"}, {"mask.global", "2"}, {"mask.global_projections", "true"}}},
        {"encoding.band", {{"encoding.band", "1-2"}}},
        {"encoding.band_form",
         {{"encoding.band", "1-2"}, {"encoding.band_form", "linear"}, {"encoding.band_factor", "2"}}},
        {"encoding.band_factor",
         {{"encoding.band", "1-2"}, {"encoding.band_form", "linear"}, {"encoding.band_factor", "3"}}},
        {"encoding.mrope_section", {{"encoding.mrope_section", "\"2,1,1\""}}},
        {"encoding.fraction", {{"encoding.fraction", "0.5"}}},
        {"encoding.fraction", {{"encoding.fraction", "0.5"}, {"encoding.scaling.long_factor", "[1, 1.5]"}}},
        {"encoding.rows", {{"encoding.rows", "9"}, {"encoding.columns", "5"}}},
        {"encoding.columns", {{"encoding.rows", "8"}, {"encoding.columns", "6"}}},
        {"encoding.grid_rows", {{"encoding.grid_rows", "9"}, {"encoding.grid_columns", "5"}}},
        {"encoding.grid_columns", {{"encoding.grid_rows", "8"}, {"encoding.grid_columns", "6"}}},
        {"encoding.pt_seq_len", {{"encoding.pt_seq_len", "4"}, {"encoding.ft_seq_len", "8"}}},
        {"encoding.ft_seq_len", {{"encoding.pt_seq_len", "6"}, {"encoding.ft_seq_len", "9"}}},
        {"encoding.scaling.target_length", {{"encoding.scaling.target_length", "32"}}},
        {"encoding.scaling.long_factor", {{"encoding.scaling.long_factor", "[1, 1.25, 1.5, 2]"}}},
        {"encoding.scaling.long_factor", {{"encoding.scaling.long_factor", "[1, 1.5]"}}},
        {"encoding.scaling.short_factor", {{"encoding.scaling.short_factor", "[1, 1.25, 1.5, 2]"}}},
        {"encoding.scaling.short_factor", {{"encoding.scaling.short_factor", "[1, 1.5]"}}},
        {"encoding.scaling.mscale",
         {{"encoding.scaling.mscale", "0.7"}, {"encoding.scaling.mscale_all_dim", "1"}}},
        {"encoding.scaling.mscale_all_dim",
         {{"encoding.scaling.mscale", "1"}, {"encoding.scaling.mscale_all_dim", "0.7"}}},
    };
    return all;
}

// The law has nothing to say: a next-token model is causal, whatever the recipe wants.
const std::set<std::string> without_other_value = {"mask.causal"};

std::optional<Recipe> legal(const Settings& settings) {
    try {
        Recipe recipe = cell_from(settings).recipe;
        make_model(recipe);
        return recipe;
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::string written(const Key& key, const Recipe& recipe) {
    const auto value = key.write(recipe);
    if (!value) return "";
    std::string text = value->text;
    for (const Value& item : value->items) text += "," + item.text;
    return text;
}

std::vector<std::string> candidates_of(const std::string& path, const std::vector<Option>& options) {
    std::vector<std::string> texts;
    for (const Option& option : options)
        if (path == "encoding." + option.name)
            texts.insert(texts.end(), option.choices.begin(), option.choices.end());
    for (const char* text :
         {"true", "false", "1", "2", "3", "5", "8", "24", "40", "0.5", "1.5", "rms", "swiglu"})
        texts.emplace_back(text);
    return texts;
}

// What sets `key` to a legal value other than that of `base`, and nothing where there is none.
std::optional<Settings> other_value(const Key& key, const Settings& base, const Recipe& standard) {
    std::vector<Settings> tries;
    const auto [first, last] = hints().equal_range(key.path);
    for (auto hint = first; hint != last; ++hint) tries.push_back(hint->second);
    const auto& encoding = EncodingRegistry::instance().at(standard.encoding.kind);
    const std::string rule = scaling_of(standard.encoding.options).type;
    for (const std::string& text : candidates_of(key.path, options_under(encoding, rule)))
        tries.push_back({{key.path, text}});
    for (const Settings& one : tries) {
        Settings changed = one;
        changed.insert(base.begin(), base.end());
        const auto recipe = legal(changed);
        if (recipe && written(key, *recipe) != written(key, standard)) return one;
    }
    return std::nullopt;
}

// These decide which keys there are.
bool is_choice_of_kind(const std::string& path) {
    return path == "encoding.kind" || path == "encoding.preset" || path == "encoding.scaling.type";
}

std::string section_of(const std::string& path) {
    return path.substr(0, path.find('.'));
}

// Each key of these sections alone, then each beside the next one of its section, of which the child repeats
// only one: what is said of a section hides nothing else of it.
void expect_law(const Settings& base, const std::set<std::string>& sections) {
    const CheckpointPath path;
    const auto standard = legal(base);
    ASSERT_TRUE(standard) << text_of(base);
    expect_same_function(base, {}, path);
    std::vector<std::pair<std::string, Settings>> settings;
    for (const Key* key : recipe_schema().keys(standard->encoding.kind)) {
        const bool of_other_rule =
            key->path.starts_with("encoding.scaling.") &&
            !standard->encoding.options.has(key->path.substr(std::string("encoding.").size()));
        if (!sections.contains(section_of(key->path)) || of_other_rule || is_choice_of_kind(key->path) ||
            without_other_value.contains(key->path))
            continue;
        const auto one = other_value(*key, base, *standard);
        if (!one) {
            ADD_FAILURE() << "no other value of " << key->path << " was found: it needs a hint";
            continue;
        }
        settings.emplace_back(key->path, *one);
        Settings changed = *one;
        changed.insert(base.begin(), base.end());
        expect_same_function(changed, {}, path);
    }
    for (std::size_t i = 0; i + 1 < settings.size(); ++i) {
        const auto& [path_i, one] = settings[i];
        const auto& [next, other] = settings[i + 1];
        if (section_of(path_i) != section_of(next)) continue;
        Settings both = other;
        both.insert(one.begin(), one.end());
        both.insert(base.begin(), base.end());
        const auto recipe = legal(both);
        if (!recipe) continue;
        for (const std::string& said : std::vector<std::string>{path_i, next}) {
            if (!both.contains(said)) continue;
            expect_same_function(both, {{said, both.at(said)}}, path);
        }
    }
}

class NothingChanged : public ::testing::TestWithParam<std::string> {};

TEST_P(NothingChanged, WhateverKeyTheAncestorSet) {
    expect_law(small(GetParam()), {"model", "encoding", "mask"});
}

TEST_P(NothingChanged, UnderEveryRuleOfScaling) {
    for (const std::string& rule : scaling_rules(EncodingRegistry::instance().at(GetParam()))) {
        if (rule == "plain") continue;
        Settings base = small(GetParam());
        base["encoding.scaling.type"] = rule;
        std::optional<Settings> found;
        for (const char* factors : {"", "[1, 1.5, 2, 2]", "[1, 2]"}) {
            Settings scaled = base;
            if (FrequencyRegistry::instance().at(rule).options.size() > 0)
                scaled["encoding.scaling.factor"] = "2";
            if (*factors != '\0') scaled["encoding.scaling.long_factor"] = factors;
            if (!found && legal(scaled)) found = scaled;
        }
        ASSERT_TRUE(found) << rule;
        expect_law(*found, {"encoding"});
    }
}

INSTANTIATE_TEST_SUITE_P(OfEveryEncoding, NothingChanged,
                         ::testing::ValuesIn(EncodingRegistry::instance().names()),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace locus::test
