// The words of a command: options, the file or folder that it is about, and key=value overrides.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/threads.h"
#include "scripts/commands/commands.h"

namespace locus {

/// An option of a command; `value` says what it takes, empty for a plain flag.
struct OptionSpec {
    std::string name, doc;
    std::string value = {};     // "N", "DIR", ...
    std::string standard = {};  // where the option is not given
    bool repeated = false;      // may be given more than once: its values are joined by commas
};

/// What the words of a command say.
class Arguments {
  public:
    /// `usage` stands in the help and in errors: "train RECIPE [key=value ...] --out DIR". Throws a usage
    /// Error for an option that is not declared, is given twice or lacks its value.
    Arguments(const std::string& usage, const Words& words, const std::vector<OptionSpec>& options);

    bool help() const { return help_; }  // the help was printed: nothing else is to be done
    bool has(const std::string& option) const { return given_.contains(option); }
    std::string text(const std::string& option) const;  // "" where there is neither a value nor a standard

    /// The words that are neither options nor key=value, and those that are key=value; a command whose usage
    /// names no key=value has only plain words, as the folder of a cell may be called "rope,seed=0".
    const Words& plain() const { return plain_; }
    const Words& overrides() const { return overrides_; }

    /// The one word that the command is about; throws a usage Error where there is none or more.
    const std::string& subject(const std::string& what) const;

    /// The value of an option that the command needs; throws a usage Error where it is missing.
    std::string needed(const std::string& option) const;

    /// Throws a usage Error where there are overrides.
    void refuse_overrides() const;

    /// --threads, else what the environment says or allows; `ranks` share the allowed cores.
    ThreadChoice threads(int ranks = 1) const;

  private:
    std::string usage_;
    std::map<std::string, std::string> given_, standard_;
    Words plain_, overrides_;
    bool help_ = false;
};

/// A whole number in [min, max]; throws a usage Error that names the option.
long parse_count(const std::string& text, const std::string& option, long min, long max = 1L << 40);

/// "a,b" as its parts, each of which may be empty.
Words parse_list(const std::string& text);

}  // namespace locus
