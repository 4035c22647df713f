#include "recipes/engine/evaluation/known_losses.h"

#include <algorithm>

namespace locus {

void KnownLosses::add(std::span<const Window> windows, const std::vector<double>& nats) {
    for (const Window& window : windows) {
        if (window.first > 0) continue;
        std::vector<double>& known = known_[key(window)];
        if (static_cast<Index>(known.size()) >= window.inputs) continue;
        const auto begin = nats.begin() + window.slot;
        known.assign(begin, begin + window.inputs);
    }
}

std::vector<Window> KnownLosses::fill(std::span<const Window> windows, std::vector<double>& nats) const {
    std::vector<Window> rest;
    for (const Window& window : windows) {
        const auto place = known_.find(key(window));
        if (place == known_.end() || static_cast<Index>(place->second.size()) < window.inputs) {
            rest.push_back(window);
            continue;
        }
        const auto begin = place->second.begin();
        std::copy(begin + window.first, begin + window.inputs, nats.begin() + window.slot);
    }
    return rest;
}

}  // namespace locus
