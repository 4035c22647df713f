#include "framework/core/error.h"
#include "models/layer_mask.h"
#include "models/scaling.h"
#include "recipes/engine/config/resolve.h"
#include "recipes/engine/config/said.h"

namespace locus {

namespace {

void resolve_model(ModelOptions& model, const Said& said) {
    if (!said.has("model.kv_heads")) model.kv_heads = model.heads;
    require(model.width % model.heads == 0,
            "{}: model.heads must divide model.width: width {} is not a multiple of {} heads",
            said.where({"model.heads", "model.width"}), model.width, model.heads);
    require(model.heads % model.kv_heads == 0,
            "{}: model.kv_heads must divide model.heads: {} heads are not a multiple of {} kv_heads",
            said.where({"model.kv_heads", "model.heads"}), model.heads, model.kv_heads);
    require(model.hidden() >= 1, "{}: model.mlp_ratio {} of model.width {} leaves no hidden width",
            said.where({"model.mlp_ratio"}), model.mlp_ratio, model.width);
}

void resolve_mask(const MaskOptions& mask, Index layers, const Said& said) {
    try {
        check_mask(mask, layers);
    } catch (const Error& error) {  // it begins with the key that is wrong
        const std::string text = error.what();
        fail(error.kind(), "{}: {}", said.where({text.substr(0, text.find(':'))}), text);
    }
}

// What a rule refuses has a line here; the length that it begins with is written down, so that it travels
// with every checkpoint.
void resolve_scaling(Recipe& recipe, const Said& said) {
    const Index root = recipe.from.original_length;
    try {
        locus::resolve_scaling(recipe.encoding.options, root > 0 ? root : recipe.train.length);
    } catch (const Error& error) {
        std::vector<std::string> places;
        for (const Option& option : extension_options()) places.push_back("encoding.scaling." + option.name);
        std::swap(places[1], places[2]);  // a target tells more of a fault than the original length
        places.push_back("encoding.scaling.type");
        fail(error.kind(), "{}: encoding.{}", said.where(places), error.what());
    }
}

}  // namespace

void resolve_function(Draft& draft, const Overlay& overlay, const Schema& schema, const std::string& place) {
    const Said said(overlay, place);
    Recipe& recipe = draft.recipe;
    resolve_model(recipe.model, said);
    resolve_mask(recipe.mask, recipe.model.layers, said);
    resolve_scaling(recipe, said);
    try {
        schema.resolve_encoding(recipe);
    } catch (const Error& error) {
        const std::string text = error.what();
        if (!text.starts_with("scaling ")) throw;  // a rule names the option that it refuses
        std::vector<std::string> places;
        for (const auto& [path, value] : overlay.values)
            if (path.starts_with("encoding.scaling.") &&
                text.find(" " + path.substr(std::string("encoding.scaling.").size()) + ":") !=
                    std::string::npos)
                places.push_back(path);
        places.push_back("encoding.scaling.type");
        fail(error.kind(), "{}: encoding.{}", said.where(places), text);
    }
}

}  // namespace locus
