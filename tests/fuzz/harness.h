// Damages a file many times and judges what its readers make of it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "framework/core/error.h"
#include "tests/fuzz/mutations.h"

namespace locus::test {

/// What becomes of a file: results, of which `told` says that they are not those of a whole file.
struct Outcome {
    std::string results;
    std::string told = {};
};

/// A file, and those who read it.
struct Subject {
    std::string name;
    std::string intact;
    std::function<Outcome(const std::string& bytes)> use;  // throws Error where the bytes are refused
    std::set<Failure> refusals;                            // kinds that the contract has for such a file
    std::string place;                                     // that every refusal names
    bool is_text = false;
    bool same_results = true;  // false: other bytes may mean something else, as those of a recipe do
};

struct Findings {
    std::vector<std::string> lines;  // "recipe 17 (bit 3 of byte 120): what is wrong"
    int refused = 0, told = 0, same = 0;
};

/// What is wrong with what `use` makes of `bytes`; "" where it ends in one clear line of a kind that the
/// contract has, or in exactly the results of the whole file, `expected`.
std::string judge(const Subject& subject, const std::string& expected, const std::string& bytes,
                  Findings& counts);

/// Judges LOCUS_FUZZ_MUTATIONS mutations (400), drawn by LOCUS_FUZZ_SEED (1). A trial that takes longer than
/// a minute ends the program with its name.
Findings fuzz(const Subject& subject);

/// The same as an assertion: no finding, and not all of one kind.
void expect_sound(const Subject& subject);

}  // namespace locus::test
