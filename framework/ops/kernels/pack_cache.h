// Packed copies of weights, made once an optimizer step and shared by the workers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <tuple>

#include "framework/core/arena.h"
#include "framework/core/products.h"
#include "framework/core/tensor.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

/// Watches ranges of memory (the flat stores of models). A right factor of a product that lies in one is
/// packed on its first use after the range changed; everything else is packed anew at every call.
/// Thread-safe.
class PackCache {
  public:
    static PackCache& instance();

    void watch(const Scalar* begin, Index count);
    void changed(const Scalar* begin);  // the values in this range are new
    void forget(const Scalar* begin);

    struct Key {
        const Scalar* data;
        Index rows, columns, stride;
        bool transposed;
        Precision precision = Precision::fp32;  // to which the copy is rounded
        auto operator<=>(const Key&) const = default;
    };

    /// The packed copy of a watched matrix, `size` numbers that `pack` fills; null where it is not watched.
    const Scalar* find(const Key& key, Index size, const std::function<void(Scalar*)>& pack);

  private:
    struct Entry {
        std::mutex mutex;
        MutableTensor packed;
        bool valid = false;
    };
    struct Range {
        Index count = 0;
        Arena memory;  // of the copies, which lie together in huge pages
        std::map<Key, std::unique_ptr<Entry>> entries;
    };

    std::shared_mutex mutex_;
    std::map<const Scalar*, Range> ranges_;  // by their begin
};

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
