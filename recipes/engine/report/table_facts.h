// What runs say of one thing, by arm.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace locus {

using Facts = std::vector<std::pair<std::string, std::string>>;  // arm, value

bool alike(const Facts& facts);

/// "1,024 (nope, rope), 2,048 (learned)"; a value that all share stands alone.
std::string by_value(const Facts& facts);

/// "nope, rope against alibi", for values that say nothing to a reader.
std::string against(const Facts& facts);

/// What the runs say of one thing: by place of `over`, and within it by the keys that the thing follows.
class FactsByPlace {
  public:
    void add(const std::string& place, const std::vector<std::string>& followed, const std::string& arm,
             const std::string& value) {
        by_place_[place].emplace_back(arm, value);
        by_keys_[{place, followed}].emplace_back(arm, value);
    }
    bool empty() const { return by_place_.empty(); }
    bool same() const { return first_difference(by_place_) == nullptr; }
    /// Whether runs differ though they agree in all that it follows.
    const Facts* undeclared() const { return first_difference(by_keys_); }
    const Facts* difference() const { return first_difference(by_place_); }

  private:
    template <typename Groups>
    static const Facts* first_difference(const Groups& groups) {
        for (const auto& [key, facts] : groups)
            if (!alike(facts)) return &facts;
        return nullptr;
    }
    std::map<std::string, Facts> by_place_;
    std::map<std::pair<std::string, std::vector<std::string>>, Facts> by_keys_;
};

}  // namespace locus
