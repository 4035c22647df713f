#include "data/packing.h"

#include <algorithm>

namespace locus {

PackedText::PackedText(const Split& split) {
    // As wide as the corpus stores them: 256, 65536 or more.
    const int width = split.documents.empty() ? 1 : split.documents.front().tokens.width();
    tokens_ = TokenStore(width == 1 ? 256 : width == 2 ? 65536 : 65537);
    for (const SplitDocument& document : split.documents) {
        if (document.tokens.size() < 2) continue;
        tokens_.append(document.tokens);
        ends_.push_back(static_cast<Index>(tokens_.size()));
    }
}

void PackedText::describe(Index begin, std::span<std::int64_t> positions, std::span<std::int32_t> segments,
                          std::span<Token> targets) const {
    auto end = std::upper_bound(ends_.begin(), ends_.end(), begin);
    std::int64_t position = 0;
    std::int32_t segment = 0;
    for (std::size_t t = 0; t < positions.size(); ++t) {
        positions[t] = position++;
        segments[t] = segment;
        if (begin + static_cast<Index>(t) + 1 < *end) continue;
        targets[t] = Batch::no_target;
        position = 0;
        ++segment;
        ++end;
    }
}

}  // namespace locus
