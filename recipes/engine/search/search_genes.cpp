#include "recipes/engine/search/search_genes.h"

#include <algorithm>
#include <cmath>

#include "framework/core/random.h"
#include "models/scaling.h"

namespace locus {

namespace {

constexpr Index max_tries = 20;  // for a child that is new and does not fall

std::string name_of_searched() {
    for (const std::string& name : FrequencyRegistry::instance().names())
        if (FrequencyRegistry::instance().at(name).of_found) return name;
    fail(Failure::usage, "search: no frequency rule takes the factors that it finds");
}

}  // namespace

const std::string& searched_rule() {
    static const std::string name = name_of_searched();
    return name;
}

const FrequencyRule& searched() {
    return FrequencyRegistry::instance().at(searched_rule());
}

GeneSpace::GeneSpace(const SearchOptions& options, const FrequencyRequest& request, double factor,
                     std::uint64_t seed)
    : options_(options),
      request_(request),
      factor_(factor),
      seed_(seed),
      max_(static_cast<Index>(std::floor((options.upper * factor - 1) / options.step + 1e-9))) {
    require(max_ >= 1, "search: factors up to {} x {} leave nothing above 1 to search (search.upper)",
            options.upper, factor);
    for (Index n_hat : options.n_hat)
        if (n_hat <= request.trained_length) n_hats_.push_back(n_hat);
    require(!n_hats_.empty() && n_hats_.front() == 0, "search: search.n_hat must begin with 0");
}

std::vector<double> GeneSpace::factors(const Genes& genes) const {
    std::vector<double> factors;
    // Rounded, so that 1 + 14 x 0.01 is the 1.14 that a recipe says.
    for (Index step : genes.steps)
        factors.push_back(std::round((1 + static_cast<double>(step) * options_.step) * 1e9) / 1e9);
    return factors;
}

bool GeneSpace::holds(const Genes& genes) const {
    return static_cast<Index>(genes.steps.size()) == request_.width / 2 &&
           std::is_sorted(genes.steps.begin(), genes.steps.end()) && genes.steps.front() >= 0 &&
           genes.steps.back() <= max_ && genes.n_hat >= 0 && genes.n_hat < static_cast<Index>(n_hats_.size());
}

Genes GeneSpace::rounded(const std::vector<double>& factors) const {
    Genes genes;
    for (double factor : factors)
        genes.steps.push_back(std::clamp<Index>(std::llround((factor - 1) / options_.step), 0, max_));
    return genes;
}

std::vector<Genes> GeneSpace::seeds() const {
    std::vector<Genes> seeds;
    const auto add = [&](const std::vector<double>& factors) {
        const Genes genes = rounded(factors);
        if (std::find(seeds.begin(), seeds.end(), genes) == seeds.end()) seeds.push_back(genes);
    };
    add(std::vector<double>(static_cast<std::size_t>(request_.width / 2), 1.0));
    for (const std::string& name : FrequencyRegistry::instance().names()) {
        const FrequencyRule& rule = FrequencyRegistry::instance().at(name);
        if (!rule.search_seeds) continue;
        for (const std::vector<double>& factors : rule.search_seeds(request_, factor_)) add(factors);
    }
    return seeds;
}

std::vector<Genes> GeneSpace::first_population() const {
    std::vector<Genes> population = seeds();
    const std::size_t seeded = population.size();
    const auto wanted = static_cast<std::size_t>(options_.population);
    for (std::uint64_t draw = 0; population.size() < wanted && draw < wanted * max_tries; ++draw) {
        const Genes child = mutated(population[draw % seeded], {0, draw});
        if (std::find(population.begin(), population.end(), child) == population.end())
            population.push_back(child);
    }
    population.resize(std::min(population.size(), std::max(wanted, seeded)));
    return population;
}

Genes GeneSpace::mutated(Genes genes, std::initializer_list<std::uint64_t> key) const {
    RandomStream stream(seed_, Purpose::search, key);
    for (std::size_t i = 0; i < genes.steps.size(); ++i) {
        if (stream.uniform() >= options_.probability) continue;
        const Index low = i == 0 ? 0 : genes.steps[i - 1];
        const Index high = i + 1 == genes.steps.size() ? max_ : genes.steps[i + 1];
        genes.steps[i] = low + static_cast<Index>(stream.below(static_cast<std::uint64_t>(high - low + 1)));
    }
    if (stream.uniform() < options_.probability)
        genes.n_hat = static_cast<Index>(stream.below(n_hats_.size()));
    return genes;
}

Genes GeneSpace::crossed(Genes first, const Genes& second, std::initializer_list<std::uint64_t> key) const {
    RandomStream stream(seed_, Purpose::search, key);
    for (std::size_t i = 0; i < first.steps.size(); ++i)
        if (stream.uniform() < options_.probability) first.steps[i] = second.steps[i];
    if (stream.uniform() < options_.probability) first.n_hat = second.n_hat;
    return first;
}

std::vector<Genes> GeneSpace::children(const std::vector<Genes>& parents, Index iteration,
                                       const std::set<Genes>& known) const {
    std::vector<Genes> children;
    std::set<Genes> seen = known;
    const auto breed = [&](Index count, std::uint64_t kind, const auto& make) {
        for (Index slot = 0; slot < count; ++slot) {
            for (Index attempt = 0; attempt < max_tries; ++attempt) {
                const auto words = {static_cast<std::uint64_t>(iteration), kind,
                                    static_cast<std::uint64_t>(slot), static_cast<std::uint64_t>(attempt)};
                const Genes child = make(words);
                if (!holds(child) || !seen.insert(child).second) continue;
                children.push_back(child);
                break;
            }
        }
    };
    // Which parents take part is drawn by a key of its own, so that genes do not depend on it.
    const auto pick = [&](std::initializer_list<std::uint64_t> words, std::uint64_t which) -> const Genes& {
        const std::uint64_t* word = words.begin();
        RandomStream stream(seed_, Purpose::search, {word[0], word[1], word[2] + (which << 32), word[3]});
        return parents[stream.below(parents.size())];
    };
    breed(options_.mutations, 1, [&](auto words) { return mutated(pick(words, 1), words); });
    breed(options_.crossovers, 2, [&](auto words) { return crossed(pick(words, 1), pick(words, 2), words); });
    return children;
}

}  // namespace locus
