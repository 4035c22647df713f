// In which precision the products of layers take their factors.
#pragma once

namespace locus {

/// fp32: as they are. bf16: rounded to bfloat16, to the nearest and to even; sums, parameters, gradients,
/// moments and everything that is no product of a weight stay single (mixed precision, arXiv:1710.03740;
/// bfloat16: arXiv:1905.12322).
enum class Precision { fp32, bf16 };

/// The precision of linear() and of the logits on this thread, forward and backward, while it lives. Without
/// one: fp32.
class PrecisionScope {
  public:
    explicit PrecisionScope(Precision precision);
    ~PrecisionScope();
    PrecisionScope(const PrecisionScope&) = delete;
    PrecisionScope& operator=(const PrecisionScope&) = delete;

    static Precision current();

  private:
    Precision before_;
};

}  // namespace locus
