#include "framework/ops/rotate.h"

#include "framework/ops/kernels/rotate.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// Calls body(offset in x, offset in the tables) for every head of every sequence of x.
template <typename Body>
void for_each_head(const Shape& x, const Shape& table, const Body& body) {
    for (Index b = 0; b < x[0]; ++b) {
        for (Index h = 0; h < x[1]; ++h) {
            const Index sheet = (table[0] == 1 ? 0 : b) * table[1] + (table[1] == 1 ? 0 : h);
            body((b * x[1] + h) * x[2] * x[3], sheet * x[2] * table[3]);
        }
    }
}

// dcos += a da + b db, dsin += a db - b da for every pair (a, b) with cotangent (da, db).
void table_gradients(const Variable& x, const Tensor& cotangent, bool interleaved, const MutableTensor& dcos,
                     const MutableTensor& dsin) {
    const Index pairs = dcos.size(3), width = x.size(3);
    for_each_head(x.shape(), dcos.shape(), [&](Index at, Index table) {
        for (Index t = 0; t < x.size(2); ++t, at += width, table += pairs) {
            const Scalar *value = x.value().data() + at, *gradient = cotangent.data() + at;
            for (Index i = 0; i < pairs; ++i) {
                const Index first = interleaved ? 2 * i : i, second = interleaved ? 2 * i + 1 : i + pairs;
                dcos.data()[table + i] += value[first] * gradient[first] + value[second] * gradient[second];
                dsin.data()[table + i] += value[first] * gradient[second] - value[second] * gradient[first];
            }
        }
    });
}

void check(const Shape& x, const Shape& cos, const Shape& sin) {
    require(x.rank() == 4 && cos.rank() == 4 && cos == sin && (cos[0] == 1 || cos[0] == x[0]) &&
                (cos[1] == 1 || cos[1] == x[1]) && cos[2] == x[2] && 2 * cos[3] <= x[3],
            "rotate: x is {}, cos {}, sin {}; expected tables [1 or B, 1 or H, T, pairs]", x, cos, sin);
}

}  // namespace

Variable rotate(const Variable& x, const Rotation& rotation) {
    const Variable &cos = rotation.cos, &sin = rotation.sin;
    check(x.shape(), cos.shape(), sin.shape());
    const bool interleaved = rotation.pairing == Pairing::interleaved;
    const Index pairs = cos.size(3), width = x.size(3), rows = x.size(2);
    MutableTensor out = Tensor::empty(x.shape());
    for_each_head(x.shape(), cos.shape(), [&](Index at, Index table) {
        kernels::rotate_rows({pairs, width, interleaved, false}, x.value().data() + at,
                             cos.value().data() + table, sin.value().data() + table, out.data() + at, false,
                             rows);
    });
    return record(out, {x, cos, sin}, [=](const Tensor& cotangent, const Gradients& gradients) {
        if (gradients.wanted(1) || gradients.wanted(2)) {
            MutableTensor dcos = Tensor::zeros(cos.shape()), dsin = Tensor::zeros(sin.shape());
            table_gradients(x, cotangent, interleaved, dcos, dsin);
            gradients.add(1, dcos);
            gradients.add(2, dsin);
        }
        if (!gradients.wanted(0)) return;
        const auto sink = gradients.sink(0);  // the inverse rotation of the cotangent
        for_each_head(x.shape(), cos.shape(), [&](Index at, Index table) {
            kernels::rotate_rows({pairs, width, interleaved, true}, cotangent.data() + at,
                                 cos.value().data() + table, sin.value().data() + table,
                                 sink.tensor.data() + at, !sink.fresh, rows);
        });
    });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
