// What LongRoPE's search breeds (arXiv:2402.13753, section 3.2): a factor for each pair, not falling, and
// n-hat. No model and no fitness here.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "models/frequency_rule.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// A candidate. Factors lie on a grid, so that equal candidates are equal, and a resumed search goes on bit
/// for bit.
/// The rule whose factors are searched for, and its name.
const std::string& searched_rule();
const FrequencyRule& searched();

struct Genes {
    std::vector<Index> steps;  // [pairs], not falling: factor = 1 + step * width of the grid
    Index n_hat = 0;           // place in SearchOptions::n_hat

    auto operator<=>(const Genes&) const = default;
};

/// The grid and the laws of a search.
class GeneSpace {
  public:
    /// `factor`: how many times the original length. `n_hat` that reach beyond the original length are left
    /// out.
    GeneSpace(const SearchOptions& options, const FrequencyRequest& request, double factor,
              std::uint64_t seed = 0);

    std::vector<double> factors(const Genes& genes) const;
    Index n_hat(const Genes& genes) const { return n_hats_[static_cast<std::size_t>(genes.n_hat)]; }
    Index max() const { return max_; }     // the greatest step
    bool holds(const Genes& genes) const;  // on the grid, not falling, of the right count

    /// No change at all, position interpolation, NTK, YaRN (its own factors, and those that the released code
    /// begins with), each without n-hat, rounded to the grid.
    std::vector<Genes> seeds() const;
    /// The seeds, then mutations of them, `population` in all, none twice.
    std::vector<Genes> first_population() const;
    /// The parents, mutations and crossovers of them: none that `known` holds. Fewer where no new one is
    /// found.
    std::vector<Genes> children(const std::vector<Genes>& parents, Index iteration,
                                const std::set<Genes>& known) const;

    /// Every gene drawn with the options' probability, between its neighbours: the order is kept by
    /// construction.
    Genes mutated(Genes genes, std::initializer_list<std::uint64_t> key) const;
    /// The first parent with genes of the second, each with the options' probability; may fall (see holds()).
    Genes crossed(Genes first, const Genes& second, std::initializer_list<std::uint64_t> key) const;

  private:
    Genes rounded(const std::vector<double>& factors) const;

    SearchOptions options_;
    FrequencyRequest request_;
    double factor_;
    std::uint64_t seed_;
    Index max_;
    std::vector<Index> n_hats_;
};

}  // namespace locus
