// What becomes of the last states: outputs, and the loss that training makes small.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "framework/core/registry.h"
#include "framework/nn/module.h"
#include "framework/ops/loss.h"
#include "models/options.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// A head and its loss. One file each in models/heads/, which registers itself.
class Head {
  public:
    virtual ~Head() = default;

    /// What the model says at states [.., width]: [.., outputs].
    virtual Variable outputs(const Variable& states) const = 0;

    /// The loss of states, a row for each of the targets.
    virtual Loss loss(const Variable& states, const Targets& targets, bool keep_each) const = 0;
};

/// What the registry holds of a head.
struct HeadEntry {
    std::string doc;  // one line
    /// `tied`: a matrix [vocabulary, width] that it shares with the embedder, or an empty one.
    std::function<std::unique_ptr<Head>(const ParameterScope&, const ModelOptions&, const Parameter& tied)>
        make;
};

using HeadRegistry = Registry<HeadEntry>;

}  // namespace LOCUS_SCALAR
}  // namespace locus
