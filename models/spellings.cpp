#include "models/spellings.h"

namespace locus {

const std::map<std::string, std::string>& option_spellings() {
    static const std::map<std::string, std::string> spellings = {
        {"rope_type", "scaling.type"},
        {"original_max_position_embeddings", "scaling.original_length"},
        {"rope_theta", "base"},
        {"partial_rotary_factor", "fraction"}};
    return spellings;
}

const std::map<std::string, std::string>& rule_spellings() {
    static const std::map<std::string, std::string> spellings = {{"default", "plain"}, {"su", "longrope"}};
    return spellings;
}

}  // namespace locus
