// Where the batches of training come from.
#pragma once

#include <string>

#include "framework/core/batch.h"

namespace locus {

/// An endless row of batches: text in its order, generated tasks, mixtures. What a step holds depends on a
/// seed and the step, never on earlier calls.
class BatchSource {
  public:
    virtual ~BatchSource() = default;

    /// The batch of a step, counted from 0, into memory that is used again.
    virtual void fill(Index step, Batch& batch) const = 0;

    virtual Index sequences() const = 0;  // of a batch
    virtual Index length() const = 0;     // of a sequence, in tokens

    /// How often `steps` steps go through all that there is: 1.5 for one and a half times.
    virtual double epochs(Index steps) const = 0;

    /// XXH3-128 of what `steps` steps show, and in which order.
    virtual std::string hash(Index steps) const = 0;

    /// In a few words, what there is.
    virtual std::string summary() const = 0;

    Batch at(Index step) const {
        Batch batch;
        fill(step, batch);
        return batch;
    }
};

}  // namespace locus
