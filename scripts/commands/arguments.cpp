#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cxxopts.hpp>

#include "framework/core/error.h"

namespace locus {

namespace {

// key=value: a dotted name before the first '='; a path with '=' in it has a '/' before.
bool is_override(const std::string& word) {
    const std::size_t equals = word.find('=');
    return equals != std::string::npos && equals > 0 && word.find('/') > equals;
}

cxxopts::Options declared(const std::string& usage, const std::vector<OptionSpec>& specs) {
    const std::size_t space = std::min(usage.find(' '), usage.size());
    cxxopts::Options options("locus " + usage.substr(0, space));
    options.custom_help(usage.substr(std::min(space + 1, usage.size())));
    options.positional_help("");
    auto add = options.add_options();
    for (const OptionSpec& spec : specs) {
        const std::string doc =
            spec.standard.empty() ? spec.doc : spec.doc + " (default: " + spec.standard + ")";
        if (spec.value.empty())
            add(spec.name, doc);
        else
            add(spec.name, doc, cxxopts::value<std::string>(), spec.value);
    }
    add("h,help", "this text");
    return options;
}

// Its value, or its values joined by commas.
std::string values_of(const OptionSpec& spec, const cxxopts::ParseResult& result) {
    std::string values;
    for (const auto& given : result.arguments())
        if (given.key() == spec.name && !spec.value.empty())
            values += (values.empty() ? "" : ",") + given.value();
    return values;
}

}  // namespace

Arguments::Arguments(const std::string& usage, const Words& words, const std::vector<OptionSpec>& specs)
    : usage_(usage) {
    cxxopts::Options options = declared(usage, specs);
    std::vector<const char*> pointers{"locus"};
    for (const std::string& word : words) pointers.push_back(word.c_str());
    try {
        const auto result = options.parse(static_cast<int>(pointers.size()), pointers.data());
        help_ = result.count("help") > 0;
        for (const OptionSpec& spec : specs) {
            if (!spec.standard.empty()) standard_[spec.name] = spec.standard;
            if (result.count(spec.name) == 0) continue;
            if (result.count(spec.name) > 1 && !spec.repeated)
                fail(Failure::usage, "{}: --{} is given {} times", usage_, spec.name,
                     result.count(spec.name));
            given_[spec.name] = values_of(spec, result);
        }
        // Not positional options of the library, which would cut each word at its commas.
        const bool takes_overrides = usage.find("key=value") != std::string::npos;
        for (const std::string& word : result.unmatched()) {
            (takes_overrides && is_override(word) ? overrides_ : plain_).push_back(word);
        }
        if (takes_overrides && has("arms")) overrides_.push_back("vary.arm=[" + text("arms") + "]");
    } catch (const cxxopts::exceptions::exception& error) {
        fail(Failure::usage, "{}: {}", usage_, error.what());
    }
    if (help_) put("{}\n", options.help({""}));
}

std::string Arguments::text(const std::string& option) const {
    const auto given = given_.find(option);
    if (given != given_.end()) return given->second;
    const auto standard = standard_.find(option);
    return standard == standard_.end() ? "" : standard->second;
}

const std::string& Arguments::subject(const std::string& what) const {
    require(plain_.size() == 1, "{}: expected one {}, found {}{}", usage_, what, plain_.size(),
            plain_.empty() ? "" : fmt::format(": {}", fmt::join(plain_, " ")));
    return plain_.front();
}

std::string Arguments::needed(const std::string& option) const {
    require(has(option), "{}: --{} is missing", usage_, option);
    require(!text(option).empty(), "{}: --{} is empty", usage_, option);
    return text(option);
}

void Arguments::refuse_overrides() const {
    if (!overrides_.empty())
        fail(Failure::usage, "{}: takes no key=value, found '{}'", usage_, overrides_.front());
}

ThreadChoice Arguments::threads(int ranks) const {
    ThreadRequest request{std::nullopt, ranks, allowed_cores()};
    if (has("threads")) request.wanted = parse_count(text("threads"), "--threads", 1);
    return choose_threads(request);
}

long parse_count(const std::string& text, const std::string& option, long min, long max) {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size() && value >= min && value <= max,
            "{}: expected a whole number of at least {} and at most {}, found '{}'", option, min, max, text);
    return value;
}

Words parse_list(const std::string& text) {
    Words parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

}  // namespace locus
