// How far back a token looks: against all paths, against the formula, and against what a model does.
#include "models/receptive_path.h"

#include "models/layer_mask.h"
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

std::vector<Mask> layers_of(const MaskOptions& options, Index count) {
    std::vector<Mask> layers;
    for (Index layer = 0; layer < count; ++layer) layers.push_back(layer_mask(options, layer));
    return layers;
}

// Whether token j has a path to token i through the layers 0 .. count - 1.
bool reaches(const std::vector<Mask>& layers, Index count, Index i, Index j, Index length) {
    if (count == 0) return i == j;
    for (Index between = 0; between < length; ++between) {
        const bool seen = layers[static_cast<std::size_t>(count - 1)].allows(0, i, between, length, length);
        if (seen && reaches(layers, count - 1, between, j, length)) return true;
    }
    return false;
}

void expect_all_paths(const MaskOptions& options, Index count, Index length) {
    SCOPED_TRACE(fmt::format("causal {} windows {} {} dilations {} {} global {} length {}", options.causal,
                             options.window.at(0), options.window.at(1), options.dilation.at(0),
                             options.dilation.at(1), options.global, length));
    const std::vector<Mask> layers = layers_of(options, count);
    const ReceptivePath path = receptive_path(layers, length);
    ASSERT_EQ(static_cast<Index>(path.layers.size()), length);
    Index farthest = 0;
    std::vector<Index> gaps;
    for (Index n = 0; n < length; ++n) {
        Index fewest = 0;
        while (fewest <= count && !reaches(layers, fewest, length - 1, length - 1 - n, length)) ++fewest;
        const bool never = fewest > count;
        EXPECT_EQ(path.layers[static_cast<std::size_t>(n)], never ? ReceptivePath::never : fewest) << n;
        if (never) gaps.push_back(n);
        if (!never) farthest = n;
    }
    std::erase_if(gaps, [&](Index n) { return n > farthest; });
    EXPECT_EQ(path.farthest(), farthest);
    EXPECT_EQ(path.gaps(), gaps);
}

TEST(ReceptivePath, IsThatOfAllPaths) {
    for (bool causal : {true, false}) {
        for (Index global : {0, 1, 3}) {
            for (Index length : {1, 2, 9, 14}) {
                for (const PerLayer& window :
                     {PerLayer(2), PerLayer{3, 1, 2}, PerLayer{1, 3, 0}, PerLayer{2, 0, 3}}) {
                    expect_all_paths({.causal = causal, .window = window, .global = global}, 3, length);
                    MaskOptions dilated{
                        .causal = causal, .window = {3, 2, 2}, .dilation = {1, 3, 2}, .global = global};
                    expect_all_paths(dilated, 3, length);
                    dilated.dilation = 4;
                    expect_all_paths(dilated, 3, length);
                }
            }
        }
    }
}

TEST(ReceptivePath, OfEqualWindowsFollowsTheFormula) {
    for (Index layers : {1, 2, 4, 7}) {
        for (Index window : {1, 2, 8, 33}) {
            const auto masks = layers_of({.window = window}, layers);
            const ReceptivePath path = receptive_path(masks, 300);
            const Index reach = layers * (window - 1) + 1;
            EXPECT_EQ(path.farthest() + 1, reach);
            EXPECT_EQ(reach_of_windows(masks), reach);
            EXPECT_TRUE(path.gaps().empty());
            for (Index n = 0; n < reach; ++n)
                EXPECT_EQ(path.layers[static_cast<std::size_t>(n)],
                          n == 0 ? 0 : (n + window - 2) / (window - 1));
        }
    }
    EXPECT_EQ(receptive_path(layers_of({.window = 8}, 4), 16).farthest(), 15);  // where the sequence ends
}

TEST(ReceptivePath, KnowsDilationGlobalTokensAndTheOrderOfLayers) {
    const auto even = receptive_path(layers_of({.window = 3, .dilation = 2}, 2), 40);
    EXPECT_EQ(even.farthest(), 8);
    EXPECT_EQ(even.gaps(), (std::vector<Index>{1, 3, 5, 7}));
    const auto global = receptive_path(layers_of({.window = 2, .global = 1}, 2), 20);
    EXPECT_EQ(global.layers[19], 1);  // the global token itself
    EXPECT_EQ(global.layers[3], ReceptivePath::never);
    EXPECT_EQ(receptive_path(layers_of({.causal = false, .window = 2, .global = 1}, 2), 20).layers[9], 2);
    // the lowest layer alone reaches as far as its own window
    const auto narrow_first = receptive_path(layers_of({.window = {2, 9}}, 2), 20);
    const auto wide_first = receptive_path(layers_of({.window = {9, 2}}, 2), 20);
    EXPECT_EQ(narrow_first.layers[8], 2);
    EXPECT_EQ(wide_first.layers[8], 1);
    EXPECT_EQ(narrow_first.layers[9], 2);
    EXPECT_EQ(narrow_first.farthest(), 9);
    EXPECT_EQ(wide_first.farthest(), 9);
    EXPECT_EQ(reach_of_windows(layers_of({.window = {2, 9}, .dilation = {5, 1}}, 2)), 1 + 5 + 8);
    EXPECT_EQ(reach_of_windows(layers_of({.window = {2, 0}}, 2)), 0);
    EXPECT_EQ(reach_of_windows(layers_of({.window = 2, .global = 1}, 2)), 0);
}

TEST(ReceptivePath, RefusesWhatIsNoWholeSequence) {
    EXPECT_THROW(receptive_path(std::vector<Mask>{{}}, 0), Error);
    EXPECT_THROW(receptive_path(std::vector<Mask>{{.causal = false, .query_offset = 1}}, 4), Error);
    EXPECT_THROW(receptive_path(std::vector<Mask>{{.window = 2, .rows = Mask::Rows::local}}, 4), Error);
}

// A token of another kind at a distance changes the last logits exactly where there is a path.
TEST(ReceptivePath, IsWhatAModelSees) {
    ModelOptions options = small_model();
    options.layers = 3;
    for (const MaskOptions& mask :
         {MaskOptions{.window = 4}, MaskOptions{.window = {2, 0, 3}},
          MaskOptions{.window = {3, 2, 2}, .dilation = {1, 4, 3}},
          MaskOptions{.window = 3, .dilation = 2, .global = 2},
          MaskOptions{.window = 2, .global = 2, .global_projections = true},
          MaskOptions{.causal = false, .window = {2, 3, 2}, .dilation = {3, 1, 5}},
          MaskOptions{.causal = false, .window = 2, .global = 1, .global_projections = true}}) {
        const auto model = make_model(encoding_options("nope"), options, mask);
        Sample sample(1, 24);
        const auto last = [&] {
            return model->logits(sample.input()).value().reshaped({24, 11}).rows(23, 1);
        };
        const Tensor before = last();
        const ReceptivePath path = receptive_path(layers_of(mask, 3), 24);
        for (std::size_t n = 0; n < 24; ++n) {
            Token& token = sample.tokens[23 - n];
            token = (token + 1) % 11;
            const double change = largest_difference(last(), before);
            token = (token + 10) % 11;
            if (path.layers[n] == ReceptivePath::never) {
                EXPECT_EQ(change, 0) << n;
            } else {
                EXPECT_GT(change, 1e-6) << n;
            }
        }
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
