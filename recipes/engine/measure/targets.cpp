#include "recipes/engine/measure/targets.h"

#include <algorithm>
#include <tuple>

#include "framework/core/error.h"
#include "framework/core/random.h"

namespace locus {

namespace {

constexpr std::uint64_t seed = 0;  // the same targets for every arm and training seed

struct Candidate {
    std::uint64_t number;
    Target target;
};

bool comes_before(const Candidate& a, const Candidate& b) {
    return std::tie(a.number, a.target.document, a.target.index) <
           std::tie(b.number, b.target.document, b.target.index);
}

}  // namespace

TargetSet draw_targets(std::span<const SplitDocument> documents, Index predecessors, Index wanted) {
    require(predecessors >= 1 && wanted >= 1,
            "targets: expected at least 1 predecessor and 1 target, found {} and {}", predecessors, wanted);
    std::vector<Candidate> candidates;
    for (std::size_t d = 0; d < documents.size(); ++d) {
        for (Index i = predecessors; i < static_cast<Index>(documents[d].tokens.size()); ++i) {
            RandomStream stream(
                seed, Purpose::targets,
                {static_cast<std::uint64_t>(documents[d].index), static_cast<std::uint64_t>(i)});
            candidates.push_back({stream.bits64(), {static_cast<Index>(d), i}});
        }
    }
    TargetSet set{{}, static_cast<Index>(candidates.size())};
    const auto taken = static_cast<std::ptrdiff_t>(std::min(wanted, set.eligible));
    std::nth_element(candidates.begin(), candidates.begin() + taken, candidates.end(), comes_before);
    for (std::ptrdiff_t i = 0; i < taken; ++i)
        set.targets.push_back(candidates[static_cast<std::size_t>(i)].target);
    std::sort(set.targets.begin(), set.targets.end(), [](const Target& a, const Target& b) {
        return std::tie(a.document, a.index) < std::tie(b.document, b.index);
    });
    return set;
}

}  // namespace locus
