#include "models/layer_mask.h"

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

namespace {

void check_list(const PerLayer& numbers, const char* name, Index min, Index layers) {
    const auto& each = numbers.each;
    require(each.empty() || static_cast<Index>(each.size()) == layers,
            "mask.{}: expected one number or one for each of the {} layers, found {}", name, layers,
            each.size());
    for (Index layer = 0; layer < layers; ++layer)
        require(numbers.at(layer) >= min, "mask.{}: expected at least {}, found {}", name, min,
                numbers.at(layer));
}

}  // namespace

void check_mask(const MaskOptions& options, Index layers) {
    check_list(options.window, "window", 0, layers);
    check_list(options.dilation, "dilation", 1, layers);
    bool windows = false;
    for (Index layer = 0; layer < layers; ++layer) {
        windows = windows || options.window.at(layer) > 0;
        require(
            options.dilation.each.empty() || options.dilation.at(layer) == 1 || options.window.at(layer) > 0,
            "mask.dilation: {} has no effect in layer {}, which has no window; expected 1",
            options.dilation.at(layer), layer);
    }
    require(windows || options.dilation == 1, "mask.dilation: {} has no effect without mask.window",
            options.dilation.at(0));
    require(options.global >= 0, "mask.global: expected at least 0, found {}", options.global);
    require(windows || options.global == 0,
            "mask.global: {} has no effect without mask.window, as every token is seen", options.global);
    require(options.global > 0 || !options.global_projections,
            "mask.global_projections: expected global tokens (mask.global), found none");
}

Mask layer_mask(const MaskOptions& options, Index layer) {
    Mask mask;
    mask.causal = options.causal;
    mask.window = options.window.at(layer);
    mask.global = options.global;
    mask.dilation = mask.window > 0 ? options.dilation.at(layer) : 1;
    return mask;
}

bool has_global_projections(const MaskOptions& options, Index layer) {
    return options.global_projections && options.window.at(layer) > 0;
}

}  // namespace locus
