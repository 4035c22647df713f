// Every key that a recipe may say, once: used to read recipes and overrides, to resolve, and to write.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "recipes/engine/config/keys.h"
#include "recipes/engine/config/presets.h"

namespace locus {

/// What each encoding declares, by kind.
using KindCatalogue = std::map<std::string, std::vector<Option>>;

/// What `encoding.scaling` may say: the options of each rule, and the rules of each kind of encoding.
struct ScalingCatalogue {
    std::map<std::string, std::vector<Option>> rules = {};
    std::map<std::string, std::vector<std::string>> kinds = {};
};

/// Sets the options of a recipe's encoding that follow from its model, mask and training length.
using ResolveEncoding = std::function<void(Recipe&)>;

class Schema {
  public:
    explicit Schema(KindCatalogue kinds, std::vector<Preset> presets = {}, ScalingCatalogue scalings = {},
                    ResolveEncoding resolve_encoding = nullptr);

    /// The keys of a recipe whose encoding is of `kind`, in the order of the resolved recipe.
    std::vector<const Key*> keys(const std::string& kind) const;
    /// The key at `path`, or nullptr; an option of an encoding is found only under its own kind.
    const Key* find(const std::string& path, const std::string& kind) const;
    /// The key at `path` of any kind of encoding, or nullptr.
    const Key* find(const std::string& path) const;

    /// The path that a key is kept under: Hugging Face's rope_type is scaling.type.
    std::string canonical(const std::string& path) const;
    /// Whether a map at `path` is written as keys below it: encoding.scaling.
    bool is_block(const std::string& path) const {
        return !scalings_.kinds.empty() && path == "encoding.scaling";
    }
    /// The options of a kind of encoding under a scaling rule ("plain": none), as the encoding carries them.
    /// REQUIRES: the kind has that rule.
    std::vector<Option> options(const std::string& kind, const std::string& rule) const;

    /// Writes down what the encoding takes from the model, its mask and its training length.
    void resolve_encoding(Recipe& recipe) const {
        if (resolve_encoding_) resolve_encoding_(recipe);
    }

    const KindCatalogue& kinds() const { return kinds_; }
    /// All keys but the options of encodings, in the order of the resolved recipe.
    const std::vector<Key>& fixed_keys() const { return keys_; }
    /// The options of encodings, by kind.
    const std::map<std::string, std::vector<Key>>& options() const { return options_; }
    /// The sections, in order: data, model, ...
    const std::vector<std::string>& sections() const { return sections_; }
    bool is_section(const std::string& name) const;
    /// The key that says the same as `path` in other words: train.steps for train.tokens, and back; or "".
    std::string other_spelling(const std::string& path) const;
    /// All paths of all kinds.
    std::vector<std::string> paths() const;

    /// Throws the usage Error of a key that is not known: where it belongs, or the nearest known key.
    [[noreturn]] void refuse_unknown(const std::string& path, const Source& source) const;
    /// Throws the usage Error of an option that another kind of encoding has.
    [[noreturn]] void refuse_foreign(const std::string& path, const std::string& kind,
                                     const Source& source) const;

  private:
    KindCatalogue kinds_;
    using Places = std::map<std::string, std::size_t>;  // of keys, by path

    std::vector<Key> keys_;                            // all but the options of encodings
    std::map<std::string, std::vector<Key>> options_;  // those, by kind
    Places places_;
    std::map<std::string, Places> option_places_;
    std::map<std::string, std::string> other_spellings_;
    ScalingCatalogue scalings_;
    ResolveEncoding resolve_encoding_;
    std::vector<std::string> sections_;
};

/// "rope, alibi, nope"
std::string joined(const std::vector<std::string>& texts);

}  // namespace locus
