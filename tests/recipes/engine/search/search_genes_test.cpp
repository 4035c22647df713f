// What a search breeds: on its grid, never falling, never twice, and the same for the same seed.
#include "recipes/engine/search/search_genes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace locus {
namespace {

const FrequencyRequest request{16, 10000, 64, 256};

nlohmann::json longrope_oracle() {
    std::ifstream file(std::string(LOCUS_ORACLES "/longrope.json"));
    return nlohmann::json::parse(file);
}

TEST(SearchOptions, AreThoseOfThePaper) {
    const nlohmann::json paper = longrope_oracle()["search_space_paper"];
    const SearchOptions options;
    EXPECT_EQ(options.n_hat, paper["n_hat"].get<std::vector<Index>>());
    EXPECT_EQ(options.population, paper["P"]);
    EXPECT_EQ(options.mutations, paper["N1"]);
    EXPECT_EQ(options.crossovers, paper["N2"]);
    EXPECT_EQ(options.iterations, paper["T"]);
    EXPECT_EQ(options.probability, paper["p"].get<double>());
    EXPECT_EQ(options.parents, paper["topk"]);
    EXPECT_EQ(options.step, 0.01);
    EXPECT_EQ(options.upper, 1.25);
    const GeneSpace space(options, request, 4);
    EXPECT_EQ(space.max(), 400);  // 5 = 1.25 x 4
    const nlohmann::json code = longrope_oracle()["search_space_code"];
    EXPECT_EQ(options.parents, code["parents_size"]);
    EXPECT_EQ(options.mutations, code["mutation_numbers"]);
    EXPECT_EQ(options.crossovers, code["crossover_size"]);
    EXPECT_EQ(options.probability, code["per_dim_probability"].get<double>());
}

// The released code begins with w + (1 - w) s; the grid of 0.01 is the only difference.
TEST(GeneSpace, BeginsWithKnownRules) {
    const nlohmann::json cases = longrope_oracle()["yarn_initial_lambda"];
    ASSERT_EQ(cases.size(), 6U);
    for (const auto& c : cases) {
        const FrequencyRequest asked{c["d"], c["base"], c["L_orig"], 0};
        const double s = c["s"];
        const GeneSpace space({}, asked, s);
        const std::vector<double> expected = c["lambda"];
        bool found = false;
        for (const Genes& seed : space.seeds()) {
            const std::vector<double> factors = space.factors(seed);
            double furthest = 0;
            for (std::size_t i = 0; i < factors.size(); ++i)
                furthest = std::max(furthest, std::abs(factors[i] - expected[i]));
            found = found || furthest <= 0.005 + 1e-9;
        }
        EXPECT_TRUE(found) << c.dump();
        const std::vector<Genes> seeds = space.seeds();
        const std::vector<double> linear(expected.size(), s);
        EXPECT_TRUE(std::any_of(seeds.begin(), seeds.end(),
                                [&](const Genes& seed) { return space.factors(seed) == linear; }));
    }
}

TEST(GeneSpace, ChildrenKeepTheLawsAndAreNew) {
    const GeneSpace space({}, request, 4);
    std::vector<Genes> parents = space.first_population();
    EXPECT_EQ(parents.size(), 64U);
    std::set<Genes> known(parents.begin(), parents.end());
    EXPECT_EQ(known.size(), parents.size());
    for (Index iteration = 1; iteration <= 20; ++iteration) {
        const std::vector<Genes> children = space.children(parents, iteration, known);
        EXPECT_EQ(children, space.children(parents, iteration, known));
        EXPECT_GE(children.size(), 24U) << iteration;
        for (const Genes& child : children) {
            EXPECT_TRUE(space.holds(child));
            EXPECT_TRUE(known.insert(child).second);
        }
        parents.assign(children.begin(), children.begin() + 16);
    }
    EXPECT_NE(GeneSpace({}, request, 4, 1).first_population(), space.first_population());
}

TEST(GeneSpace, HoldsNothingElse) {
    const GeneSpace space({}, request, 4);
    Genes genes{{0, 1, 2, 3, 4, 5, 6, 7}, 0};
    EXPECT_TRUE(space.holds(genes));
    for (const Genes& wrong : {Genes{{0, 1, 2, 3, 4, 5, 6}, 0}, Genes{{0, 2, 1, 3, 4, 5, 6, 7}, 0},
                               Genes{{-1, 1, 2, 3, 4, 5, 6, 7}, 0}, Genes{{0, 1, 2, 3, 4, 5, 6, 401}, 0},
                               Genes{{0, 1, 2, 3, 4, 5, 6, 7}, 99}})
        EXPECT_FALSE(space.holds(wrong));
    // n-hat lies within the original length.
    EXPECT_EQ(space.n_hat({{}, 11}), 64);
    genes.n_hat = 12;
    EXPECT_FALSE(space.holds(genes));
    SearchOptions narrow;
    narrow.upper = 0.2;
    EXPECT_THROW(GeneSpace(narrow, request, 4), Error);
}

}  // namespace
}  // namespace locus
