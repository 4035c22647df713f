#include "recipes/engine/measure/policy.h"

#include "recipes/engine/measure/metric.h"

namespace locus {

// Whatever can be worked out from the losses of tokens.
std::vector<std::string> ProtocolPolicy::metrics() const {
    std::vector<std::string> names = {loss_metric};
    for (const std::string& name : MetricRegistry::instance().names())
        if (name != loss_metric && MetricRegistry::instance().at(name).of_losses != nullptr)
            names.push_back(name);
    return names;
}

const ProtocolPolicy* find_policy(const std::string& protocol) {
    const std::string name = protocol.substr(0, protocol.find(':'));
    if (!ProtocolRegistry::instance().contains(name)) return nullptr;
    return ProtocolRegistry::instance().at(name).get();
}

const ProtocolPolicy& policy_of(const std::string& protocol) {
    return *ProtocolRegistry::instance().at(protocol.substr(0, protocol.find(':')));
}

}  // namespace locus
