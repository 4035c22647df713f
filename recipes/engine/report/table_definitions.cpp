#include <algorithm>
#include <map>
#include <set>

#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/report/table_notes.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

using Texts = std::vector<std::string>;

std::string definition_of(const std::string& protocol, const Evaluation* evaluation) {
    const std::size_t colon = protocol.find(':');
    const std::string kind = protocol.substr(0, colon);
    if (kind == "non_overlapping")
        return "documents cut into pieces of the length, every token scored; longer windows look better for "
               "free: "
               "early tokens have less context";
    if (kind == "sliding")
        return fmt::format(
            "a window of the length moves by {}; its new tokens are scored, the first window scores all",
            colon == std::string::npos ? "an eighth of it" : protocol.substr(colon + 1) + " tokens");
    if (kind == "per_position") return "mean loss in bins of the positions of one long window";
    if (kind == "same_target") {
        const bool recorded = evaluation != nullptr && evaluation->rules.contains("baseline_context");
        return fmt::format(
            "one fixed set of target tokens, each with exactly c tokens before it; only c varies; "
            "gain(c) = loss({}) - loss(c), token by token",
            recorded ? evaluation->rules.at("baseline_context") : "the training length");
    }
    return "as recorded";
}

/// "tokens scored 2,048", or by length where it differs.
std::string scored(const std::string& protocol, const TableSource& source) {
    Texts lengths;
    std::map<std::string, std::string> tokens;
    for (const RunFolder& run : source.runs) {
        for (const Evaluation& evaluation : run.evaluations) {
            if (evaluation.protocol != protocol || evaluation.split != source.split) continue;
            for (const Score& score : evaluation.scores) {
                if (!score.tokens || score.state == "beyond_table") continue;
                const std::string length = length_text(score);
                if (tokens.emplace(length, grouped(static_cast<double>(*score.tokens))).second)
                    lengths.push_back(length);
            }
        }
    }
    if (lengths.empty()) return "tokens scored: not recorded";
    const bool alike = std::all_of(lengths.begin(), lengths.end(), [&](const auto& length) {
        return tokens[length] == tokens[lengths.front()];
    });
    if (alike) return "tokens scored: " + tokens[lengths.front()];
    Texts parts;
    for (const std::string& length : lengths)
        parts.push_back(fmt::format("{} at {}", tokens[length], length));
    return "tokens scored: " + joined_words(parts);
}

const Evaluation* find_evaluation(const std::string& protocol, const TableSource& source) {
    for (const RunFolder& run : source.runs)
        for (const Evaluation& evaluation : run.evaluations)
            if (evaluation.protocol == protocol && evaluation.split == source.split) return &evaluation;
    return nullptr;
}

std::string protocol_line(const std::string& protocol, const TableSource& source) {
    const Evaluation* evaluation = find_evaluation(protocol, source);
    std::string line =
        fmt::format("{}: {}; split {}", protocol, definition_of(protocol, evaluation), source.split);
    Texts unknown;
    for (const std::string rule : {"unit", "text", "bos", "tail", "documents"}) {
        const std::string name = rule == "bos" ? "BOS" : rule;
        const bool recorded = evaluation != nullptr && evaluation->rules.contains(rule);
        if (recorded)
            line += fmt::format("; {}: {}", name, evaluation->rules.at(rule));
        else
            unknown.push_back(name);
    }
    if (!unknown.empty()) line += "; not recorded: " + joined_words(unknown);
    return line + "; " + scored(protocol, source);
}

// ", fine-tuned at 128 and 256": windows of runs that extend another one and take a step.
std::string later_lengths(const TableSource& source) {
    std::set<Index> lengths;
    for (const RunFolder& run : source.runs) {
        const auto length = integer_from(run.value("train.length"));
        if (length && length != source.trained_length && run.value("train.tokens") != "0")
            lengths.insert(*length);
    }
    Texts texts;
    for (const Index length : lengths) texts.push_back(text_of(length));
    return texts.empty() ? "" : ", fine-tuned at " + joined_words(texts);
}

}  // namespace

void add_definitions(Table& table, const TableSource& source) {
    const auto metric = static_cast<std::size_t>(table.metric);
    table.definitions.push_back(fmt::format("{}, token-weighted; {} is better", metric_units[metric],
                                            table.metric == Metric::gain ? "higher" : "lower"));
    const RunFolder& run = source.runs.front();
    Texts corpora;
    for (const RunFolder& each : source.runs)
        if (const std::string corpus = each.value("data.corpus"); !contains(corpora, corpus))
            corpora.push_back(corpus);
    std::string line =
        fmt::format("corpus {}, tokenizer {}", joined_words(corpora), run.value("data.tokenizer"));
    if (source.trained_length)
        line += fmt::format(", trained at {} tokens (1x){}", *source.trained_length, later_lengths(source));
    table.definitions.push_back(line);
    if (source.over.size() > 1)
        table.definitions.push_back(
            fmt::format("mean \u00b1 half of the 95 % interval (Student's t) over {}: {} (n = {})",
                        table.over, joined_words(source.over), source.over.size()));
    else
        table.definitions.push_back("one run a cell (n = 1)");
    for (const std::string& protocol : source.protocols)
        table.definitions.push_back(protocol_line(protocol, source));
}

}  // namespace locus
