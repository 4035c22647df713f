// What a recipe says, and where.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "recipes/engine/config/overlay.h"

namespace locus {

/// The overlay, asked for where and whether something was said.
class Said {
  public:
    Said(const Overlay& overlay, std::string place) : overlay_(overlay), place_(std::move(place)) {}

    bool has(const std::string& path) const { return overlay_.values.contains(path); }
    /// The place of the first of these paths that was written.
    std::string where(const std::vector<std::string>& paths) const {
        for (const std::string& path : paths) {
            const auto value = overlay_.values.find(path);
            if (value != overlay_.values.end()) return value->second.source.text();
        }
        return place_;
    }

  private:
    const Overlay& overlay_;
    std::string place_;
};

}  // namespace locus
