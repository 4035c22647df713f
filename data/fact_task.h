// Tasks whose answer stands in facts among filler.
#pragma once

#include "data/sheet.h"
#include "data/task.h"

namespace locus {

/// Tokens that are kept together, such as a key and its value.
struct Fact {
    std::vector<Token> tokens;
    bool is_evidence = false;  // of the answer; the others are there to distract
};

/// Facts at random places of a row of filler, then `? query answer`. Without evidence there is filler in the
/// place of the facts that are evidence.
class FactTask : public Task {
  protected:
    explicit FactTask(const Options& options);

    /// Facts of equal width on the first `room` tokens, in this order; every layout is as likely.
    static void lay_out(Sheet& sheet, const std::vector<Fact>& facts, Index room, RandomStream& random);

    /// `?` and the query, as they are asked.
    std::vector<Token> query(std::span<const Token> key) const;
    std::vector<Token> query(Token key) const { return query({&key, 1}); }

    Token asks_;
};

/// The option of every such task: how many symbols the filler is drawn from.
Option filler_option();

/// Where the evidence begins: a share of the places where it fits, or drawn evenly.
Option depth_option();
/// A place of 0 .. last by that option.
Index draw_place(const Options& options, Index last, RandomStream& random);

}  // namespace locus
