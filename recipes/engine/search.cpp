#include "recipes/engine/search.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "framework/io/atomic_file.h"
#include "framework/io/json_file.h"
#include "models/scaling.h"
#include "recipes/engine/search_fitness.h"
#include "recipes/engine/train_run.h"
#include "recipes/engine/write.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

using nlohmann::json;

double mean_of(const std::vector<double>& nats) {
    return std::accumulate(nats.begin(), nats.end(), 0.0) / static_cast<double>(nats.size());
}

// More iterations of the same search go on from its state.
std::string search_identity(Recipe recipe) {
    recipe.search.given = true;
    recipe.search.iterations = 1;
    return write_recipe(recipe, recipe_schema());
}

json to_json(const Genes& genes) {
    return {{"steps", genes.steps}, {"n_hat", genes.n_hat}};
}

Genes genes_of(const json& stored) {
    return {stored.at("steps").get<std::vector<Index>>(), stored.at("n_hat").get<Index>()};
}

class SearchSession {
  public:
    SearchSession(const Cell& cell, const fs::path& out, Workbench& bench, Reporter& reporter)
        : recipe_(cell.recipe),
          options_(recipe_.search),
          out_(out),
          bench_(bench),
          reporter_(reporter),
          trained_(open_source(recipe_)),
          original_(scaling_of(recipe_.encoding.options).original_length(recipe_.from.original_length)),
          target_(options_.list == FactorList::short_factor
                      ? original_
                      : static_cast<Index>(std::llround(options_.factor * static_cast<double>(original_)))),
          space_(options_, request(), options_.factor, recipe_.train.seed) {
        require(
            options_.list == FactorList::long_factor || recipe_.encoding.options.has("scaling.long_factor"),
            "search: short factors are searched for a model of scaling type longrope, found {}",
            scaling_of(recipe_.encoding.options).type);
        const LoadedData& data = bench.data(recipe_.data);
        seen_ = std::make_unique<FixedWindows>(data.splits.valid, data.splits.contiguous, target_,
                                               options_.windows);
        unseen_ = std::make_unique<FixedWindows>(data.splits.test, data.splits.contiguous, target_,
                                                 options_.test_windows);
        require(seen_->windows() > 0, Failure::data,
                "search: no document of split valid has the {} tokens of a window", target_ + 1);
    }

    SearchResult run() {
        restore();
        SearchResult result;
        while (iteration_ <= options_.iterations && !reporter_.stop()) {
            step();
            save();
        }
        result.finished = iteration_ > options_.iterations;
        describe(result);
        return result;
    }

  private:
    static std::unique_ptr<Transformer> open_source(const Recipe& recipe) {
        require(!recipe.from.run.empty(), "search: expected from.run, a trained run; found none");
        const EncodingEntry& entry = EncodingRegistry::instance().at(recipe.encoding.kind);
        require(entry.scaling == ScalingSupport::every_rule,
                "search: encoding {} has no frequencies that could be scaled", recipe.encoding.kind);
        const bool folder = fs::is_directory(recipe.from.run);
        return (folder ? open_run(recipe.from.run) : open_checkpoint(recipe.from.run)).model;
    }

    FrequencyRequest request() const {
        EncodingCard card;
        CardRequest asked;
        asked.length = original_;
        trained_->encoding().describe(card, asked);
        return {2 * static_cast<Index>(card.inv_freq.size()), recipe_.encoding.options.number("base"),
                original_, target_};
    }

    // The recipe's encoding under a rule; `own` are options of the rule.
    EncodingOptions under(const std::string& rule,
                          const std::vector<std::pair<std::string, OptionValue>>& own) const {
        const EncodingEntry& entry = EncodingRegistry::instance().at(recipe_.encoding.kind);
        EncodingOptions encoding{recipe_.encoding.kind, Options(options_under(entry, rule))};
        for (const auto& [name, value] : recipe_.encoding.options.values())
            if (!name.starts_with("scaling.")) encoding.options.set(name, value);
        encoding.options.set("scaling.original_length", original_);
        for (const auto& [name, value] : own) encoding.options.set("scaling." + name, value);
        return encoding;
    }

    EncodingOptions encoding_of(const Genes& genes) const {
        const std::vector<double> factors = space_.factors(genes);
        std::vector<std::pair<std::string, OptionValue>> own = {
            {"factor", options_.factor},
            {"start_token_idx", space_.n_hat(genes)},
            {"attention_factor", options_.attention_factor}};
        if (options_.list == FactorList::long_factor) {
            own.emplace_back("long_factor", factors);
            return under("longrope", own);
        }
        // The long factors of the model stay, and with them its factor, attention and n-hat.
        EncodingOptions encoding = recipe_.encoding;
        encoding.options.set("scaling.short_factor", factors);
        return encoding;
    }

    double fitness_of(const Genes& genes) const {
        const auto model = under_encoding(recipe_, *trained_, encoding_of(genes));
        const double fitness = mean_of(seen_->nats(*model));
        return std::isfinite(fitness) ? fitness : std::numeric_limits<double>::max();
    }

    // Those that were not met before, a candidate a worker at a time; what a worker finds does not depend on
    // which worker it is.
    void evaluate(const std::vector<Genes>& candidates) {
        std::vector<Genes> fresh;
        for (const Genes& genes : candidates)
            if (!fitness_.contains(genes)) fresh.push_back(genes);
        std::vector<double> found(fresh.size());
        std::atomic<std::size_t> next = 0;
        bench_.workers().run([&](int worker) {
            for (std::size_t i = next++; i < fresh.size(); i = next++) {
                found[i] = fitness_of(fresh[i]);
                if (worker == 0)
                    reporter_.status(fmt::format(
                        "iteration {}/{}: candidate {} of {}, best {:.5f} nats a token", iteration_,
                        options_.iterations, i + 1, fresh.size(), best_.empty() ? found[i] : best_.back()));
            }
        });
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            fitness_[fresh[i]] = found[i];
            history_.push_back(fresh[i]);
        }
    }

    void step() {
        std::vector<Genes> candidates = population_;
        if (iteration_ == 0) {
            candidates = space_.first_population();
        } else {
            std::set<Genes> known(history_.begin(), history_.end());
            for (const Genes& child : space_.children(population_, iteration_, known))
                candidates.push_back(child);
        }
        evaluate(candidates);
        // The fittest are the next parents; of equals the smaller genes, so that the order is one.
        std::sort(candidates.begin(), candidates.end(), [&](const Genes& a, const Genes& b) {
            return std::pair(fitness_.at(a), a) < std::pair(fitness_.at(b), b);
        });
        candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(options_.parents)));
        population_ = std::move(candidates);
        best_.push_back(fitness_.at(population_.front()));
        ++iteration_;
    }

    void restore() {
        const fs::path path = out_ / "search.json";
        std::error_code error;
        if (fs::exists(path, error)) {
            require(read_file(out_ / "recipe.yaml") == search_identity(recipe_), Failure::storage,
                    "{}: this folder belongs to another search", out_.string());
            load(read_json(path), path);
            reporter_.message(fmt::format("{}: going on after iteration {}", out_.string(), iteration_ - 1));
            return;
        }
        fs::create_directories(out_, error);
        require(!error, Failure::storage, "{}: the folder cannot be made: {}", out_.string(),
                error.message());
        write_file_atomically(out_ / "recipe.yaml", search_identity(recipe_));
    }

    void load(const json& state, const fs::path& path) {
        try {
            iteration_ = state.at("iteration").get<Index>();
            best_ = state.at("best_fitness").get<std::vector<double>>();
            for (const json& entry : state.at("history")) {
                history_.push_back(genes_of(entry));
                fitness_[history_.back()] = entry.at("fitness").get<double>();
            }
            for (const json& entry : state.at("parents")) population_.push_back(genes_of(entry));
        } catch (const json::exception& wrong) {
            fail(Failure::storage, "{}: not the state of a search: {}", path.string(), wrong.what());
        }
        for (const Genes& genes : history_)
            require(space_.holds(genes), Failure::storage, "{}: holds a candidate of another search",
                    path.string());
    }

    void save() const {
        json state = {{"iteration", iteration_}, {"best_fitness", best_}};
        state["history"] = json::array();
        for (const Genes& genes : history_) {
            state["history"].push_back(to_json(genes));
            state["history"].back()["fitness"] = fitness_.at(genes);
        }
        state["parents"] = json::array();
        for (const Genes& genes : population_) state["parents"].push_back(to_json(genes));
        write_json(out_ / "search.json", state);
        std::string lines;
        for (std::size_t i = 0; i < best_.size(); ++i)
            lines += json{{"iteration", i}, {"best_fitness", best_[i]}}.dump() + "\n";
        write_file_atomically(out_ / "progress.jsonl", lines);
    }

    void describe(SearchResult& result) const {
        result.iterations = iteration_ - 1;
        result.candidates = static_cast<Index>(history_.size());
        result.best_fitness = best_;
        result.target_length = target_;
        if (population_.empty()) return;
        const Genes& best = population_.front();
        result.factors = space_.factors(best);
        result.n_hat = space_.n_hat(best);
        result.fragment = fragment_of(best);
        if (!result.finished) return;
        write_file_atomically(out_ / "best.yaml", result.fragment);
        judge(best, result);
        write_json(out_ / "result.json", locus::to_json(result));
    }

    std::string fragment_of(const Genes& best) const {
        const Options& found = encoding_of(best).options;
        std::string text = fmt::format(
            "# Found by a search over {} candidates on {} windows of {} tokens: {} nats a token\n"
            "encoding.scaling:\n  type: longrope\n",
            history_.size(), seen_->windows(), target_, text_of(best_.back()));
        for (const char* name : {"factor", "attention_factor"})
            text += fmt::format("  {}: {}\n", name, text_of(found.number(std::string("scaling.") + name)));
        for (const char* name : {"original_length", "start_token_idx"})
            text += fmt::format("  {}: {}\n", name, text_of(found.integer(std::string("scaling.") + name)));
        for (const char* name : {"long_factor", "short_factor"}) {
            const auto& numbers = found.numbers(std::string("scaling.") + name);
            std::vector<std::string> texts;
            for (double number : numbers) texts.push_back(text_of(number));
            if (!texts.empty()) text += fmt::format("  {}: [{}]\n", name, fmt::join(texts, ", "));
        }
        return text;
    }

    // On the test split, token by token, against the rules that need no search.
    void judge(const Genes& best, SearchResult& result) const {
        if (unseen_->windows() == 0) {
            result.unseen =
                fmt::format("no document of split test has the {} tokens of a window", target_ + 1);
            return;
        }
        result.unseen = "test";
        const auto nats = [&](const EncodingOptions& encoding) {
            return unseen_->nats(*under_encoding(recipe_, *trained_, encoding));
        };
        const std::vector<double> own = nats(encoding_of(best));
        result.unseen_nats = mean_of(own);
        for (const char* rule : {"plain", "linear", "ntk", "yarn"}) {
            const std::string name = rule;
            if (name == "ntk" && space_.factors(best).size() < 2) continue;
            const EncodingEntry& entry = EncodingRegistry::instance().at(recipe_.encoding.kind);
            EncodingOptions encoding{recipe_.encoding.kind, Options(options_under(entry))};
            for (const auto& [option, value] : recipe_.encoding.options.values())
                if (!option.starts_with("scaling.")) encoding.options.set(option, value);
            if (name != "plain") encoding = under(name, {{"factor", options_.factor}});
            std::vector<double> theirs = nats(encoding);
            SearchVerdict verdict{name, mean_of(theirs), 0, {}};
            for (std::size_t i = 0; i < own.size(); ++i) theirs[i] -= own[i];
            verdict.gain = mean_of(theirs);
            const std::vector<std::vector<TokenSum>> sums = {sum_by_cluster(unseen_->clusters(), theirs)};
            verdict.interval = bootstrap(sums).front();
            result.verdicts.push_back(verdict);
        }
    }

    const Recipe& recipe_;
    const SearchOptions& options_;
    fs::path out_;
    Workbench& bench_;
    Reporter& reporter_;
    std::unique_ptr<Transformer> trained_;
    Index original_, target_;
    GeneSpace space_;
    std::unique_ptr<FixedWindows> seen_, unseen_;
    Index iteration_ = 0;  // the next one; 0 is the first population
    std::vector<Genes> population_, history_;
    std::map<Genes, double> fitness_;
    std::vector<double> best_;
};

}  // namespace

json to_json(const SearchResult& result) {
    json out = {{"finished", result.finished},
                {"iterations", result.iterations},
                {"candidates", result.candidates},
                {"best_fitness", result.best_fitness},
                {"factors", result.factors},
                {"n_hat", result.n_hat},
                {"target_length", result.target_length},
                {"fragment", result.fragment},
                {"unseen", result.unseen},
                {"unseen_nats_per_token", result.unseen_nats},
                {"verdicts", json::array()}};
    for (const SearchVerdict& verdict : result.verdicts) {
        json entry = {{"against", verdict.against}, {"nats_per_token", verdict.nats}, {"gain", verdict.gain}};
        entry["interval"] =
            verdict.interval ? json{verdict.interval->low, verdict.interval->high} : json(nullptr);
        out["verdicts"].push_back(std::move(entry));
    }
    return out;
}

SearchResult run_search(const Cell& cell, const fs::path& out, Workbench& bench, Reporter& reporter) {
    return SearchSession(cell, out, bench, reporter).run();
}

}  // namespace locus
