// What must hold between the frequency rules, by their formulas.
#pragma once

#include <string>
#include <vector>

#include "models/frequency_rule.h"

namespace locus {

struct RuleLaw {
    std::string name;
    double difference = 0, limit = 0;  // relative, of tables in double; it holds where difference <= limit
};

/// Every law for the head, base and trained length of `request`; its base must exceed 1.
std::vector<RuleLaw> rule_laws(const FrequencyRequest& request);

}  // namespace locus
