// The evaluation protocols by their names in recipes and on the command line: one file each in protocols/.
#pragma once

#include <string>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

class ProtocolPolicy;  // measure/policy.h

/// One way to cut documents into windows and score them.
struct Protocol {
    std::string name;
    Index argument = 0;  // of sliding: tokens that a window moves by; 0: what the protocol takes by itself

    bool operator==(const Protocol&) const = default;
};

/// Reads NAME[:ARG], such as sliding:64; throws a usage Error that names the known protocols.
Protocol parse_protocol(const std::string& text);

/// The text that parse_protocol reads back.
std::string text_of(const Protocol& protocol);

/// "non_overlapping, sliding[:stride], ..."
std::string protocol_forms();

/// protocol, length, and the further axes of the protocols' results: what a table may be laid out by.
std::vector<std::string> result_axes();

/// Throws a usage Error that begins with the protocol where its argument does not fit the shortest of
/// `lengths`, which ascend.
void check_protocol(const Protocol& protocol, const std::vector<Index>& lengths);

}  // namespace locus
