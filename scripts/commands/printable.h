// Text for a terminal, which would obey the control bytes in it.
#pragma once

#include <string>
#include <string_view>

namespace locus {

/// Takes text in pieces, which may cut a character. Control characters but line feed and tab, and bytes that
/// are no UTF-8, become "\x1b".
class PrintableText {
  public:
    /// What of the text so far can be shown; the beginning of a character waits for its end.
    std::string add(std::string_view piece);

  private:
    std::string waiting_;
};

}  // namespace locus
