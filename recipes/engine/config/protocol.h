// The evaluation protocols and what they report: closed sets, by their names in recipes and on the command
// line.
#pragma once

#include <string>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

enum class ProtocolKind { non_overlapping, sliding, per_position, same_target };

/// One way to cut documents into windows and score them.
struct Protocol {
    ProtocolKind kind = ProtocolKind::non_overlapping;
    Index stride = 0;  // of sliding: tokens that a window moves by; 0: an eighth of the window's length

    bool operator==(const Protocol&) const = default;
};

/// Reads NAME[:ARG], such as sliding:64; throws a usage Error that names the known protocols.
Protocol parse_protocol(const std::string& text);

/// The text that parse_protocol reads back.
std::string text_of(const Protocol& protocol);

/// The names of all protocols.
std::vector<std::string> protocol_names();

}  // namespace locus
