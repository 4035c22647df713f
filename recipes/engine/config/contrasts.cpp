#include "recipes/engine/config/contrasts.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "framework/core/error.h"

namespace locus {

namespace {

using Pairs = std::vector<std::string>;

// "{factor}"
std::string mark_of(const ArmPart& part) {
    return "{" + part.name + "}";
}

std::string replaced(std::string text, const std::string& mark, const std::string& value) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
        text.replace(at, mark.size(), value);
    return text;
}

/// Patterns over the arms of an experiment.
class Patterns {
  public:
    Patterns(const Variation& variation, std::string place)
        : variation_(variation), place_(std::move(place)) {
        for (const Choice& arm : variation.arms()->choices) arms_.insert(arm.label);
    }

    bool is_pattern(const std::string& contrast) const {
        return contrast.find_first_of("{}*") != std::string::npos;
    }

    // What patterns that follow each other stand for.
    Pairs expand(const std::vector<std::string>& patterns) const {
        const std::string mark = shared_mark(patterns);
        Pairs pairs;
        std::vector<bool> fits(patterns.size(), false);
        for (const std::string& value : values_of(mark)) {
            for (std::size_t i = 0; i < patterns.size(); ++i) {
                const Pairs found =
                    expand(mark.empty() ? patterns[i] : replaced(patterns[i], mark, value), patterns[i]);
                fits[i] = fits[i] || !found.empty();
                pairs.insert(pairs.end(), found.begin(), found.end());
            }
        }
        for (std::size_t i = 0; i < patterns.size(); ++i)
            require(fits[i], "{}: no pair of arms fits '{}'", place_, patterns[i]);
        return pairs;
    }

    void check(const std::string& contrast) const {
        const auto arms = arms_of_contrast(contrast);
        for (const std::string& arm : {arms->first, arms->second})
            require(arms_.contains(arm), "{}: '{}': there is no arm '{}' in `vary`", place_, contrast, arm);
    }

  private:
    // Of the slowest axis that stands in all of them, or "".
    std::string shared_mark(const std::vector<std::string>& patterns) const {
        for (const ArmPart& part : variation_.parts) {
            const std::string mark = mark_of(part);
            if (std::all_of(patterns.begin(), patterns.end(),
                            [&](const std::string& text) { return text.find(mark) != std::string::npos; }))
                return mark;
        }
        return "";
    }

    std::vector<std::string> values_of(const std::string& mark) const {
        for (const ArmPart& part : variation_.parts)
            if (mark_of(part) == mark) return part.values;
        return {""};
    }

    // `written` stands in errors.
    Pairs expand(const std::string& text, const std::string& written) const {
        for (const ArmPart& part : variation_.parts) {
            if (text.find(mark_of(part)) == std::string::npos) continue;
            Pairs pairs;
            for (const std::string& value : part.values) {
                const Pairs found = expand(replaced(text, mark_of(part), value), written);
                pairs.insert(pairs.end(), found.begin(), found.end());
            }
            return pairs;
        }
        require(text.find_first_of("{}") == std::string::npos,
                "{}: '{}': expected the name of an axis of a product of arms within braces", place_, written);
        return text.find('*') == std::string::npos ? kept({text}) : starred(text, written);
    }

    // For every text that makes an arm of the side that has a star.
    Pairs starred(const std::string& text, const std::string& written) const {
        const auto [a, b] = arms_of_contrast(text).value();
        const std::string& side = a.find('*') != std::string::npos ? a : b;
        const std::size_t star = side.find('*');
        require(side.find('*', star + 1) == std::string::npos && (&side == &b || b.find('*') == b.rfind('*')),
                "{}: '{}': expected at most one * on each side", place_, written);
        const std::string before = side.substr(0, star), after = side.substr(star + 1);
        Pairs pairs;
        for (const Choice& arm : variation_.arms()->choices) {
            const std::string& name = arm.label;
            if (name.size() < before.size() + after.size() || !name.starts_with(before) ||
                !name.ends_with(after))
                continue;
            const std::string middle = name.substr(before.size(), name.size() - before.size() - after.size());
            pairs.push_back(replaced(a, "*", middle) + " - " + replaced(b, "*", middle));
        }
        return kept(pairs);
    }

    Pairs kept(Pairs pairs) const {
        std::erase_if(pairs, [&](const std::string& pair) {
            const auto arms = arms_of_contrast(pair);
            return !arms || arms->first == arms->second || !arms_.contains(arms->first) ||
                   !arms_.contains(arms->second);
        });
        return pairs;
    }

    const Variation& variation_;
    std::string place_;
    std::set<std::string> arms_;
};

void check_form(const std::string& contrast, const std::string& place) {
    const auto arms = arms_of_contrast(contrast);
    require(arms && arms->first != arms->second,
            "{}: expected 'A - B' with the names of two arms, found '{}'", place, contrast);
}

}  // namespace

std::optional<std::pair<std::string, std::string>> arms_of_contrast(const std::string& contrast) {
    const std::string minus = " - ";
    const std::size_t at = contrast.find(minus);
    if (at == std::string::npos || at == 0 || at + minus.size() == contrast.size() ||
        contrast.find(minus, at + 1) != std::string::npos)
        return std::nullopt;
    return std::pair(contrast.substr(0, at), contrast.substr(at + minus.size()));
}

std::vector<std::string> expand_contrasts(const std::vector<std::string>& contrasts,
                                          const Variation& variation, const std::string& place) {
    for (const std::string& contrast : contrasts) check_form(contrast, place);
    if (variation.arms() == nullptr) return contrasts;
    Patterns patterns(variation, place);
    std::vector<std::string> pairs;
    std::set<std::string> seen;
    const auto add = [&](const Pairs& found) {
        for (const std::string& pair : found)
            if (seen.insert(pair).second) pairs.push_back(pair);
    };
    std::vector<std::string> run;
    const auto end_run = [&] {
        if (!run.empty()) add(patterns.expand(run));
        run.clear();
    };
    for (const std::string& contrast : contrasts) {
        if (patterns.is_pattern(contrast)) {
            run.push_back(contrast);
            continue;
        }
        end_run();
        patterns.check(contrast);
        add({contrast});
    }
    end_run();
    return pairs;
}

TableOptions with_contrasts(TableOptions table, const Variation& variation, const std::string& place) {
    require(
        table.primary_contrasts.empty() || !table.primary_column.empty(),
        "{}: table.primary_contrasts: expected table.primary_column, too, such as [same_target, 128]: they "
        "are tested there alone",
        place);
    const auto axes = static_cast<std::size_t>(std::count_if(table.columns.begin(), table.columns.end(),
                                                             [](const auto& axis) { return axis != "arm"; }));
    require(table.primary_column.empty() || table.primary_column.size() == axes,
            "{}: table.primary_column: expected {} values, one for each of table.columns ({}) but the arm, "
            "found {}",
            place, axes, fmt::join(table.columns, ", "), table.primary_column.size());
    table.primary_contrasts =
        expand_contrasts(table.primary_contrasts, variation, place + ": table.primary_contrasts");
    std::vector<std::string> all = table.primary_contrasts;
    for (const std::string& contrast :
         expand_contrasts(table.contrasts, variation, place + ": table.contrasts"))
        if (std::find(all.begin(), all.end(), contrast) == all.end()) all.push_back(contrast);
    table.contrasts = std::move(all);
    return table;
}

}  // namespace locus
