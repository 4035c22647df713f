#include "recipes/engine/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/scaling.h"
#include "recipes/engine/verify/verify_checks.h"

namespace locus {

namespace {

nlohmann::json finite_or_null(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

}  // namespace

bool VerifyReport::passed() const {
    return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed(); });
}

nlohmann::json to_json(const VerifyReport& report) {
    auto checks = nlohmann::json::array();
    for (const Check& check : report.checks) {
        checks.push_back({{"name", check.name},
                          {"difference", finite_or_null(check.difference)},
                          {"limit", check.limit},
                          {"bound", check.at_least ? "above" : "at most"},
                          {"passed", check.passed()}});
    }
    return {{"encoding", report.encoding},
            {"parameters", report.trained ? "trained" : "drawn"},
            {"logit_deviation", finite_or_null(report.logit_deviation)},
            {"encoding_effect", finite_or_null(report.encoding_effect)},
            {"checks", checks}};
}

namespace {

struct NamedMask {
    std::string name;
    MaskOptions mask;
};

// The recipe's mask, and where it is causal a window and global tokens, which a cache meets in other ways.
std::vector<NamedMask> masks_of(const Recipe& recipe) {
    std::vector<NamedMask> masks{{"the recipe's mask", recipe.mask}};
    if (!recipe.mask.causal) return masks;
    const Index window = std::max<Index>(2, recipe.train.length / 4);
    MaskOptions plain, windowed, with_global;
    windowed.window = with_global.window = window;
    with_global.global = 3;
    if (!(recipe.mask.window == 0)) masks.push_back({"causal", plain});
    masks.push_back({"window", windowed});
    masks.push_back({"window and global tokens", with_global});
    return masks;
}

// Beyond the trained length by half, and no further than a table or grid holds.
Index length_of_passes(const Recipe& recipe, const Transformer& model) {
    if (model.axes() == 2) return trained_length(recipe);
    const Index trained = scaling_of(recipe.encoding.options).original_length(trained_length(recipe));
    const Index wanted = trained + std::max<Index>(8, trained / 2);
    const auto holds = model.encoding().longest();
    return holds ? std::min(wanted, *holds) : wanted;
}

double effect_of_encoding(const Recipe& recipe, const Transformer& model, const std::vector<Token>& tokens,
                          const Tensor& logits) {
    const EncodingOptions none{no_encoding, Options(EncodingRegistry::instance().at(no_encoding).options)};
    const auto bare = model_like(model, recipe, recipe.mask, none);
    return largest_difference(logits_of(*bare, text_batch(*bare, recipe, tokens)), logits);
}

}  // namespace

VerifyReport verify(const Recipe& recipe, const Transformer* trained, const VerifyOptions& options) {
    const std::unique_ptr<Transformer> drawn = trained ? nullptr : drawn_model(recipe);
    const Transformer& model = trained ? *trained : *drawn;
    const Index length = length_of_passes(recipe, model);
    VerifyReport report;
    report.encoding = recipe.encoding.kind;
    report.trained = trained != nullptr;
    const TakeCheck take = [&](Check check) {
        report.checks.push_back(check);
        if (options.show) options.show(check);
    };

    const std::vector<Token> tokens = drawn_tokens(model, length, 0);
    const Tensor logits = logits_of(model, text_batch(model, recipe, tokens));
    report.logit_deviation = standard_deviation(logits);
    report.encoding_effect = effect_of_encoding(recipe, model, tokens, logits);
    if (!trained) {
        take({"standard deviation of the logits", report.logit_deviation, 1, true});
        if (recipe.encoding.kind != no_encoding)
            take({"change of the logits without the encoding", report.encoding_effect, 1e-2, true});
    }

    // Where a rule changes the frequencies, which a fine-tuned model has behind it.
    const Index switched = scaling_of(recipe.encoding.options).original_length(trained_length(recipe));
    const VerifySubject whole{recipe, model, "the recipe's mask", switched, length, !trained};
    check_order(whole, take);
    check_shift(whole, take);
    check_rotation(whole, take);
    check_scaling_rules(whole, take);
    check_length_rule(whole, take);
    for (const NamedMask& named : masks_of(recipe)) {
        const auto masked = model_like(model, recipe, named.mask, recipe.encoding);
        const VerifySubject subject{recipe, *masked, named.name, switched, length, !trained};
        check_mask(subject, take);
        if (recipe.mask.causal) check_cache(subject, take);
        check_together(subject, take);
        check_forms(subject, take);
    }
    check_threads(whole, options.threads, take);
    check_ranks(whole, options.group, take);
    check_resume(whole, take);
    return report;
}

}  // namespace locus
