#include "framework/ops/content_positions.h"

#include <algorithm>
#include <cmath>

#include "framework/core/double_sums.h"

namespace locus {
inline namespace LOCUS_SCALAR {

Variable sigmoid(const Variable& x) {
    MutableTensor out = Tensor::empty(x.shape());
    for (Index i = 0; i < out.count(); ++i) out.data()[i] = 1 / (1 + std::exp(-x.value().data()[i]));
    return record(out, {x}, [out](const MutableTensor& cotangent, const Gradients& gradients) {
        for (Index i = 0; i < out.count(); ++i) {
            const Scalar y = out.data()[i];
            cotangent.data()[i] *= y * (1 - y);
        }
        gradients.pass(0);
    });
}

Variable suffix_sums(const Variable& x) {
    const Index width = x.size(-1), rows = x.shape().count() / width;
    MutableTensor out = x.value().clone();
    for (Index row = 0; row < rows; ++row) {
        Scalar* y = out.data() + row * width;
        double sum = 0;
        for (Index j = width; j-- > 0;) y[j] = static_cast<Scalar>(sum += static_cast<double>(y[j]));
    }
    return record(out, {x}, [=](const MutableTensor& cotangent, const Gradients& gradients) {
        for (Index row = 0; row < rows; ++row) {  // dx[j] = dy[0] + ... + dy[j]
            Scalar* dy = cotangent.data() + row * width;
            double sum = 0;
            for (Index j = 0; j < width; ++j) dy[j] = static_cast<Scalar>(sum += static_cast<double>(dy[j]));
        }
        gradients.pass(0);
    });
}

Variable clamp_max(const Variable& x, Scalar max) {
    MutableTensor out = x.value().clone();
    for (Scalar& value : out.values()) value = std::min(value, max);
    return record(out, {x}, [x, max](const MutableTensor& cotangent, const Gradients& gradients) {
        for (Index i = 0; i < cotangent.count(); ++i) {
            if (x.value().data()[i] > max) cotangent.data()[i] = 0;
        }
        gradients.pass(0);
    });
}

namespace {

// The entry below a place and the share of the next one; the last entry has the whole of its place.
struct Between {
    Index below;
    Scalar share;
};

Between between(Scalar place, Index count) {
    const Index below = std::min(static_cast<Index>(place), std::max<Index>(count - 2, 0));
    return {below, place - static_cast<Scalar>(below)};
}

}  // namespace

Variable interpolate(const Variable& x, const Variable& places) {
    const Index n = x.size(-1), m = places.size(-1), rows = x.shape().count() / n;
    require(places.shape().count() == rows * m, "interpolate: {} and places {} differ in their rows",
            x.shape(), places.shape());
    MutableTensor out = Tensor::empty(places.shape());
    for (Index i = 0; i < rows * m; ++i) {
        const Scalar place = places.value().data()[i];
        require(place >= 0 && place <= static_cast<Scalar>(n - 1), "interpolate: place {} of {} entries",
                place, n);
        const auto [below, share] = between(place, n);
        const Scalar* entry = x.value().data() + i / m * n + below;
        out.data()[i] = share == 0 ? entry[0] : (1 - share) * entry[0] + share * entry[1];
    }
    return record(out, {x, places}, [=](const Tensor& cotangent, const Gradients& gradients) {
        MutableTensor dx = Tensor::empty(x.shape()), dplaces = Tensor::empty(places.shape());
        DoubleSums sums(n);  // of the places of a row, which may all lie beside the same entry
        for (Index row = 0; row < rows; ++row) {
            for (Index i = row * m; i < (row + 1) * m; ++i) {
                const auto [below, share] = between(places.value().data()[i], n);
                const Scalar dy = cotangent.data()[i], *entry = x.value().data() + row * n + below;
                sums.add(below, (1 - share) * dy);
                if (n > 1) sums.add(below + 1, share * dy);
                dplaces.data()[i] = n > 1 ? (entry[1] - entry[0]) * dy : 0;
            }
            sums.give(dx.data() + row * n);
        }
        gradients.add(0, dx);
        gradients.add(1, dplaces);
    });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
