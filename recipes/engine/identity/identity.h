// What the numbers of a run stand on, and the one rule for what happens where it has changed.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/products.h"

namespace locus {

/// tokenizer: its name; corpus: the hash of tokens and documents; splits: of which of these train, validate
/// and test; recipe: of what decides the training; parameters: of the trained model; kernels: the vector
/// instructions in use; program: its commit and the changes to it; build: compiler, flags and scalar.
enum class Thing { tokenizer, corpus, splits, recipe, parameters, kernels, program, build };

/// What things are, by hash or by name. Nothing is said of a thing that is not there.
using Identity = std::map<Thing, std::string>;

struct Change {
    Thing thing;
    std::string there, here;  // what was recorded, and what is used now
};

/// {thing: what it is}, and back; throws a storage Error that begins with `place` for anything else.
nlohmann::json to_json(const Identity& identity);
Identity identity_from(const nlohmann::json& things, const std::string& place);

/// [{thing, there, here}], and back; throws as identity_from() does.
nlohmann::json to_json(const std::vector<Change>& changes);
std::vector<Change> changes_from(const nlohmann::json& list, const std::string& place);

/// Those of the things that both know.
std::vector<Change> changes_between(const Identity& there, const Identity& here);

/// "kernels", and back; nothing for another word.
const char* name_of(Thing thing);
std::optional<Thing> thing_named(const std::string& name);

/// "the kernels differ: avx2 there, sse4 here"
std::string text_of(const Change& change);

/// Kernels, program and build of this process; `backend` computes the products of its training steps.
Identity identity_of_process(GemmBackend backend = GemmBackend::own);

/// Kernels, program and build of a process, as machine_manifest() tells them; of no object, nothing.
Identity identity_of_machine(const nlohmann::json& machine, const std::string& place);

/// The rule. Kernels, program and build may change: the changes are returned, to be told and to be written
/// into the manifest's history. Anything else is refused: corpus and splits with a data Error, unless
/// `another_corpus`, the rest with a storage Error. `place` stands in front.
std::vector<Change> admit(const Identity& there, const Identity& here, const std::string& place,
                          bool another_corpus = false);

}  // namespace locus
