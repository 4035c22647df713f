// How the matrix products of layers are computed.
#pragma once

#include <compare>

namespace locus {

/// fp32: factors as they are. bf16: rounded to bfloat16, to the nearest and to even; sums, parameters,
/// gradients, moments and everything that is no product of a weight stay single (mixed precision,
/// arXiv:1710.03740; bfloat16: arXiv:1905.12322).
enum class Precision { fp32, bf16 };

/// By whom. Locus's own kernel runs at full width on every processor that Highway knows, keeps packed weights
/// between calls, and its rows do not change with the number of rows of a call.
enum class GemmBackend { own, openblas };

struct Products {
    Precision precision = Precision::fp32;  // of linear() and of the logits
    GemmBackend backend = GemmBackend::own;
    auto operator<=>(const Products&) const = default;
};

/// How the ops of this thread compute products, forward and backward, while it lives. Without one:
/// Products{}.
class ProductScope {
  public:
    explicit ProductScope(Products products);
    ~ProductScope();
    ProductScope(const ProductScope&) = delete;
    ProductScope& operator=(const ProductScope&) = delete;

    static Products current();

  private:
    Products before_;
};

}  // namespace locus
