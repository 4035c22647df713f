#include "recipes/engine/measure/windows.h"

#include <algorithm>
#include <cmath>

#include "framework/core/error.h"

namespace locus {

std::vector<Window> sliding_windows(Index document, Index tokens, Index length, Index stride, Index slot) {
    require(length >= 1 && stride >= 1 && stride <= length,
            "windows: expected 1 <= stride <= length, found stride {} and length {}", stride, length);
    std::vector<Window> windows;
    const Index targets = tokens - 1;
    for (Index done = 0; done < targets;) {
        const Index start = static_cast<Index>(windows.size()) * stride;
        const Index inputs = std::min(length, targets - start);
        windows.push_back({document, start, inputs, done - start, slot + done});
        done = start + inputs;
    }
    return windows;
}

std::vector<Window> full_windows(Index document, Index tokens, Index length, Index seen, Index slot) {
    require(seen >= 1 && seen <= length, "windows: expected 1 to {} tokens to be seen, found {}", length,
            seen);
    std::vector<Window> windows;
    for (Index start = 0; start + length < tokens; start += length) {
        windows.push_back({document, start, seen, 0, slot + start});
    }
    return windows;
}

Window target_window(Index document, Index index, Index context, Index slot) {
    require(context >= 1 && context <= index, "windows: {} tokens of context before token {} of a document",
            context, index);
    return {document, index - context, context, context - 1, slot};
}

Index default_stride(Index length) {
    return std::max<Index>(1, length / 8);
}

std::vector<Index> position_edges(Index length) {
    std::vector<Index> edges = {0};
    for (int half_octaves = 0; edges.back() < length; ++half_octaves) {
        const Index edge = std::llround(std::exp2(0.5 * half_octaves));
        if (edge > edges.back()) edges.push_back(std::min(edge, length));
    }
    return edges;
}

}  // namespace locus
