#include <algorithm>
#include <map>
#include <set>

#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/measure/policy.h"
#include "recipes/engine/report/table_notes.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

using Texts = std::vector<std::string>;

std::string definition_of(const std::string& protocol, const Evaluation* evaluation) {
    const ProtocolPolicy* policy = find_policy(protocol);
    if (policy == nullptr) return "as recorded";
    return policy->definition(protocol, evaluation != nullptr ? evaluation->facts : EvaluationFacts{});
}

/// "tokens scored 2,048", or by length where it differs.
std::string scored(const std::string& protocol, const TableSource& source) {
    Texts lengths;
    std::map<std::string, std::string> tokens;
    for (const RunFolder& run : source.runs) {
        for (const Evaluation& evaluation : run.evaluations) {
            if (evaluation.protocol != protocol || evaluation.split != source.split) continue;
            for (const Record& record : evaluation.records) {
                if (!record.count || record.state == RecordState::beyond_table) continue;
                const std::string length = TableSource::place(evaluation, record, "length").value_or("");
                if (tokens.emplace(length, grouped(static_cast<double>(*record.count))).second)
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
    const auto add = [&](const std::string& name, const std::string& value) {
        if (value.empty())
            unknown.push_back(name);
        else
            line += fmt::format("; {}: {}", name, value);
    };
    const Evaluation nothing;
    const Evaluation& said = evaluation != nullptr ? *evaluation : nothing;
    add("unit", said.unit);
    add("text", said.text);
    add("BOS", said.bos);
    add("tail", said.tail);
    add("documents", said.documents ? grouped(static_cast<double>(*said.documents)) : "");
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
    const Metric& metric = table.measure();
    table.definitions.push_back(fmt::format("{}, token-weighted; {} is better", metric.unit,
                                            metric.higher_is_better ? "higher" : "lower"));
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
        table.definitions.push_back("one run per cell (n = 1)");
    for (const std::string& protocol : source.protocols)
        table.definitions.push_back(protocol_line(protocol, source));
}

}  // namespace locus
