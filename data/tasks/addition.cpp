#include <algorithm>
#include <cmath>

#include "data/draws.h"
#include "data/rule_task.h"

namespace locus {

namespace {

class Addition : public RuleTask {
  public:
    explicit Addition(const Options& options)
        : plus_(vocabulary_.add("+")), lowest_first_(options.text("order") == "reverse") {
        answers_ = vocabulary_.add("", 10);
    }

    Index shortest() const override { return 6; }

    // Each digit is 0 in a tenth of all sums, and the carry at their head in 1/2 + 10^-digits / 2 of them.
    double majority(Index length) const override {
        const auto digits = static_cast<double>(digits_of(length));
        return (digits / 10 + 0.5 + std::pow(10, -digits) / 2) / (digits + 1);
    }

  protected:
    std::vector<Token> draw_word(Index length, RandomStream& random) const override {
        std::vector<Token> word = pick(answers_, digits_of(length), random);
        word.push_back(plus_);
        for (const Token digit : pick(answers_, digits_of(length), random)) word.push_back(digit);
        return word;
    }
    std::vector<Token> answer_to(const std::vector<Token>& word) const override {
        const std::size_t digits = word.size() / 2;
        std::vector<Token> sum;
        Index carry = 0;
        for (std::size_t i = digits; i-- > 0;) {
            const Index value = word[i] + word[digits + 1 + i] - 2 * answers_.first + carry;
            sum.push_back(answers_[value % 10]);
            carry = value / 10;
        }
        sum.push_back(answers_[carry]);
        if (!lowest_first_) std::reverse(sum.begin(), sum.end());
        return sum;
    }

  private:
    // n + n = n + 1 digits and two signs.
    static Index digits_of(Index length) { return length / 3 - 1; }

    Token plus_;
    bool lowest_first_;
};

const bool addition_registered = TaskRegistry::instance().add(
    "addition",
    {.doc = "the sum of two numbers of equally many digits, with one digit more (arXiv:2307.03381)",
     .options = {{.name = "order",
                  .standard = std::string("forward"),
                  .doc = "of the digits of the sum: forward, or reverse, the lowest first",
                  .choices = {"forward", "reverse"}}},
     .make = [](const Options& options) { return std::make_unique<Addition>(options); }});

}  // namespace

}  // namespace locus
