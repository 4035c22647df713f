#include "models/encoding.h"

#include <fmt/ranges.h>

#include "models/scaling.h"

namespace locus {
inline namespace LOCUS_SCALAR {

EncodingShape encoding_shape(const ModelOptions& model, const MaskOptions& mask, Index train_length) {
    return {model.width,
            model.heads,
            model.kv_heads,
            model.head_dim(),
            model.layers,
            train_length,
            mask.causal ? Site::self_causal : Site::self_bidirectional,
            model.deviation()};
}

void resolve_options(EncodingOptions& encoding, const EncodingShape& shape) {
    const EncodingEntry& entry = EncodingRegistry::instance().at(encoding.kind);
    if (entry.resolve) entry.resolve(encoding.options, shape);
}

std::vector<std::string> cautions_of(const EncodingOptions& encoding, const EncodingShape& shape,
                                     Index reach) {
    const EncodingEntry& entry = EncodingRegistry::instance().at(encoding.kind);
    return entry.cautions ? entry.cautions(encoding.options, shape, reach) : std::vector<std::string>();
}

std::unique_ptr<PositionalEncoding> make_encoding(EncodingOptions encoding, const EncodingShape& shape,
                                                  const ParameterScope& scope) {
    resolve_options(encoding, shape);
    return EncodingRegistry::instance().at(encoding.kind).make(encoding.options, shape, scope);
}

std::vector<std::string> scaling_rules(const EncodingEntry& entry) {
    if (entry.scaling == ScalingSupport::none) return {};
    if (entry.scaling == ScalingSupport::linear) return {"plain", "linear"};
    return FrequencyRegistry::instance().names();
}

std::vector<Option> options_under(const EncodingEntry& entry, const std::string& rule) {
    std::vector<Option> all = entry.options;
    const std::vector<std::string> rules = scaling_rules(entry);
    require(rule == "plain" || std::find(rules.begin(), rules.end(), rule) != rules.end(),
            "scaling {}: this encoding cannot be scaled so", rule);
    if (rules.empty()) return all;
    for (Option& option : scaling_options(rule)) all.push_back(std::move(option));
    return all;
}

void require_axes(const std::string& kind, Index axes) {
    const EncodingEntry& entry = EncodingRegistry::instance().at(kind);
    constexpr const char* names[] = {"text", "row and column", "time, row and column"};
    require(entry.reads(axes), "encoding {}: expected positions with {} {} ({}), found {} ({})", kind,
            fmt::join(entry.axes, " or "),
            entry.axes.front() == 1 && entry.axes.size() == 1 ? "axis" : "axes",
            names[entry.axes.front() - 1], axes, names[axes - 1]);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
