// The state of a run to and from a checkpoint.
#pragma once

#include <string>

#include "framework/io/checkpoint.h"
#include "framework/nn/module.h"
#include "framework/optim/adamw.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// What a checkpoint holds besides tensors.
struct RunIdentity {
    std::string recipe;                // YAML, fully resolved
    std::string tokenizer;             // its kind
    std::string tokenizer_bytes = {};  // its model, where it has one
    Index vocabulary = 0;
    std::uint64_t seed = 0;
    std::string corpus = {};  // hash of the training text
};

/// Views of parameters and moments after `step` updates of `sequences` sequences each: to be saved before
/// they change.
Checkpoint capture(const ParameterStore& store, const Adamw& optimizer, const RunIdentity& identity,
                   Index step, Index sequences);

/// Throws a numeric Error that names the first parameter of which a value or a moment is not finite: such a
/// state is never saved, and the last one that was stays.
void require_finite_state(const ParameterStore& store, const Adamw& optimizer, Index step);

/// Copies the parameters of a checkpoint into a model. Throws a storage Error that lists each name that is
/// missing, not wanted or of another shape; `source` names the file.
void restore_parameters(const Checkpoint& checkpoint, ParameterStore& store, const std::string& source);

/// The same for the moments of the optimizer.
void restore_moments(const Checkpoint& checkpoint, const ParameterStore& store, Adamw& optimizer,
                     const std::string& source);

}  // namespace LOCUS_SCALAR
}  // namespace locus
