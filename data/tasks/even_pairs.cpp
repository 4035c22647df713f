#include "data/draws.h"
#include "data/rule_task.h"

namespace locus {

namespace {

class EvenPairs : public RuleTask {
  public:
    EvenPairs() {
        letters_ = {vocabulary_.add("a"), 2};
        vocabulary_.add("b");
        answers_ = {vocabulary_.add("even"), 2};
        vocabulary_.add("odd");
    }

    Index shortest() const override { return 4; }

  protected:
    std::vector<Token> draw_word(Index length, RandomStream& random) const override {
        return pick(letters_, length - 2, random);
    }
    std::vector<Token> answer_to(const std::vector<Token>& word) const override {
        Index changes = 0;
        for (std::size_t i = 1; i < word.size(); ++i) changes += word[i] != word[i - 1];
        return {answers_[changes % 2]};
    }

  private:
    Alphabet letters_;
};

const bool even_pairs_registered = TaskRegistry::instance().add(
    "even_pairs", {.doc = "whether a b and b a together occur an even or an odd number of times "
                          "(arXiv:2207.02098)",
                   .make = [](const Options&) { return std::make_unique<EvenPairs>(); }});

}  // namespace

}  // namespace locus
