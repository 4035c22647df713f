// Typed, named options: how an encoding (or any other registered kind) declares what a recipe may say about
// it.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

using OptionValue = std::variant<bool, Index, double, std::string, std::vector<double>>;

/// One option: its key in a recipe, its default (which also fixes its type) and what it may be.
struct Option {
    std::string name;
    OptionValue standard;                                   // the value where the recipe says nothing
    std::string doc;                                        // one sentence: meaning and source
    std::vector<std::string> choices = {};                  // for strings: the allowed values; empty: any
    double min = -std::numeric_limits<double>::infinity();  // for numbers: min <= value
    double max = std::numeric_limits<double>::infinity();   // for numbers: value <= max
};

/// Values by name. Every declared option has a value: the recipe's or the standard one.
class Options {
  public:
    Options() = default;
    explicit Options(const std::vector<Option>& declared);

    void set(const std::string& name, OptionValue value);  // throws for a name that was not declared
    bool flag(const std::string& name) const;
    Index integer(const std::string& name) const;
    double number(const std::string& name) const;
    const std::string& text(const std::string& name) const;
    const std::vector<double>& numbers(const std::string& name) const;
    bool has(const std::string& name) const { return values_.contains(name); }
    const std::map<std::string, OptionValue>& values() const { return values_; }

  private:
    template <typename T>
    const T& get(const std::string& name) const;

    std::map<std::string, OptionValue> values_;
};

}  // namespace locus
