#include "data/named_splits.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace locus {

namespace {

enum class Word { none, train, valid, test };

Word word_of(const std::string& part) {
    static const std::map<std::string, Word> words = {{"train", Word::train}, {"training", Word::train},
                                                      {"valid", Word::valid}, {"validation", Word::valid},
                                                      {"val", Word::valid},   {"dev", Word::valid},
                                                      {"test", Word::test}};
    const auto place = words.find(part);
    return place == words.end() ? Word::none : place->second;
}

bool says_nothing(const std::string& part) {
    static const std::set<std::string> common = {"txt",  "text",  "tokens", "raw",       "of",
                                                 "json", "jsonl", "ndjson", "jsonlines", "gz",
                                                 "bin",  "dat",   "md"};
    const bool number =
        std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); });
    return number || common.contains(part);
}

struct Name {
    Word word = Word::none;
    std::string rest;  // what stands beside the word, numbers aside
    bool is_top_folder = false;
};

Name read_name(const std::string& file) {
    Name name;
    std::string part;
    std::size_t parts = 0;
    const auto close = [&](char end) {
        if (part.empty()) return;
        const Word word = word_of(part);
        const bool first = parts++ == 0;
        if (word != Word::none && name.word == Word::none) {
            name.word = word;
            name.is_top_folder = first && end == '/';
        } else if (!says_nothing(part)) {
            name.rest += part + '.';
        }
        part.clear();
    };
    for (const char c : file) {
        if (std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80) != 0)
            part += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else
            close(c);
    }
    close('\0');
    return name;
}

}  // namespace

NamedSplits splits_by_name(const std::vector<std::string>& files) {
    std::vector<Name> names;
    std::map<std::string, std::set<Word>> words_beside;
    for (const std::string& file : files) {
        names.push_back(read_name(file));
        if (names.back().word != Word::none) words_beside[names.back().rest].insert(names.back().word);
    }
    NamedSplits found;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const Name& name = names[i];
        if (name.word != Word::valid && name.word != Word::test) continue;
        auto& split = name.word == Word::valid ? found.valid : found.test;
        const bool meant = name.is_top_folder || name.rest.empty() || words_beside[name.rest].size() > 1;
        if (files.size() > 1 && meant) {
            split.push_back(files[i]);
        } else if (found.notes.size() < 5) {
            const char* key = name.word == Word::valid ? "valid" : "test";
            found.notes.push_back(
                fmt::format("{}: its name holds the word of a split, but it is treated as any other; data.{} "
                            "says otherwise",
                            files[i], key));
        }
    }
    return found;
}

}  // namespace locus
