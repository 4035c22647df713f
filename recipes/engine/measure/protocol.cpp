#include "recipes/engine/measure/protocol.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/measure/policy.h"

namespace locus {

namespace {

std::string form_of(const std::string& name) {
    const std::string argument = ProtocolRegistry::instance().at(name)->argument();
    return argument.empty() ? name : name + "[:" + argument + "]";
}

}  // namespace

std::string protocol_forms() {
    std::string text;
    for (const std::string& name : ProtocolRegistry::instance().names())
        text += (text.empty() ? "" : ", ") + form_of(name);
    return text;
}

std::vector<std::string> result_axes() {
    std::vector<std::string> axes = {"protocol", "length"};
    for (const std::string& name : ProtocolRegistry::instance().names())
        for (const std::string& axis : policy_of(name).axes())
            if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    return axes;
}

Protocol parse_protocol(const std::string& text) {
    const std::size_t colon = text.find(':');
    Protocol protocol{text.substr(0, colon)};
    require(ProtocolRegistry::instance().contains(protocol.name), "protocol '{}' is not known; known are: {}",
            text, protocol_forms());
    if (colon == std::string::npos) return protocol;
    const std::string argument = text.substr(colon + 1), name = policy_of(protocol.name).argument();
    require(!name.empty(), "protocol {} takes no argument, found '{}'", protocol.name, argument);
    const bool digits = !argument.empty() && argument.size() <= 15 &&
                        argument.find_first_not_of("0123456789") == std::string::npos;
    require(digits && std::stoll(argument) > 0, "protocol {}: expected a {} of at least 1 token, found '{}'",
            protocol.name, name, argument);
    protocol.argument = std::stoll(argument);
    return protocol;
}

std::string text_of(const Protocol& protocol) {
    return protocol.argument > 0 ? fmt::format("{}:{}", protocol.name, protocol.argument) : protocol.name;
}

void check_protocol(const Protocol& protocol, const std::vector<Index>& lengths) {
    policy_of(protocol.name).check(protocol, lengths);
}

}  // namespace locus
