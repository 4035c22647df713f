#include "recipes/engine/config/yaml.h"

#include <yaml-cpp/yaml.h>

// Not part of yaml.h's umbrella in every release.
#include <yaml-cpp/eventhandler.h>

#include <map>
#include <sstream>

#include "framework/core/error.h"
#include "framework/io/input_file.h"

namespace locus {

namespace {

/// Builds a Value from the parser's events, which, unlike its nodes, keep every key and every line.
class Builder : public YAML::EventHandler {
  public:
    explicit Builder(std::string place) : place_(std::move(place)) {}

    void OnDocumentStart(const YAML::Mark& mark) override {
        require(++documents_ == 1, "{}: expected one YAML document, found a second one", at(mark).text());
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add({}, mark); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        fail(Failure::usage, "{}: aliases (*name) are not part of a recipe", at(mark).text());
    }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  const std::string& text) override {
        const auto unsound = unsound_in(text);  // an escape such as "\e" may say it
        require(!unsound, "{}: expected text, found {}", at(mark).text(), unsound.value_or(""));
        if (expects_key()) {
            open_key(text, mark);
        } else {
            add(Value::scalar(text), mark);
        }
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        open(Value::Type::list, mark);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        open(Value::Type::map, mark);
    }
    void OnMapEnd() override { close(); }

    Value take() { return std::move(root_); }

  private:
    struct Open {
        Value value;
        bool has_key = false;                   // of a map: its last entry waits for its value
        std::map<std::string, int> lines = {};  // of a map: of its keys
    };

    Source at(const YAML::Mark& mark) const { return {place_, mark.line + 1}; }

    bool expects_key() const {
        return !open_.empty() && open_.back().value.type == Value::Type::map && !open_.back().has_key;
    }

    void open_key(const std::string& key, const YAML::Mark& mark) {
        require(++keys_ <= max_keys, "{}: more than {} keys", at(mark).text(), max_keys);
        require(is_one_line(key), "{}: expected a key, found a text of several lines", at(mark).text());
        const auto [first, added] = open_.back().lines.emplace(key, at(mark).line);
        require(added, "{}: key '{}' is given twice, first at line {}", at(mark).text(), key, first->second);
        open_.back().value.entries.push_back({key, at(mark), {}});
        open_.back().has_key = true;
    }

    void open(Value::Type type, const YAML::Mark& mark) {
        require(!expects_key(), "{}: expected a key, found a list or a map", at(mark).text());
        Open node;
        node.value.type = type;
        node.value.source = at(mark);
        open_.push_back(std::move(node));
    }

    void close() {
        Value value = std::move(open_.back().value);
        open_.pop_back();
        place_value(std::move(value));
    }

    void add(Value value, const YAML::Mark& mark) {
        require(!expects_key(), "{}: expected a key, found nothing", at(mark).text());
        value.source = at(mark);
        place_value(std::move(value));
    }

    void place_value(Value value) {
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (open_.back().value.type == Value::Type::list) {
            open_.back().value.items.push_back(std::move(value));
        } else {
            Entry& entry = open_.back().value.entries.back();
            // The library puts the mark of an absent value on the line after it.
            if (value.type == Value::Type::nothing) value.source = entry.source;
            entry.value = std::move(value);
            open_.back().has_key = false;
        }
    }

    std::string place_;
    static constexpr int max_keys = 10'000;

    int documents_ = 0, keys_ = 0;
    std::vector<Open> open_;
    Value root_;
};

// Drops the byte order mark and the carriage returns, and the blank end of the text, after which the library
// does not notice that a quote was never closed.
std::string plain_lines(const std::string& text) {
    std::size_t from = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
    std::string plain;
    plain.reserve(text.size());
    for (; from < text.size(); ++from) {
        if (text[from] != '\r') {
            plain += text[from];
        } else if (from + 1 == text.size() || text[from + 1] != '\n') {
            plain += '\n';
        }
    }
    plain.erase(plain.find_last_not_of(" \t\n") + 1);
    return plain;
}

// The library ends its input at byte 4 without a word, takes some tabs as indentation, and any bytes as text.
void check_characters(const std::string& text, const std::string& place) {
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const auto unsound = unsound_in(line);
        require(!unsound, "{}:{}: expected text in UTF-8, found {}", place, number, unsound.value_or(""));
        const std::size_t tab = line.find('\t');
        require(tab == std::string::npos || line.find_first_not_of(' ') != tab,
                "{}:{}: indentation by tab; indent with spaces", place, number);
    }
}

}  // namespace

Value read_yaml(const std::string& text, const std::string& place) {
    const std::string plain = plain_lines(text);
    check_characters(plain, place);
    Builder builder(place);
    try {
        std::istringstream stream(plain);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& error) {
        fail(Failure::usage, "{}:{}: not YAML: {}", place, error.mark.line + 1, error.msg);
    }
    Value root = builder.take();
    require(root.type != Value::Type::nothing, "{}:1: expected keys and values, found an empty document",
            place);
    return root;
}

Value read_yaml_file(const std::string& path) {
    constexpr std::uint64_t largest = 1 << 20;
    return read_yaml(read_file(path, Failure::usage, largest), path);
}

}  // namespace locus
