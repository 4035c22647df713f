// The masks of a model's layers, from its options.
#pragma once

#include "framework/ops/mask.h"
#include "models/options.h"

namespace locus {

/// Throws unless lists have one entry per layer, numbers are in range, and no option is without effect:
/// global tokens and dilation need a window, global projections need global tokens.
void check_mask(const MaskOptions& options, Index layers);

/// What the tokens of a layer see, without segments and offset. REQUIRES: checked options.
Mask layer_mask(const MaskOptions& options, Index layer);

/// Whether the global tokens of a layer have projections of their own.
bool has_global_projections(const MaskOptions& options, Index layer);

}  // namespace locus
