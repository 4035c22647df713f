// The tables of the schema: the sections of a recipe and their keys.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recipes/engine/config/keys.h"
#include "recipes/engine/config/presets.h"

namespace locus {

/// All keys but the options of encodings, in the order of the resolved recipe.
std::vector<Key> fixed_keys(const std::map<std::string, std::vector<Option>>& kinds,
                            const std::vector<Preset>& presets);

/// The keys of an encoding that declares these options.
std::vector<Key> encoding_keys(const std::vector<Option>& declared);

/// A value of an option as a recipe says it. Throws a usage Error for a wrong type and for what the option
/// does not allow.
OptionValue read_option(const Value& value, const std::string& path, const Option& option);
/// What an option takes, in words.
KeyType type_of(const Option& option);
/// The same as a resolved recipe writes it; nothing for an empty list.
std::optional<Value> written_option(const OptionValue& value);

/// A list of texts, each of them once; `example` stands in the error.
std::vector<std::string> read_texts(const Value& value, const std::string& path, const std::string& example);

/// The keys of the section of each name.
std::vector<Key> data_keys();
std::vector<Key> train_keys();
std::vector<Key> from_keys();
std::vector<Key> search_keys();
std::vector<Key> evaluate_keys();
std::vector<Key> table_keys();

}  // namespace locus
