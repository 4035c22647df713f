// manifest.json: where, when and on what a run ran, and what must be equal between arms. This file and its
// source alone know its fields.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/scalar.h"
#include "recipes/engine/identity/history.h"

namespace locus {

/// Where a run that begins with another one came from.
struct Origin {
    std::string path;  // of the checkpoint
    Index step = 0;
    std::string parameters_hash, corpus_hash;
    Index original_length = 0, tokens = 0;  // of the ancestors: the length, and the tokens they trained on
    std::vector<std::string> drawn, left;   // parameters that it did not have, and that only it had
};

/// The text that a run was trained on, and what was held out.
struct CorpusRecord {
    std::string name, hash, tokenizer;
    Index documents = 0, tokens = 0, train_tokens = 0, valid_tokens = 0, test_tokens = 0;
    nlohmann::json splits, intake;  // as data tells them; null where it does not
    std::string blocks;             // of which batches are made, in words
};

/// What a run records of itself. A field that is not set is not in the file.
struct Manifest {
    std::optional<std::string> question, name;
    std::optional<std::string> title;  // where the name is short for it
    std::map<std::string, std::string> cell;
    std::optional<std::vector<std::string>> varied;  // keys that some cell sets
    std::optional<Index> index;                      // place in its experiment
    std::optional<std::string> paths_begin_in;       // folder of the recipe's relative paths

    std::optional<std::string> state;    // running, trained, done, failed, diverged, interrupted
    std::optional<std::string> failure;  // in words
    std::optional<double> seconds;
    std::optional<Index> peak_memory;  // bytes
    std::optional<Index> threads, ranks;

    std::optional<std::string> encoding;
    std::optional<Index> train_length;  // at the root
    std::optional<std::uint64_t> seed;
    std::optional<Index> parameters, tokens, steps;
    std::optional<double> epochs, flops;

    std::optional<std::string> data_order_hash, initial_value_hash, evaluation_items_hash;
    std::optional<std::string> recipe_hash, parameters_hash;
    std::optional<std::string> recipe_file;  // XXH3-128 of recipe.yaml
    nlohmann::json machine;                  // machine_manifest(); null where it is not recorded
    std::optional<CorpusRecord> corpus;
    std::optional<Origin> from;

    std::optional<Event> started;
    std::optional<std::vector<Index>> resumed_from;  // steps
    std::vector<Event> history;

    nlohmann::json others = nlohmann::json::object();  // of a later version: kept as they are

    /// Takes over what stays as it was when the run began, however often it is resumed, and its history.
    void keep_beginning_of(const Manifest& before);
    bool was_changed = false;  // after it was written: its checksum, where it has one, is another

    bool is_done() const { return state == "done"; }  // trained and evaluated
    /// The changes under which steps of training were taken.
    std::vector<Change> changes_of_training() const;
};

nlohmann::json to_json(const Manifest& manifest);

/// Throws a storage Error that begins with `place` for a field of another type, but for a state, which is
/// "unknown" then, and a list of steps, which is not set.
Manifest manifest_from(const nlohmann::json& object, const std::string& place);

/// What a manifest recorded: corpus, kernels and program when its run began, the parameters when it ended.
/// Throws a storage Error that begins with `place` for a part of another type.
Identity identity_in(const Manifest& manifest, const std::string& place);

std::filesystem::path manifest_path(const std::filesystem::path& folder);

/// folder/manifest.json; an empty one where there is none. Throws a storage Error for what is none.
Manifest read_manifest(const std::filesystem::path& folder);

/// With a checksum, by which a later change shows. Throws a storage Error.
void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// Reads folder/manifest.json, lets `change` set fields, and writes it. Throws a storage Error.
void change_manifest(const std::filesystem::path& folder, const std::function<void(Manifest&)>& change);

}  // namespace locus
