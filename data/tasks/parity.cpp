#include <algorithm>

#include "data/draws.h"
#include "data/rule_task.h"

namespace locus {

namespace {

class Parity : public RuleTask {
  public:
    Parity() : bits_(vocabulary_.add("", 2)) {
        answers_ = {vocabulary_.add("even"), 2};
        vocabulary_.add("odd");
    }

    Index shortest() const override { return 3; }

  protected:
    std::vector<Token> draw_word(Index length, RandomStream& random) const override {
        return pick(bits_, length - 2, random);
    }
    std::vector<Token> answer_to(const std::vector<Token>& word) const override {
        return {answers_[std::count(word.begin(), word.end(), bits_[1]) % 2]};
    }

  private:
    Alphabet bits_;
};

const bool parity_registered = TaskRegistry::instance().add(
    "parity", {.doc = "whether the number of ones is even or odd (arXiv:2207.02098)",
               .make = [](const Options&) { return std::make_unique<Parity>(); }});

}  // namespace

}  // namespace locus
