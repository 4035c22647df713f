#include "framework/ops/embedding.h"

#include <algorithm>

#include "framework/ops/kernels/elementwise.h"

namespace locus {
inline namespace LOCUS_SCALAR {

Variable embedding(const Variable& table, WorkVector<Token> ids, Index batch, Index length) {
    require(table.shape().rank() == 2, "embedding: expected a table [rows, width], found {}", table.shape());
    require(static_cast<Index>(ids.size()) == batch * length, "embedding: {} ids for [{}, {}]", ids.size(),
            batch, length);
    const Index width = table.size(1);
    MutableTensor out = Tensor::empty({batch, length, width});
    Scalar* to = out.data();
    for (Token id : ids) {
        require(id >= 0 && id < table.size(0), "embedding: id {} is outside the table {}", id, table.shape());
        to = std::copy_n(table.value().data() + id * width, width, to);
    }
    return record(out, {table},
                  [width, ids = std::move(ids)](const Tensor& cotangent, const Gradients& gradients) {
                      const auto [dtable, fresh] = gradients.sink(0);
                      if (fresh) dtable.fill(0);
                      const Scalar* from = cotangent.data();
                      for (Token id : ids) {
                          kernels::accumulate(from, dtable.data() + id * width, width);
                          from += width;
                      }
                  });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
