#include <algorithm>

#include "data/draws.h"
#include "data/rule_task.h"

namespace locus {

namespace {

class Dyck : public RuleTask {
  public:
    explicit Dyck(const Options& options) : depth_(options.integer("depth")) {
        opening_ = vocabulary_.add("(", options.integer("types"));
        answers_ = vocabulary_.add(")", options.integer("types"));
    }

    Index shortest() const override { return 3; }

  protected:
    // As many brackets stay open as are drawn; at each step a coin opens or closes, where both can still end
    // there and the depth allows it.
    std::vector<Token> draw_word(Index length, RandomStream& random) const override {
        const Index half = (length - 1) / 2, open = 1 + draw_below(std::min(depth_, half), random);
        std::vector<Token> word, expected;
        for (Index rest = 2 * half - open; rest > 0; --rest) {
            const auto height = static_cast<Index>(expected.size());
            const bool must_open = height == 0 || open - height == rest;
            const bool must_close = height == depth_ || height - open == rest;
            if (must_open || (!must_close && random.below(2) == 0)) {
                const Index type = draw_below(opening_.count, random);
                word.push_back(opening_[type]);
                expected.push_back(answers_[type]);
            } else {
                word.push_back(expected.back());
                expected.pop_back();
            }
        }
        return word;
    }
    std::vector<Token> answer_to(const std::vector<Token>& word) const override {
        std::vector<Token> expected;
        for (const Token token : word)
            opening_.holds(token) ? expected.push_back(answers_[token - opening_.first])
                                  : expected.pop_back();
        return {expected.rbegin(), expected.rend()};
    }

  private:
    Index depth_;
    Alphabet opening_;
};

const bool dyck_registered = TaskRegistry::instance().add(
    "dyck", {.doc = "closes the brackets that are still open, the last one first (arXiv:2105.11115)",
             .options = {{.name = "types", .standard = Index{4}, .doc = "of brackets", .min = 2, .max = 1024},
                         {.name = "depth",
                          .standard = Index{4},
                          .doc = "brackets that are open at once, at most",
                          .min = 1,
                          .max = 1024}},
             .make = [](const Options& options) { return std::make_unique<Dyck>(options); }});

}  // namespace

}  // namespace locus
