// The words of a command: options by cxxopts, a file or folder, and key=value overrides.
#pragma once

#include <cxxopts.hpp>
#include <functional>
#include <string>
#include <vector>

#include "scripts/commands/commands.h"

namespace locus {

/// What the words of a command say.
class Arguments {
  public:
    /// `usage` stands in the help and in errors: "train RECIPE [key=value ...] --out DIR"; `declare` adds the
    /// options.
    Arguments(const std::string& usage, const Words& words,
              const std::function<void(cxxopts::OptionAdder&)>& declare);

    bool help() const { return help_; }  // the help was printed: nothing else is to be done
    bool has(const std::string& option) const { return result_.count(option) > 0; }
    bool flag(const std::string& option) const { return has(option); }
    std::string text(const std::string& option) const { return result_[option].as<std::string>(); }

    /// The words that are neither options nor key=value.
    const Words& plain() const { return plain_; }
    const Words& overrides() const { return overrides_; }

    /// The one word that the command is about; throws a usage Error where there is none or more.
    const std::string& subject(const std::string& what) const;

    /// Throws a usage Error where an option that the command needs is missing.
    std::string needed(const std::string& option) const;

    /// --threads, else what the environment allows.
    int threads() const;

  private:
    std::string usage_;
    cxxopts::ParseResult result_;
    Words plain_, overrides_;
    bool help_ = false;
};

/// A whole number of at least `least`; throws a usage Error that names the option.
long parse_count(const std::string& text, const std::string& option, long least);

}  // namespace locus
