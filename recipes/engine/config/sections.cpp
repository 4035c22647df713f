#include "recipes/engine/config/sections.h"

#include "framework/core/error.h"

namespace locus {

namespace {

void append(std::vector<Key>& all, std::vector<Key> keys) {
    for (Key& key : keys) all.push_back(std::move(key));
}

Key question_key() {
    return {"question", "what the experiment asks; stands above its table",
            [](Draft& draft, const Value& value) {
                if (value.type != Value::Type::scalar) refuse(value, "question", "a text");
                draft.recipe.question = value.text;
            },
            [](const Recipe& recipe) { return Value::scalar(recipe.question); }};
}

std::vector<Key> model_keys() {
    using M = ModelOptions;
    Keys<M> keys("model", &Recipe::model);
    // Sizes that a slip of the pen gives (1e9) are refused here, before they take all memory.
    keys.integer("layers", &M::layers, {1, 1024}, "blocks of attention and MLP");
    keys.integer("width", &M::width, {1, 65536}, "of the residual stream; a multiple of heads");
    keys.integer("heads", &M::heads, {1, 65536}, "query heads");
    keys.integer("kv_heads", &M::kv_heads, at_least(1),
                 "key/value heads, a divisor of heads; default: heads");
    keys.number("mlp_ratio", &M::mlp_ratio, {0, 1024, true, false}, "hidden width of the MLP / width");
    keys.choice("norm", &M::norm, {"layer", "rms"}, "kind of normalisation, before each part of a block");
    keys.number("norm_epsilon", &M::norm_epsilon, {0, 1, true, false},
                "added to the variance (others: layer_norm_eps, rms_norm_eps)");
    keys.choice("activation", &M::activation, {"gelu_tanh", "swiglu"}, "of the MLP");
    keys.flag("bias", &M::bias, "whether linear layers and layer norms have biases");
    keys.number("dropout", &M::dropout, {0, 1, false, true},
                "share dropped of embeddings and residual branches");
    keys.flag("tie_embeddings", &M::tie_embeddings, "whether the output matrix is the embedding matrix");
    keys.custom(
        "init",
        "standard deviation of initial weights and embeddings; fan_in: 1 / sqrt(width); outputs to the "
        "residual stream are smaller by sqrt(2 layers)",
        {"number or fan_in", "> 0"},
        [](Draft& draft, const Value& value, const std::string& path) {
            const bool fan_in = value.type == Value::Type::scalar && value.text == "fan_in";
            if (!fan_in && value.type == Value::Type::scalar && !number_from(value.text))
                refuse(value, path, "fan_in or a number such as 0.02");
            draft.recipe.model.init = fan_in ? 0 : read_number(value, path, {0, 1000, true, false});
        },
        [](const Recipe& recipe) {
            return recipe.model.init > 0 ? Value::number(recipe.model.init) : Value::scalar("fan_in");
        });
    return keys.take();
}

void read_preset(Draft& draft, const Value& value, const std::string& path,
                 const std::vector<Preset>& presets) {
    if (value.type != Value::Type::scalar) refuse(value, path, "the name of a preset such as rope@llama");
    const Preset* preset = find_preset(presets, value.text);
    if (preset == nullptr)
        refuse(value, path,
               fmt::format("a preset; the nearest is '{}' (see: locus list presets)",
                           nearest_preset(presets, value.text)));
    draft.recipe.encoding.kind = preset->kind();
    draft.preset = preset->options;
}

Key kind_key(const std::map<std::string, std::vector<Option>>& kinds, const std::vector<Preset>& presets) {
    std::vector<std::string> names;
    for (const auto& [name, options] : kinds) names.push_back(name);
    return {"encoding.kind",
            "the one source of position in the model, or a preset such as rope@llama",
            [names, presets](Draft& draft, const Value& value) {
                if (value.text.find('@') != std::string::npos)
                    return read_preset(draft, value, "encoding.kind", presets);
                draft.recipe.encoding.kind = names[read_choice(value, "encoding.kind", names)];
            },
            [](const Recipe& recipe) { return Value::scalar(recipe.encoding.kind); },
            "",
            choice_type(names)};
}

Key preset_key(const std::vector<Preset>& presets) {
    return {"encoding.preset",
            "the encoding as another system has it, such as rope@llama; instead of kind",
            [presets](Draft& draft, const Value& value) {
                read_preset(draft, value, "encoding.preset", presets);
            },
            [](const Recipe&) { return std::nullopt; },
            "encoding.kind",
            {"preset"}};
}

std::vector<Key> encoding_section_keys() {
    Keys<EncodingOptions> keys("encoding", &Recipe::encoding);
    keys.number("lr_factor", &EncodingOptions::lr_factor, {0, 1000},
                "the learning rate of the encoding's own parameters / train.lr; 0: they stay as they began");
    return keys.take();
}

/// One number for all layers, or a list of one per layer.
void add_per_layer(Keys<MaskOptions>& keys, const std::string& name, PerLayer MaskOptions::*member,
                   const Range<Index>& range, const std::string& example, const std::string& doc) {
    keys.custom(
        name, doc, {"integer or list of integers", text_of(range)},
        [=](Draft& draft, const Value& value, const std::string& path) {
            PerLayer& numbers = draft.recipe.mask.*member;
            if (value.type != Value::Type::list) {
                numbers = read_integer(value, path, range);
                return;
            }
            std::vector<Index> each;
            for (const Value& item : read_list(value, path, example))
                each.push_back(read_integer(item, path, range));
            numbers = each;
        },
        [=](const Recipe& recipe) -> std::optional<Value> {
            const PerLayer& numbers = recipe.mask.*member;
            if (numbers == 0) return std::nullopt;
            if (numbers.each.empty()) return Value::number(numbers.all);
            return Value::list(numbers.each);
        });
}

std::vector<Key> mask_keys() {
    using M = MaskOptions;
    Keys<M> keys("mask", &Recipe::mask);
    keys.flag("causal", &M::causal, "whether a token sees only itself and earlier ones");
    add_per_layer(keys, "window", &M::window, at_least(0), "[32, 0, 32, 0]",
                  "keys that a query sees, itself included; 0: all; a list: one per layer");
    add_per_layer(keys, "dilation", &M::dilation, {1, 1'000'000}, "[1, 1, 2, 2]",
                  "step between the keys of a window; a list: one per layer");
    keys.integer("global", &M::global, at_least(0), "first tokens, seen by all in spite of the window");
    keys.flag("global_projections", &M::global_projections,
              "whether global tokens have q, k and v projections of their own in layers with a window");
    return keys.take();
}

std::string text_of_option(const OptionValue& value) {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const Index* integer = std::get_if<Index>(&value)) return text_of(*integer);
    if (const double* number = std::get_if<double>(&value)) return text_of(*number);
    if (std::holds_alternative<std::vector<double>>(value)) return "";
    return std::get<std::string>(value);
}

template <typename T>
Range<T> bounds_of(const Option& option) {
    constexpr double limit = 9007199254740992.0;  // beyond it a bound is no bound
    Range<T> range;
    if (option.min > -limit) range.min = static_cast<T>(option.min);
    if (option.max < limit) range.max = static_cast<T>(option.max);
    return range;
}

}  // namespace

OptionValue read_option(const Value& value, const std::string& path, const Option& option) {
    // A standard value may stand for "not set" outside the bounds, and must survive its own recipe.
    if (value.type == Value::Type::scalar && value.text == text_of_option(option.standard))
        return option.standard;
    if (std::holds_alternative<bool>(option.standard)) return read_flag(value, path);
    if (std::holds_alternative<double>(option.standard))
        return read_number(value, path, {option.min, option.max});
    if (std::holds_alternative<std::string>(option.standard)) {
        if (option.choices.empty()) return read_text(value, path);
        return option.choices[read_choice(value, path, option.choices)];
    }
    if (std::holds_alternative<std::vector<double>>(option.standard)) {
        std::vector<double> numbers;
        for (const Value& item : read_list(value, path, "[1, 1.5, 2]"))
            numbers.push_back(read_number(item, path, {option.min, option.max}));
        return numbers;
    }
    return read_integer(value, path, bounds_of<Index>(option));
}

std::optional<Value> written_option(const OptionValue& value) {
    const auto* numbers = std::get_if<std::vector<double>>(&value);
    if (const bool* flag = std::get_if<bool>(&value)) return Value::flag(*flag);
    if (const Index* integer = std::get_if<Index>(&value)) return Value::number(*integer);
    if (const double* number = std::get_if<double>(&value)) return Value::number(*number);
    if (numbers == nullptr) return Value::scalar(std::get<std::string>(value));
    if (numbers->empty()) return std::nullopt;
    return Value::list(*numbers);
}

KeyType type_of(const Option& option) {
    if (std::holds_alternative<bool>(option.standard)) return {"flag", "true, false"};
    if (std::holds_alternative<Index>(option.standard)) return integer_type(bounds_of<Index>(option));
    if (std::holds_alternative<double>(option.standard)) return number_type(bounds_of<double>(option));
    if (std::holds_alternative<std::string>(option.standard))
        return option.choices.empty() ? KeyType{"text"} : choice_type(option.choices);
    return {"list of numbers", text_of(bounds_of<double>(option))};
}

std::vector<Key> fixed_keys(const std::map<std::string, std::vector<Option>>& kinds,
                            const std::vector<Preset>& presets) {
    std::vector<Key> all = {question_key()};
    append(all, data_keys());
    append(all, model_keys());
    all.push_back(preset_key(presets));
    all.push_back(kind_key(kinds, presets));
    append(all, encoding_section_keys());
    append(all, mask_keys());
    append(all, train_keys());
    append(all, from_keys());
    append(all, evaluate_keys());
    append(all, search_keys());
    append(all, table_keys());
    return all;
}

std::vector<Key> encoding_keys(const std::vector<Option>& declared) {
    std::vector<Key> keys;
    for (const Option& option : declared) {
        const std::string path = "encoding." + option.name;
        keys.push_back({path, option.doc,
                        [option, path](Draft& draft, const Value& value) {
                            draft.recipe.encoding.options.set(option.name, read_option(value, path, option));
                        },
                        [name = option.name](const Recipe& recipe) {
                            return written_option(recipe.encoding.options.values().at(name));
                        },
                        "", type_of(option), written_option(option.standard)});
    }
    return keys;
}

}  // namespace locus
