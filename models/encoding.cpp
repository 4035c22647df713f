#include "models/encoding.h"

#include <fmt/ranges.h>

namespace locus::inline LOCUS_SCALAR {

void require_axes(const std::string& kind, Index axes) {
    const EncodingEntry& entry = EncodingRegistry::instance().at(kind);
    constexpr const char* names[] = {"text", "row and column", "time, row and column"};
    require(entry.reads(axes), "encoding {}: expected positions with {} {} ({}), found {} ({})", kind,
            fmt::join(entry.axes, " or "),
            entry.axes.front() == 1 && entry.axes.size() == 1 ? "axis" : "axes",
            names[entry.axes.front() - 1], axes, names[axes - 1]);
}

}  // namespace locus::inline LOCUS_SCALAR
