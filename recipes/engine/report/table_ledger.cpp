#include "recipes/engine/report/table_ledger.h"

#include <algorithm>
#include <map>
#include <set>

#include "framework/core/error.h"
#include "recipes/engine/report/table_declared.h"
#include "recipes/engine/report/table_facts.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

using Texts = std::vector<std::string>;
using Arms = std::vector<std::pair<std::string, std::vector<const RunFolder*>>>;

/// The runs by arm, in the order of the table.
Arms arms_of(const TableSource& source) {
    Arms arms;
    for (const RunFolder& run : source.runs) {
        const std::string name = source.arm_of(run);
        auto place =
            std::find_if(arms.begin(), arms.end(), [&](const auto& arm) { return arm.first == name; });
        if (place == arms.end()) place = arms.insert(arms.end(), {name, {}});
        place->second.push_back(&run);
    }
    return arms;
}

bool differs(const std::vector<const RunFolder*>& runs, const std::string& key) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const RunFolder* run) { return run->value(key) != runs.front()->value(key); });
}

/// By what rules an evaluation scored, as far as it was recorded.
std::vector<std::pair<std::string, std::string>> rules_of(const Evaluation& evaluation) {
    std::vector<std::pair<std::string, std::string>> rules;
    for (const auto& [name, text] : {std::pair{"unit", evaluation.unit}, std::pair{"text", evaluation.text},
                                     std::pair{"bos", evaluation.bos}, std::pair{"tail", evaluation.tail}})
        if (!text.empty()) rules.emplace_back(name, text);
    if (evaluation.documents)
        rules.emplace_back("documents", grouped(static_cast<double>(*evaluation.documents)));
    if (const auto context = evaluation.fact("baseline_context"))
        rules.emplace_back("baseline_context", grouped(static_cast<double>(*context)));
    return rules;
}

class Ledger {
  public:
    Ledger(Table& table, const TableSource& source)
        : table_(table), source_(source), declared_(declared_of(source)), arms_(arms_of(source)) {
        for (const Coordinate& at : source.runs.front().cell) axes_.keys.insert(at.axis);
    }

    void write() {
        recipes();
        parameters();
        tokens();
        shared(SharedFact::data_order, &Manifest::data_order_hash, "data order");
        shared(SharedFact::evaluation_items, &Manifest::evaluation_items_hash, "evaluation items");
        scored();
        // Of what all arms have: an encoding's own parameters are not in this hash.
        shared(SharedFact::initial_values, &Manifest::initial_value_hash,
               "initial values beside the encoding's own");
        cost();
        identities();
        Texts warnings = changed_files();
        if (!undeclared_.empty())
            warnings.insert(warnings.begin(),
                            "the arms differ in what the recipe does not declare as varied: " +
                                joined_words(undeclared_, "; "));
        if (!warnings.empty()) table_.warning = "WARNING: " + joined_words(warnings, "; ");
    }

  private:
    std::vector<const RunFolder*> all() const {
        std::vector<const RunFolder*> runs;
        for (const RunFolder& run : source_.runs) runs.push_back(&run);
        return runs;
    }

    // What the table says of these runs is not what was recorded.
    Texts changed_files() const {
        Texts lines;
        const std::string changed = " was changed after it was written";
        for (const RunFolder& run : source_.runs) {
            if (run.manifest.was_changed) lines.push_back(run.name + "/manifest.json" + changed);
            if (run.recipe_was_changed) lines.push_back(run.name + "/recipe.yaml" + changed);
        }
        return lines;
    }

    std::string by_arm(const std::string& key) const {
        Facts facts;
        for (const RunFolder& run : source_.runs) facts.emplace_back(source_.arm_of(run), run.value(key));
        return by_value(facts);
    }

    // An encoding is what an arm is there to choose. What else arms set stands in the ledger where the recipe
    // says so, and where nobody can tell; a difference between the seeds of one arm is never declared.
    void recipes() {
        std::set<std::string> keys;
        for (const RunFolder& run : source_.runs)
            for (const auto& [key, value] : run.recipe)
                if (key != "question" && key.rfind("table.", 0) != 0) keys.insert(key);
        Texts beside;
        for (const std::string& key : keys) {
            // Grids are named in every row, so they need no line.
            if (!differs(all(), key) || axes_.holds(key)) continue;
            const bool within = std::any_of(arms_.begin(), arms_.end(),
                                            [&](const auto& arm) { return differs(arm.second, key); });
            const bool encoding =
                key.rfind("encoding.", 0) == 0 && (declared_.arms || declared_.any_of_sections({"encoding"}));
            const bool may_differ =
                encoding || declared_.holds(key) || (declared_.arms && !declared_.arms_known);
            if (within || !may_differ)
                undeclared_.push_back(fmt::format("{}: {}", key, by_arm(key)));
            else if (!encoding)
                beside.push_back(fmt::format("{}: {}", key, by_arm(key)));
        }
        if (!beside.empty()) table_.ledger.push_back("arms also differ in " + joined_words(beside, "; "));
    }

    void parameters() {
        Facts facts;
        for (const RunFolder& run : source_.runs)
            if (const auto count = run.manifest.parameters)
                facts.emplace_back(source_.arm_of(run), grouped(static_cast<double>(*count)));
        if (facts.empty()) return table_.ledger.push_back("parameters: not recorded");
        const bool own = !alike(facts) && !declared_.any_of_sections({"model"});
        table_.ledger.push_back(
            "parameters: " + by_value(facts) +
            (own ? "; what an arm has more is its own, such as a table of its encoding" : ""));
    }

    /// The value of `over` where the cells vary in it, else "".
    std::string place_of(const RunFolder& run) const {
        return run.varies(table_.over) ? run.value(table_.over) : "";
    }

    /// A fact of the manifest that all arms must share at each value that the mean runs over.
    void shared(SharedFact fact, std::optional<std::string> Manifest::*field, const std::string& words) {
        FactsByPlace facts;
        bool everywhere = true;
        for (const RunFolder& run : source_.runs) {
            if (!run.finished()) continue;
            const auto& value = run.manifest.*field;
            everywhere = everywhere && value;
            if (value) facts.add(place_of(run), keys_followed(fact, run), source_.arm_of(run), *value);
        }
        const std::string rest = everywhere ? "" : "; not recorded by every run";
        if (const Facts* differing = facts.undeclared())
            undeclared_.push_back(words + ": " + against(*differing));
        else if (facts.empty() || facts.same())
            table_.ledger.push_back(
                words + (facts.empty() ? ": not recorded" : ": the same in all arms" + at_each() + rest));
        else
            table_.ledger.push_back(words + ": differ, as declared: " + against(*facts.difference()) + rest);
    }

    void tokens() {
        FactsByPlace facts;
        Facts all;
        for (const RunFolder& run : source_.runs) {
            const auto& count = run.manifest.tokens;
            if (!count || !run.finished()) continue;
            all.emplace_back(source_.arm_of(run), grouped(static_cast<double>(*count)));
            facts.add(place_of(run), keys_followed(SharedFact::training_tokens, run), all.back().first,
                      all.back().second);
        }
        if (all.empty()) return table_.ledger.push_back("training tokens: not recorded");
        (facts.undeclared() == nullptr ? table_.ledger : undeclared_)
            .push_back("training tokens: " + by_value(all));
    }

    /// Two arms that scored different tokens, or by different rules, cannot stand in one column.
    void scored() {
        std::map<std::pair<std::string, std::string>, FactsByPlace> facts;
        for (const RunFolder& run : source_.runs) {
            Texts followed = keys_followed(SharedFact::evaluation_items, run);
            for (const char* key : {"train.length", "from.original_length"})
                followed.push_back(run.value(key));
            for (const Evaluation& evaluation : run.evaluations) {
                if (!run.finished() || evaluation.split != source_.split) continue;
                const auto add = [&](const std::string& what, const std::string& value) {
                    facts[{evaluation.protocol, what}].add(place_of(run), followed, source_.arm_of(run),
                                                           value);
                };
                for (const auto& [rule, value] : rules_of(evaluation)) add(rule, value);
                for (const Record& record : evaluation.records)
                    if (record.count && record.state != RecordState::beyond_table)
                        add(TableSource::place(evaluation, record, "length").value_or("") + " tokens scored",
                            grouped(static_cast<double>(*record.count)));
            }
        }
        for (const auto& [what, values] : facts)
            if (const Facts* differing = values.undeclared())
                undeclared_.push_back(
                    fmt::format("{} {}: {}", what.first, what.second, by_value(*differing)));
    }

    std::string at_each() const { return source_.over.size() > 1 ? " at each " + table_.over : ""; }

    void cost() {
        Facts flops, epochs;
        bool repeated = false;
        for (const RunFolder& run : source_.runs) {
            const std::string arm = source_.arm_of(run);
            if (const auto& value = run.manifest.flops)
                flops.emplace_back(arm, fmt::format("{:.3g}", *value));
            if (const auto& value = run.manifest.epochs) {
                epochs.emplace_back(arm, fmt::format("{:.3g}", *value));
                repeated = repeated || *value > 1;
            }
        }
        if (!flops.empty()) table_.ledger.push_back("FLOPs of training: " + by_value(flops));
        if (repeated) table_.ledger.push_back("the training text was repeated; epochs: " + by_value(epochs));
    }

    /// What runs stand on: all must share it, in training, after a resume, and in the evaluation.
    void identities() {
        const Texts corpus = {"data.corpus",    "data.format",          "data.tokenizer",
                              "data.documents", "data.document_length", "data.generator_seed"};
        Texts splits = corpus;
        for (const char* key : {"data.valid", "data.test", "data.valid_fraction", "data.test_fraction"})
            splits.push_back(key);
        identity(Thing::corpus, corpus);
        identity(Thing::splits, splits);
        for (const Thing thing : {Thing::kernels, Thing::program, Thing::build}) identity(thing, {});
        if (!same_things_.empty())
            table_.ledger.push_back(joined_words(same_things_) + ": the same in all arms");
    }

    /// `follows`: keys of the recipe in which runs may differ, and then in this as well.
    void identity(Thing thing, const Texts& follows) {
        const std::string words = name_of(thing);
        FactsByPlace facts;
        for (const RunFolder& run : source_.runs) {
            if (!run.finished()) continue;
            Texts followed;
            for (const std::string& key : follows) followed.push_back(run.value(key));
            for (const std::string& value : values_of(run, thing))
                facts.add("", followed, source_.arm_of(run), value);
        }
        if (const Facts* differing = facts.undeclared())
            undeclared_.push_back(words + ": " + by_value(*differing));
        else if (!facts.empty() && facts.same())
            same_things_.push_back(words);
        else if (!facts.empty())
            table_.ledger.push_back(words + ": differ, as declared: " + by_value(*facts.difference()));
    }

    /// Each once: of the training, of what it went on with, and of the evaluation.
    static Texts values_of(const RunFolder& run, Thing thing) {
        Texts values;
        for (const Identity* identity : {&run.identity, &run.measured})
            if (const auto at = identity->find(thing); at != identity->end()) add_once(values, at->second);
        for (const Change& change : run.manifest.changes_of_training())
            if (change.thing == thing) add_once(values, change.here);
        return values;
    }

    Table& table_;
    const TableSource& source_;
    Declared declared_, axes_;  // axes_: without what arms set
    Arms arms_;
    Texts undeclared_, same_things_;
};

}  // namespace

void add_ledger(Table& table, const TableSource& source) {
    Ledger(table, source).write();
}

}  // namespace locus
