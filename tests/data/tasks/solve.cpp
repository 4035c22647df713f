#include <algorithm>
#include <map>

#include "tests/data/tasks/support.h"

namespace locus {

namespace {

using Solver = Words (*)(const Words& row, const Sample& sample, Index off);

bool begins(const std::string& word, const std::string& prefix) {
    return word.rfind(prefix, 0) == 0;
}

Index number(const std::string& symbol) {
    return std::stoll(symbol.substr(symbol.find_first_of("0123456789")));
}

/// Between the blanks and the sign of equality.
Words word_of(const Words& row) {
    Words word;
    for (const std::string& symbol : row) {
        if (symbol == "=") break;
        if (symbol != "_") word.push_back(symbol);
    }
    return word;
}

std::string at(const Words& row, Index place) {
    return place >= 0 && place < static_cast<Index>(row.size()) ? row[static_cast<std::size_t>(place)] : "";
}

Words rotated(Words words, Index off) {
    std::rotate(words.begin(), words.begin() + off % static_cast<Index>(words.size()), words.end());
    return words;
}

Words copy(const Words& row, const Sample&, Index off) {
    return rotated(word_of(row), off);
}

Words reverse(const Words& row, const Sample&, Index off) {
    const Words word = word_of(row);
    return rotated({word.rbegin(), word.rend()}, off);
}

// By counting, as one sorts into buckets.
Words bucket_sort(const Words& row, const Sample&, Index off) {
    std::map<Index, Index> buckets;
    for (const std::string& symbol : word_of(row)) ++buckets[number(symbol)];
    Words sorted;
    for (const auto& [symbol, count] : buckets)
        for (Index i = 0; i < count; ++i) sorted.push_back("s" + std::to_string(symbol));
    return rotated(sorted, off);
}

Words parity(const Words& row, const Sample&, Index off) {
    bool odd = false;
    const Words word = word_of(row);
    for (std::size_t i = static_cast<std::size_t>(off); i < word.size(); ++i) odd ^= word[i] == "1";
    return {odd ? "odd" : "even"};
}

// The changes are even in number where the word ends as it begins.
Words even_pairs(const Words& row, const Sample&, Index off) {
    const Words word = word_of(row);
    return {word[static_cast<std::size_t>(off)] == word.back() ? "even" : "odd"};
}

Words modular_arithmetic(const Words& row, const Sample& sample, Index off) {
    const Index modulus = sample.options.integer("modulus");
    const Words word = word_of(row);
    Index value = off;
    for (std::size_t i = 0; i < word.size(); i += 2)
        value += (i > 0 && word[i - 1] == "-" ? -1 : 1) * number(word[i]);
    return {std::to_string((value % modulus + modulus) % modulus)};
}

// In limbs of nine digits.
Words addition(const Words& row, const Sample& sample, Index off) {
    std::string left, right;
    const Words word = word_of(row);
    const auto plus = std::find(word.begin(), word.end(), "+");
    for (auto i = word.begin(); i < plus; ++i) left += *i;
    for (auto i = plus + 1; i < word.end(); ++i) right += *i;
    const std::size_t digits = left.size(), limbs = digits / 9 + 1;
    left.insert(0, limbs * 9 - digits, '0');
    right.insert(0, limbs * 9 - digits, '0');
    std::string sum;
    long long carry = off;
    for (std::size_t limb = limbs; limb-- > 0;) {
        carry += std::stoll(left.substr(limb * 9, 9)) + std::stoll(right.substr(limb * 9, 9));
        std::string text = std::to_string(carry % 1'000'000'000);
        sum = std::string(9 - text.size(), '0') + text + sum;
        carry /= 1'000'000'000;
    }
    sum = sum.substr(sum.size() - digits - 1);
    if (sample.options.text("order") == "reverse") std::reverse(sum.begin(), sum.end());
    Words answer;
    for (const char digit : sum) answer.push_back(std::string(1, digit));
    return answer;
}

// Strikes out neighbours that close each other until none is left.
Words dyck(const Words& row, const Sample& sample, Index off) {
    Words open = word_of(row);
    for (std::size_t i = 0; i + 1 < open.size();) {
        const bool closes = begins(open[i], "(") && open[i + 1] == ")" + open[i].substr(1);
        if (closes)
            open.erase(open.begin() + static_cast<Index>(i), open.begin() + static_cast<Index>(i) + 2);
        i = closes ? (i > 0 ? i - 1 : 0) : i + 1;
    }
    Words answer;
    for (std::size_t i = open.size(); i-- > 0;)
        answer.push_back(")" + std::to_string((number(open[i]) + off) % sample.options.integer("types")));
    return answer;
}

Words recall(const Words& row, const Sample& sample, Index off) {
    Words answer;
    for (Index place = 0; place < static_cast<Index>(row.size()); ++place)
        if (at(row, place) == hidden)
            answer.push_back(at(row, place - 1 - 2 * (sample.options.integer("offset") + off)));
    return answer;
}

Words induction(const Words& row, const Sample&, Index off) {
    const std::string& trigger = row[row.size() - 2];
    const Index seen = std::find(row.begin(), row.end(), trigger) - row.begin();
    return {at(row, seen + 1 + off)};
}

Words mqar(const Words& row, const Sample&, Index off) {
    Words answer;
    for (std::size_t place = 1; place < row.size(); ++place) {
        if (row[place] != hidden) continue;
        const Index seen = std::find(row.begin(), row.end(), row[place - 1]) - row.begin();
        answer.push_back(at(row, seen + 1 + 2 * off));
    }
    return answer;
}

Words passkey(const Words& row, const Sample& sample, Index off) {
    std::string text;
    for (const std::string& byte : row) text += byte;
    const std::size_t begin = text.find("key is ") + 7 + static_cast<std::size_t>(off);
    Words answer;
    for (Index i = 0; i < sample.options.integer("digits"); ++i)
        answer.push_back(text.substr(begin + static_cast<std::size_t>(i), 1));
    return answer;
}

Words needle(const Words& row, const Sample& sample, Index off) {
    const Index key = sample.options.integer("key_length"), value = sample.options.integer("value_length");
    const auto end = std::find(row.begin(), row.end(), "?");
    Words answer;
    for (auto query = end; query != row.end(); query = std::find(query + 1, row.end(), "?"))
        for (auto place = row.begin(); place + key + value <= end; ++place)
            if (std::equal(query + 1, query + 1 + key, place))
                for (Index i = 0; i < value; ++i) answer.push_back(*(place + key + i + off));
    return answer;
}

/// The facts of two symbols before the question.
std::vector<std::pair<std::string, std::string>> pairs_of(const Words& row) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; row[i] != "?"; ++i) {
        if (begins(row[i], ".")) continue;
        pairs.emplace_back(row[i], row[i + 1]);
        ++i;
    }
    return pairs;
}

Words k_hop(const Words& row, const Sample& sample, Index off) {
    std::map<std::string, std::string> says;
    for (const auto& [name, value] : pairs_of(row)) says[name] = value;
    std::string known = row[row.size() - 2];
    for (Index hop = 0; hop < sample.options.integer("hops") - off; ++hop) known = says[known];
    return {known};
}

Words values_of_asked(const Words& row) {
    Words values;
    for (const auto& [key, value] : pairs_of(row))
        if (key == row[row.size() - 2]) values.push_back(value);
    return values;
}

Words update(const Words& row, const Sample&, Index off) {
    const Words values = values_of_asked(row);
    return {at(values, static_cast<Index>(values.size()) - 1 - off)};
}

Words conflict(const Words& row, const Sample&, Index off) {
    Words values = values_of_asked(row);
    if (off > 0 && !values.empty()) values.pop_back();
    if (values.empty()) return {"ABSENT"};
    return {std::count(values.begin(), values.end(), values.front()) == static_cast<Index>(values.size())
                ? "CONSISTENT"
                : "CONFLICT"};
}

Words count(const Words& row, const Sample&, Index off) {
    std::map<std::string, Index> counts;
    for (const std::string& word : row)
        if (begins(word, "s")) ++counts[word];
    std::vector<std::pair<Index, std::string>> ranks;
    for (const auto& [symbol, times] : counts) ranks.emplace_back(-times, symbol);
    std::sort(ranks.begin(), ranks.end());
    const auto rank = static_cast<std::size_t>(off);
    return {rank < ranks.size() ? ranks[rank].second : ""};
}

}  // namespace

Words solve(const Sample& sample, const Words& row, bool off) {
    static const std::map<std::string, Solver> solvers = {{"recall", recall},
                                                          {"copy", copy},
                                                          {"reverse", reverse},
                                                          {"bucket_sort", bucket_sort},
                                                          {"induction", induction},
                                                          {"mqar", mqar},
                                                          {"passkey", passkey},
                                                          {"needle", needle},
                                                          {"k_hop", k_hop},
                                                          {"update", update},
                                                          {"conflict", conflict},
                                                          {"count", count},
                                                          {"parity", parity},
                                                          {"even_pairs", even_pairs},
                                                          {"modular_arithmetic", modular_arithmetic},
                                                          {"addition", addition},
                                                          {"dyck", dyck}};
    return solvers.at(sample.task->name())(row, sample, off ? 1 : 0);
}

}  // namespace locus
