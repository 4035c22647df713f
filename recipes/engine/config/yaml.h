// From YAML text to values: the only file that knows the YAML library.
#pragma once

#include <string>

#include "recipes/engine/config/value.h"

namespace locus {

/// Reads one YAML document: LF or CRLF, with or without a byte order mark. `place` stands in every message.
/// Throws a usage Error of one line, "place:line: ...", for a syntax error, a tab as indentation, a repeated
/// key, an alias, a second document, an empty document.
Value read_yaml(const std::string& text, const std::string& place);

/// Reads the YAML file at `path`; throws a usage Error where there is none.
Value read_yaml_file(const std::string& path);

}  // namespace locus
