// Named things that register themselves: encodings, frequency rules, tasks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/error.h"
#include "framework/core/options.h"

namespace locus {

/// A table from name to entry. One table per type of entry; entries add themselves before main() begins.
template <typename Entry>
class Registry {
  public:
    static Registry& instance() {
        static Registry registry;
        return registry;
    }

    bool add(const std::string& name, Entry entry) {
        require(entries_.emplace(name, std::move(entry)).second, "registry: '{}' is registered twice", name);
        return true;
    }

    const Entry& at(const std::string& name) const {
        const auto place = entries_.find(name);
        require(place != entries_.end(), "{}", unknown(name));
        return place->second;
    }

    /// What to say of a name that is not there.
    std::string unknown(const std::string& name) const {
        return fmt::format("'{}' is not known; known are: {}", name, listing());
    }

    bool contains(const std::string& name) const { return entries_.contains(name); }

    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& [name, entry] : entries_) names.push_back(name);
        return names;
    }

  private:
    std::string listing() const {
        std::string text;
        for (const auto& [name, entry] : entries_) text += (text.empty() ? "" : ", ") + name;
        return text;
    }

    std::map<std::string, Entry> entries_;
};

}  // namespace locus
