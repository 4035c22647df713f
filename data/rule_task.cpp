#include "data/rule_task.h"

#include "data/draws.h"

namespace locus {

TaskItem RuleTask::draw(Index length, RandomStream& random) const {
    const std::vector<Token> word = draw_word(length, random), answer = answer_to(word);
    std::vector<Token> other = draw_word(length, random);
    while (other.size() != word.size()) other = draw_word(length, random);
    Sheet sheet(length, filler_, random);
    sheet.ask({&equals_, 1}, answer);
    sheet.source(length - static_cast<Index>(word.size() + 1 + answer.size()), word, other);
    return sheet.take();
}

namespace {

class Reordering : public RuleTask {
  public:
    Reordering(Index symbols, void (*reorder)(std::vector<Token>&)) : reorder_(reorder) {
        answers_ = vocabulary_.add("s", symbols);
    }

    Index shortest() const override { return 3; }

  protected:
    std::vector<Token> draw_word(Index length, RandomStream& random) const override {
        return pick(answers_, (length - 1) / 2, random);
    }
    std::vector<Token> answer_to(const std::vector<Token>& word) const override {
        std::vector<Token> answer = word;
        reorder_(answer);
        return answer;
    }

  private:
    void (*reorder_)(std::vector<Token>&);
};

}  // namespace

TaskEntry reordering(const std::string& doc, Index symbols, void (*reorder)(std::vector<Token>&)) {
    return {.doc = doc,
            .options = {{.name = "symbols",
                         .standard = symbols,
                         .doc = "different symbols of a row",
                         .min = 2,
                         .max = 4096}},
            .make = [reorder](const Options& options) {
                return std::make_unique<Reordering>(options.integer("symbols"), reorder);
            }};
}

}  // namespace locus
