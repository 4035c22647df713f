#include "recipes/engine/search/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include "framework/distributed/rank_errors.h"
#include "framework/io/atomic_file.h"
#include "framework/io/checkpoint_folder.h"
#include "framework/io/checksum.h"
#include "framework/io/json_file.h"
#include "models/scaling.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/run/begin_from.h"
#include "recipes/engine/run/manifest.h"
#include "recipes/engine/run/train_run.h"
#include "recipes/engine/search/found_encoding.h"
#include "recipes/engine/search/search_fitness.h"
#include "recipes/engine/search/search_state.h"
#include "recipes/engine/statistics/statistics.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

using nlohmann::json;

class SearchSession {
  public:
    SearchSession(const Cell& cell, const fs::path& out, Workbench& bench, Reporter& reporter)
        : recipe_(cell.recipe),
          options_(recipe_.search),
          out_(out),
          bench_(bench),
          reporter_(reporter),
          group_(bench.group()),
          source_(open_source(cell, group_)),
          trained_(std::move(source_.model)),
          original_(scaling_of(recipe_.encoding.options).original_length(recipe_.from.original_length)),
          target_(options_.list == FactorList::short_factor
                      ? original_
                      : static_cast<Index>(std::llround(options_.factor * static_cast<double>(original_)))),
          space_(options_, request(), options_.factor, recipe_.train.seed) {
        const std::string& own = scaling_of(recipe_.encoding.options).type;
        require(options_.list == FactorList::long_factor || own == searched_rule(),
                "search: short factors are searched for a model of scaling type {}, found {}",
                searched_rule(), own);
        const LoadedData& data = bench.data(recipe_.data);
        if (same_text(source_.recipe.data, recipe_.data)) admit_text(source_, data, recipe_.from.run);
        here_ = identity_of_process();
        here_.merge(identity_of(data));
        here_[Thing::parameters] = parameters_hash(*trained_);
        seen_ = std::make_unique<FixedWindows>(data.splits.valid, data.splits.contiguous, target_,
                                               options_.windows);
        unseen_ = std::make_unique<FixedWindows>(data.splits.test, data.splits.contiguous, target_,
                                                 options_.test_windows);
        require(seen_->windows() > 0, Failure::data,
                "search: no document of split valid has the {} tokens of a window", target_ + 1);
    }

    SearchResult run() {
        const std::string identity = search_identity(recipe_);
        require_alike(group_, "search (XXH3)", checksum(identity));
        require_alike_identity(group_, here_);
        on_root(group_, [&] { restore(); });
        share_state();
        SearchResult result;
        while (state_.iteration <= options_.iterations && !group_.any(reporter_.stop())) {
            try {
                step();
            } catch (const Error& error) {  // on all ranks; what they have found is not lost
                if (error.kind() != Failure::interrupted) throw;
                state_.pending.insert(met_.begin(), met_.end());
                on_root(group_, [&] { save(); });
                break;
            }
            on_root(group_, [&] { save(); });
        }
        result.finished = state_.iteration > options_.iterations;
        describe(result);
        return result;
    }

  private:
    static OpenedRun open_source(const Cell& cell, const Communicator& group) {
        const Recipe& recipe = cell.recipe;
        require(!recipe.from.run.empty(), "search: expected from.run, a trained run; found none");
        const EncodingEntry& entry = EncodingRegistry::instance().at(recipe.encoding.kind);
        require(entry.scaling == ScalingSupport::every_rule,
                "search: encoding {} has no frequencies that could be scaled", recipe.encoding.kind);
        if (cell.ancestor)
            require(cell.ancestor->encoding.kind == recipe.encoding.kind,
                    "search: {} was trained with encoding {}, found encoding.kind {}", recipe.from.run,
                    cell.ancestor->encoding.kind, recipe.encoding.kind);
        check_beginning(cell);
        fs::path path = recipe.from.path();
        if (fs::is_directory(path))
            path = CheckpointFolder(path / "checkpoints", 1).path_of(recipe.from.step);
        return open_checkpoint(path, group);
    }

    FrequencyRequest request() const {
        const auto base = base_of(recipe_.encoding.options);
        require(base.has_value(), "search: encoding {} has no option base", recipe_.encoding.kind);
        EncodingCard card;
        CardRequest asked;
        asked.length = original_;
        trained_->encoding().describe(card, asked);
        return {2 * static_cast<Index>(card.inv_freq.size()), *base, original_, target_};
    }

    EncodingOptions encoding_of(const Genes& genes) const {
        return under_found(recipe_,
                           {.of_pairs = space_.factors(genes),
                            .within = options_.list == FactorList::short_factor,
                            .reach = options_.factor,
                            .first_positions = space_.n_hat(genes),
                            .magnitude = options_.attention_factor},
                           original_);
    }

    double fitness_of(const Genes& genes) const {
        const auto model = under_encoding(recipe_, *trained_, encoding_of(genes));
        const double fitness = mean_of(seen_->nats(*model));
        return std::isfinite(fitness) ? fitness : std::numeric_limits<double>::max();
    }

    // A candidate of an iteration that was stopped may have been met already. Called by the workers.
    double known_or_new_fitness(const Genes& genes) {
        const auto known = state_.pending.find(genes);
        if (known != state_.pending.end()) return known->second;
        const double fitness = fitness_of(genes);
        const std::lock_guard lock(met_mutex_);
        met_[genes] = fitness;
        return fitness;
    }

    // Those that were not met before, a candidate a worker at a time.
    void evaluate(const std::vector<Genes>& candidates) {
        std::vector<Genes> fresh;
        for (const Genes& genes : candidates)
            if (!state_.fitness.contains(genes)) fresh.push_back(genes);
        const auto count = static_cast<Index>(fresh.size());
        const auto found = spread(bench_, count, 1, [&](Index i, int worker, std::span<double> fitness) {
            fitness[0] = known_or_new_fitness(fresh[static_cast<std::size_t>(i)]);
            if (worker == 0)
                reporter_.status(
                    fmt::format("iteration {}/{}: candidate {} of {}, best {:.5f} nats per token",
                                state_.iteration, options_.iterations, i + 1, count,
                                state_.best.empty() ? fitness[0] : state_.best.back()));
        });
        state_.pending.clear();
        met_.clear();
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            state_.fitness[fresh[i]] = found[i];
            state_.history.push_back(fresh[i]);
        }
    }

    void step() {
        std::vector<Genes> candidates = state_.population;
        if (state_.iteration == 0) {
            candidates = space_.first_population();
        } else {
            std::set<Genes> known(state_.history.begin(), state_.history.end());
            for (const Genes& child : space_.children(state_.population, state_.iteration, known))
                candidates.push_back(child);
        }
        evaluate(candidates);
        // The fittest are the next parents; of equals the smaller genes, so that the order is one.
        std::sort(candidates.begin(), candidates.end(), [&](const Genes& a, const Genes& b) {
            return std::pair(state_.fitness.at(a), a) < std::pair(state_.fitness.at(b), b);
        });
        candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(options_.parents)));
        state_.population = std::move(candidates);
        state_.best.push_back(state_.fitness.at(state_.population.front()));
        ++state_.iteration;
    }

    void restore() {
        const fs::path path = out_ / "search.json";
        std::error_code error;
        if (fs::exists(path, error)) {
            require(read_file(out_ / "recipe.yaml") == search_identity(recipe_), Failure::storage,
                    "{}: this folder belongs to another search", out_.string());
            state_ = read_search_state(read_json(path), path);
            for (const Change& change : admit(state_.identity, here_, out_.string())) {
                reporter_.message(fmt::format("{}: {}", out_.string(), text_of(change)));
                state_.changes.push_back(change);
            }
            for (const Genes& genes : state_.history)
                require(space_.holds(genes), Failure::storage, "{}: holds a candidate of another search",
                        path.string());
            reporter_.message(
                fmt::format("{}: going on after iteration {}", out_.string(), state_.iteration - 1));
            return;
        }
        fs::create_directories(out_, error);
        require(!error, Failure::storage, "{}: the folder cannot be made: {}", out_.string(),
                error.message());
        write_file_atomically(out_ / "recipe.yaml", search_identity(recipe_));
        state_.identity = here_;
    }

    // Rank 0 alone knows the folder.
    void share_state() {
        const fs::path path = out_ / "search.json";
        const std::string text = group_.broadcast(group_.is_root() ? to_json(state_).dump() : "");
        if (!group_.is_root()) state_ = read_search_state(json::parse(text), path);
    }

    void save() const {
        write_json(out_ / "search.json", to_json(state_));
        write_file_atomically(out_ / "progress.jsonl", progress_of(state_));
    }

    void describe(SearchResult& result) const {
        result.iterations = state_.iteration - 1;
        result.candidates = static_cast<Index>(state_.history.size());
        result.best_fitness = state_.best;
        result.target_length = target_;
        if (state_.population.empty()) return;
        const Genes& best = state_.population.front();
        result.factors = space_.factors(best);
        result.n_hat = space_.n_hat(best);
        result.fragment = fragment_of(best);
        if (!result.finished) return;
        on_root(group_, [&] { write_file_atomically(out_ / "best.yaml", result.fragment); });
        judge(best, result);
        on_root(group_, [&] { write_json(out_ / "result.json", locus::to_json(result)); });
    }

    std::string fragment_of(const Genes& best) const {
        return fmt::format(
            "# Found by a search over {} candidates on {} windows of {} tokens: {} nats per token\n{}",
            state_.history.size(), seen_->windows(), target_, text_of(state_.best.back()),
            scaling_text(encoding_of(best)));
    }

    // On the test split, token by token, against the rules that need no search.
    void judge(const Genes& best, SearchResult& result) const {
        if (unseen_->windows() == 0) {
            result.unseen =
                fmt::format("no document of split test has the {} tokens of a window", target_ + 1);
            return;
        }
        result.unseen = "test";
        std::vector<std::string> rules;
        std::vector<EncodingOptions> encodings = {encoding_of(best)};
        rules.push_back(Scaling().type);
        encodings.push_back(without_rule(recipe_));
        for (const std::string& name : FrequencyRegistry::instance().names()) {
            const FrequencyRule& rule = FrequencyRegistry::instance().at(name);
            if (!rule.search_seeds || rule.search_seeds(request(), options_.factor).empty()) continue;
            rules.push_back(name);
            const RuleChoices own = rule.reaching(options_.factor, request().width / 2);
            encodings.push_back(under_rule(recipe_, name, own, original_));
        }
        const Index tokens = unseen_->tokens();
        const auto nats = spread(
            bench_, static_cast<Index>(encodings.size()), tokens, [&](Index i, int, std::span<double> row) {
                const auto& encoding = encodings[static_cast<std::size_t>(i)];
                const auto found = unseen_->nats(*under_encoding(recipe_, *trained_, encoding));
                std::copy(found.begin(), found.end(), row.begin());
            });
        const std::vector<double> own(nats.begin(), nats.begin() + tokens);
        result.unseen_nats = mean_of(own);
        for (std::size_t rule = 0; rule < rules.size(); ++rule) {
            const auto begin = nats.begin() + static_cast<Index>(rule + 1) * tokens;
            std::vector<double> theirs(begin, begin + tokens);
            SearchVerdict verdict{rules[rule], mean_of(theirs), 0, {}};
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
    Communicator group_;
    OpenedRun source_;  // without its model
    std::unique_ptr<Transformer> trained_;
    Index original_, target_;
    GeneSpace space_;
    std::unique_ptr<FixedWindows> seen_, unseen_;
    Identity here_;  // what the search stands on
    SearchState state_;
    std::map<Genes, double> met_;  // by this rank, in the iteration that is under way
    std::mutex met_mutex_;
};

}  // namespace

SearchResult run_search(const Cell& cell, const fs::path& out, Workbench& bench, Reporter& reporter) {
    return SearchSession(cell, out, bench, reporter).run();
}

}  // namespace locus
