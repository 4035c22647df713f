// What configurations of Hugging Face call the options of encodings and rules.
#pragma once

#include <map>
#include <string>

namespace locus {

/// The option of an encoding by its name there: "rope_theta" is "base", others begin with "scaling.".
const std::map<std::string, std::string>& option_spellings();

/// The rule by its name there: "su" is "longrope". Names that are the same are left out.
const std::map<std::string, std::string>& rule_spellings();

}  // namespace locus
