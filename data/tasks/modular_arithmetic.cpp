#include "data/draws.h"
#include "data/rule_task.h"

namespace locus {

namespace {

class ModularArithmetic : public RuleTask {
  public:
    explicit ModularArithmetic(const Options& options) : modulus_(options.integer("modulus")) {
        answers_ = vocabulary_.add("", modulus_);
        signs_ = {vocabulary_.add("+"), 2};
        vocabulary_.add("-");
    }

    Index shortest() const override { return 3; }

  protected:
    // A number, and a sign and a number as often as they fit.
    std::vector<Token> draw_word(Index length, RandomStream& random) const override {
        std::vector<Token> word = {pick(answers_, random)};
        while (static_cast<Index>(word.size()) + 4 <= length) {
            word.push_back(pick(signs_, random));
            word.push_back(pick(answers_, random));
        }
        return word;
    }
    std::vector<Token> answer_to(const std::vector<Token>& word) const override {
        Index sum = word.front() - answers_.first;
        for (std::size_t i = 1; i < word.size(); i += 2) {
            const Index number = word[i + 1] - answers_.first;
            sum += word[i] == signs_[0] ? number : modulus_ - number;
        }
        return {answers_[sum % modulus_]};
    }

  private:
    Index modulus_;
    Alphabet signs_;
};

const bool modular_arithmetic_registered = TaskRegistry::instance().add(
    "modular_arithmetic",
    {.doc = "sums and differences of numbers, by a modulus; no brackets, no products (arXiv:2207.02098)",
     .options = {{.name = "modulus",
                  .standard = Index{5},
                  .doc = "numbers are 0 to modulus - 1",
                  .min = 2,
                  .max = 1024}},
     .make = [](const Options& options) { return std::make_unique<ModularArithmetic>(options); }});

}  // namespace

}  // namespace locus
