// The checks of `verify`, a group each.
#pragma once

#include <functional>

#include "framework/distributed/communicator.h"
#include "recipes/engine/verify/verify.h"
#include "recipes/engine/verify/verify_model.h"

namespace locus {

constexpr double logit_limit = 1e-5;  // on logits

/// A model under one mask, and the length of its passes: beyond the trained length where a table allows it.
struct VerifySubject {
    const Recipe& recipe;
    const Transformer& model;
    std::string mask;  // its name
    Index trained, length;
    bool drawn = false;  // the parameters: then what is wrong must show
};

using TakeCheck = std::function<void(Check check)>;

/// <R_m q, R_n k> depends on n - m only: positions shifted by up to 10^5. Where an encoding's rotation
/// changes lengths of vectors with the position (xPos), only within the trained length, beyond which they
/// overflow.
void check_rotation(const VerifySubject& subject, const TakeCheck& take);

/// "dog chases cat" and "cat chases dog": a model that reads no positions gives a byte the same logits in
/// both, unless it is causal; every other one notices.
void check_order(const VerifySubject& subject, const TakeCheck& take);

/// A sinusoid's matrix of shifts: PE(p + k) = M_k PE(p), pairs turned by k inv_freq (arXiv:1706.03762).
void check_shift(const VerifySubject& subject, const TakeCheck& take);

/// The attention kernel's weights are those of the mask, element by element, and a token changes no row
/// before it.
void check_mask(const VerifySubject& subject, const TakeCheck& take);

/// One pass = chunks = token by token, in both length modes.
void check_cache(const VerifySubject& subject, const TakeCheck& take);

/// Of encodings with frequency rules: factor 1 = plain RoPE for every rule, and what must hold between rules.
void check_scaling_rules(const VerifySubject& subject, const TakeCheck& take);

/// Of rules that look at the length: the two length modes differ, and a cache that keeps rotated keys while
/// the length grows differs from both.
void check_length_rule(const VerifySubject& subject, const TakeCheck& take);

/// A text alone = padded in a batch = packed behind another.
void check_together(const VerifySubject& subject, const TakeCheck& take);

/// Tiled attention = composed attention: loss and gradient.
void check_forms(const VerifySubject& subject, const TakeCheck& take);

/// A training step on `threads` threads = one on one thread, bit for bit.
void check_threads(const VerifySubject& subject, int threads, const TakeCheck& take);

/// The gradient and the step of all ranks = those of one rank, bit for bit, on every rank; nothing for a
/// group of one. All ranks call it.
void check_ranks(const VerifySubject& subject, const Communicator& group, const TakeCheck& take);

/// Training that is stopped after a step, saved and resumed = uninterrupted, bit for bit.
void check_resume(const VerifySubject& subject, const TakeCheck& take);

}  // namespace locus
