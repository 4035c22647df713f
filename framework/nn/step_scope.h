// What the ops of one worker's step stand in.
#pragma once

#include <optional>

#include "framework/core/arena.h"
#include "framework/core/products.h"
#include "framework/nn/module.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Memory and tape of one worker, which serve step after step.
struct StepSpace {
    Arena arena;
    Tape tape;
};

/// While it lives, the ops of this thread take memory from a space's arena and compute products as is said.
/// At its end tape and arena are emptied: nothing that was computed within may outlive it.
class StepScope {
  public:
    /// A step that only computes: parameters are constants, nothing is recorded.
    explicit StepScope(StepSpace& space, const Products& products = {})
        : emptied_{space}, memory_(&space.arena), recording_(nullptr), products_(products) {}

    /// A step that is recorded on the space's tape, with the gradients of the store's parameters in `flat`;
    /// see ParameterGradients.
    StepScope(StepSpace& space, const ParameterStore& store, const MutableTensor& flat,
              const Products& products = {})
        : emptied_{space}, memory_(&space.arena), recording_(&space.tape), products_(products) {
        gradients_.emplace(store, flat);
    }

  private:
    struct Emptied {  // after all that is below has ended
        StepSpace& space;
        ~Emptied() {
            space.tape.reset();
            space.arena.reset();
        }
    };

    Emptied emptied_;
    ArenaScope memory_;
    Recording recording_;
    ProductScope products_;
    std::optional<ParameterGradients> gradients_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
