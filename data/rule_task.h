// Tasks whose answer follows from a word by a rule.
#pragma once

#include "data/sheet.h"
#include "data/task.h"

namespace locus {

/// `word = answer` at the end of an item, as long as its length allows; a blank or two may stand before.
/// Without evidence another word stands there.
class RuleTask : public Task {
  public:
    TaskItem draw(Index length, RandomStream& random) const final;

  protected:
    RuleTask() : equals_(vocabulary_.add("=")) { filler_ = {vocabulary_.add("_"), 1}; }

    /// The word of an item of `length` tokens: it, its answer and a token between fit.
    virtual std::vector<Token> draw_word(Index length, RandomStream& random) const = 0;
    virtual std::vector<Token> answer_to(const std::vector<Token>& word) const = 0;

  private:
    Token equals_;
};

/// A task whose word is a row of symbols and whose answer is the same row in an order that `reorder` gives
/// it, of `symbols` unless its option says otherwise.
TaskEntry reordering(const std::string& doc, Index symbols, void (*reorder)(std::vector<Token>&));

}  // namespace locus
