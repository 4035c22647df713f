#include "scripts/commands/arguments.h"

#include <fmt/core.h>

#include <charconv>

#include "framework/core/error.h"
#include "framework/core/parallel.h"

namespace locus {

namespace {

// key=value as an override: a dotted name before the first '='.
bool is_override(const std::string& word) {
    const std::size_t equals = word.find('=');
    return equals != std::string::npos && equals > 0 && word.find('/') > equals;
}

}  // namespace

Arguments::Arguments(const std::string& usage, const Words& words,
                     const std::function<void(cxxopts::OptionAdder&)>& declare)
    : usage_(usage) {
    cxxopts::Options options("locus " + usage.substr(0, usage.find(' ')));
    options.custom_help(usage.find(' ') == std::string::npos ? "" : usage.substr(usage.find(' ') + 1));
    auto adder = options.add_options();
    declare(adder);
    adder("h,help", "this text");
    adder("words", "", cxxopts::value<Words>());
    options.parse_positional("words");
    std::vector<const char*> pointers{"locus"};
    for (const std::string& word : words) pointers.push_back(word.c_str());
    try {
        result_ = options.parse(static_cast<int>(pointers.size()), pointers.data());
    } catch (const cxxopts::exceptions::exception& error) {
        fail(Failure::usage, "locus {}: {}", usage_, error.what());
    }
    if (has("help")) {
        fmt::print("{}\n", options.help());
        help_ = true;
        return;
    }
    if (!has("words")) return;
    for (const std::string& word : result_["words"].as<Words>()) {
        (is_override(word) ? overrides_ : plain_).push_back(word);
    }
}

const std::string& Arguments::subject(const std::string& what) const {
    require(plain_.size() == 1, "locus {}: expected one {}, found {}", usage_, what, plain_.size());
    return plain_.front();
}

std::string Arguments::needed(const std::string& option) const {
    require(has(option), "locus {}: --{} is missing", usage_, option);
    return text(option);
}

int Arguments::threads() const {
    return has("threads") ? static_cast<int>(parse_count(text("threads"), "--threads", 1))
                          : default_threads();
}

long parse_count(const std::string& text, const std::string& option, long least) {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size() && value >= least && value <= 1L << 40,
            "{}: expected a whole number of at least {}, found '{}'", option, least, text);
    return value;
}

}  // namespace locus
