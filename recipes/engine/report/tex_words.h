// Text in LaTeX, and how wide it becomes.
#pragma once

#include <string>

namespace locus {

/// `text` with all that LaTeX takes for its own escaped: it begins with no bracket or star that a line's end
/// would take for its option. Characters that a plain pdflatex lacks become their code point, [U+4E2D].
std::string tex_text(const std::string& text);

/// The same with places to break a line after its punctuation, and at least every 12 characters.
std::string tex_breakable(const std::string& text);

/// An upper estimate of the width of `text` in \footnotesize, in points.
double tex_width(const std::string& text);

}  // namespace locus
