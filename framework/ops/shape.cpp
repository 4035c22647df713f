#include "framework/ops/shape.h"

#include <algorithm>

#include "framework/core/double_sums.h"
#include "framework/ops/kernels/elementwise.h"

namespace locus {
inline namespace LOCUS_SCALAR {

Variable reshape(const Variable& x, const Shape& shape) {
    return record(x.value().reshaped(shape), {x},
                  [of = x.shape()](const Tensor&, const Gradients& gradients) { gradients.pass(0, of); });
}

namespace {

// Calls body(offset in packed rows, offset in head-major order) for every head of every sequence.
template <typename Body>
void for_each_split_head(Index batch, Index length, Index columns, Index first, Index heads, Index head_dim,
                         const Body& body) {
    for (Index b = 0; b < batch; ++b) {
        for (Index h = 0; h < heads; ++h)
            body(b * length * columns + first + h * head_dim, (b * heads + h) * length * head_dim);
    }
}

}  // namespace

Variable split_heads(const Variable& x, Index first, Index heads, Index head_dim) {
    require(x.shape().rank() == 3 && first >= 0 && first + heads * head_dim <= x.size(2),
            "split_heads: {} heads of {} from column {} of {}", heads, head_dim, first, x.shape());
    const Index batch = x.size(0), length = x.size(1), columns = x.size(2);
    MutableTensor out = Tensor::empty({batch, heads, length, head_dim});
    for_each_split_head(batch, length, columns, first, heads, head_dim, [&](Index packed, Index split) {
        kernels::copy_rows(x.value().data() + packed, columns, out.data() + split, head_dim, length,
                           head_dim);
    });
    return record(out, {x}, [=](const Tensor& cotangent, const Gradients& gradients) {
        const auto [dx, fresh] = gradients.sink(0);
        if (fresh) dx.fill(0);  // the other columns
        for_each_split_head(batch, length, columns, first, heads, head_dim,
                            [&, &to = dx](Index packed, Index split) {
                                kernels::accumulate_rows(cotangent.data() + split, head_dim,
                                                         to.data() + packed, columns, length, head_dim);
                            });
    });
}

Variable merge_heads(const Variable& x) {
    require(x.shape().rank() == 4, "merge_heads: expected [B, H, T, D], found {}", x.shape());
    const Index batch = x.size(0), heads = x.size(1), length = x.size(2), head_dim = x.size(3);
    const Index columns = heads * head_dim;
    MutableTensor out = Tensor::empty({batch, length, columns});
    for_each_split_head(batch, length, columns, 0, heads, head_dim, [&](Index packed, Index split) {
        kernels::copy_rows(x.value().data() + split, head_dim, out.data() + packed, columns, length,
                           head_dim);
    });
    return record(out, {x}, [=, of = x.shape()](const Tensor& cotangent, const Gradients& gradients) {
        MutableTensor dx = Tensor::empty(of);
        for_each_split_head(batch, length, columns, 0, heads, head_dim, [&](Index packed, Index split) {
            kernels::copy_rows(cotangent.data() + packed, columns, dx.data() + split, head_dim, length,
                               head_dim);
        });
        gradients.add(0, dx);
    });
}

Variable repeat_heads(const Variable& x, Index times) {
    require(x.shape().rank() == 4 && times >= 1, "repeat_heads: {} times of {}", times, x.shape());
    if (times == 1) return x;
    Shape shape = x.shape();
    shape[1] *= times;
    const Index rows = x.size(0) * x.size(1), width = x.size(2) * x.size(3);
    MutableTensor out = Tensor::empty(shape);
    for (Index i = 0; i < rows * times; ++i) {
        std::copy_n(x.value().data() + i / times * width, width, out.data() + i * width);
    }
    return record(out, {x}, [=, of = x.shape()](const Tensor& cotangent, const Gradients& gradients) {
        MutableTensor dx = Tensor::zeros(of);
        for (Index i = 0; i < rows * times; ++i) {
            kernels::accumulate(cotangent.data() + i * width, dx.data() + i / times * width, width);
        }
        gradients.add(0, dx);
    });
}

Variable take_columns(const Variable& table, WorkVector<std::int32_t> columns) {
    require(table.shape().rank() == 2, "take_columns: expected [H, R], found {}", table.shape());
    const Index heads = table.size(0), width = table.size(1), count = static_cast<Index>(columns.size());
    for (std::int32_t column : columns) {
        require(column >= -1 && column < width, "take_columns: column {} of {}", column, table.shape());
    }
    MutableTensor out = Tensor::empty({heads, count});
    for (Index h = 0; h < heads; ++h) {
        for (Index i = 0; i < count; ++i) {
            const Index column = columns[static_cast<std::size_t>(i)];
            out.data()[h * count + i] = column < 0 ? 0 : table.value().data()[h * width + column];
        }
    }
    return record(out, {table},
                  [=, columns = std::move(columns)](const Tensor& cotangent, const Gradients& gradients) {
                      MutableTensor dtable = Tensor::empty({heads, width});
                      DoubleSums sums(width);
                      for (Index h = 0; h < heads; ++h) {
                          for (Index i = 0; i < count; ++i) {
                              const Index column = columns[static_cast<std::size_t>(i)];
                              if (column >= 0) sums.add(column, cotangent.data()[h * count + i]);
                          }
                          sums.give(dtable.data() + h * width);
                      }
                      gradients.add(0, dtable);
                  });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
