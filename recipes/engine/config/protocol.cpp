#include "recipes/engine/config/protocol.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/value.h"

namespace locus {

namespace {

// In the order of ProtocolKind.
const std::vector<std::string> kind_names = {"non_overlapping", "sliding", "per_position", "same_target"};

std::string known() {
    std::string text;
    for (const std::string& name : kind_names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace

std::vector<std::string> protocol_names() {
    return kind_names;
}

Protocol parse_protocol(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const auto place = std::find(kind_names.begin(), kind_names.end(), name);
    require(place != kind_names.end(),
            "protocol '{}' is not known; known are: {} (sliding also as sliding:STRIDE)", text, known());
    Protocol protocol{static_cast<ProtocolKind>(place - kind_names.begin())};
    if (colon == std::string::npos) return protocol;
    const std::string argument = text.substr(colon + 1);
    require(protocol.kind == ProtocolKind::sliding, "protocol {} takes no argument, found '{}'", name,
            argument);
    const auto stride = integer_from(argument);
    require(stride && *stride > 0, "protocol sliding: expected a stride of at least 1 token, found '{}'",
            argument);
    protocol.stride = *stride;
    return protocol;
}

std::string text_of(const Protocol& protocol) {
    const std::string& name = kind_names[static_cast<std::size_t>(protocol.kind)];
    return protocol.stride > 0 ? fmt::format("{}:{}", name, protocol.stride) : name;
}

}  // namespace locus
