// What the tests of caches and generation share: models that cross their trained length, positions, passes in
// chunks.
#pragma once

#include <numeric>

#include "models/padding.h"
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {

constexpr Index cache_train_length = 16;                  // the passes of these tests are longer
constexpr double cache_limit = is_double ? 1e-11 : 1e-5;  // on logits whose standard deviation is 1 or more

/// Options that let an encoding reach 64 tokens.
inline Choices choices_for(const std::string& kind) {
    return kind == "learned" ? Choices{{"max_length", Index{64}}} : Choices{};
}

/// Positions of text as the encoding reads them: grids of 8 columns for two axes, else the same on every
/// axis. A token without a position has none on any.
inline Positions placed_text(const Positions& text, Index axes) {
    std::vector<std::int64_t> values;
    for (Index b = 0; b < text.batch(); ++b) {
        for (Index t = 0; t < text.length(); ++t) {
            const std::int64_t p = text(b, t);
            if (axes == 2 && p != Positions::none)
                values.insert(values.end(), {p / 8, p % 8});
            else
                values.insert(values.end(), static_cast<std::size_t>(axes), p);
        }
    }
    return Positions(text.batch(), text.length(), axes, std::move(values));
}

inline Positions positions_for(const Transformer& model, Index length) {
    return placed_text(Positions::consecutive(length), model.axes());
}

inline Batch padded_for(const Transformer& model, const std::vector<std::vector<Token>>& texts) {
    Batch padded = left_padded(texts);
    padded.positions = placed_text(padded.positions, model.axes());
    return padded;
}

/// An encoding that reads no positions notices no shift of them.
inline bool reads_positions(const std::string& kind) {
    return kind != "nope" && kind != "cope";
}

inline std::unique_ptr<Transformer> cache_model(const std::string& kind, const MaskOptions& mask,
                                                bool rich = false) {
    ModelOptions options = small_model(rich);
    if (rich) options.kv_heads = 2;
    const bool of_grids = EncodingRegistry::instance().at(kind).axes.front() == 2;  // tables of 8 x 8 cells
    const Index trained = of_grids ? 64 : cache_train_length;
    return make_model(encoding_options(kind, choices_for(kind)), options, mask, trained);
}

inline std::vector<Token> random_tokens(Index count, std::uint64_t index) {
    RandomStream stream(9, Purpose::test, {index});
    std::vector<Token> tokens;
    for (Index i = 0; i < count; ++i) tokens.push_back(static_cast<Token>(stream.below(11)));
    return tokens;
}

inline Batch batch_of(std::span<const Token> tokens, const Positions& positions, Index sequences = 1) {
    Batch batch = Batch::of_text(sequences, {tokens.begin(), tokens.end()});
    batch.positions = positions;
    return batch;
}

/// Logits [batch, length, vocabulary] of a pass cut after these numbers of tokens (the last one is repeated).
inline Tensor in_chunks(const Transformer& model, const Batch& whole, KvCache& cache,
                        const std::vector<Index>& sizes, AttentionForm form = AttentionForm::tiled) {
    const Index vocabulary = model.options().vocabulary;
    const MutableTensor out = Tensor::empty({whole.sequences, whole.length, vocabulary});
    std::size_t at = 0;
    for (Index first = 0; first < whole.length;) {
        const Index count = std::min(whole.length - first, sizes[std::min(at++, sizes.size() - 1)]);
        const Tensor part =
            model.logits(whole.run(first, count), {.cache = &cache, .attention = form}).value();
        const Index run = count * vocabulary;
        for (Index b = 0; b < whole.sequences; ++b)
            std::copy_n(part.data() + b * run, run, out.data() + (b * whole.length + first) * vocabulary);
        first += count;
    }
    return out;
}

inline double standard_deviation(const Tensor& x) {
    double sum = 0, squares = 0;
    for (Scalar value : x.values()) {
        sum += static_cast<double>(value);
        squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const auto n = static_cast<double>(x.count());
    return std::sqrt(squares / n - sum / n * (sum / n));
}

inline Token argmax(const Scalar* row, Index count) {
    return static_cast<Token>(std::max_element(row, row + count) - row);
}

inline const std::vector<LengthMode>& modes() {
    static const std::vector<LengthMode> both{{"fixed", 48}, {"growing", 0}};
    return both;
}

struct CacheCase {
    std::string kind, mask_name;
    MaskOptions mask;
};

inline std::vector<CacheCase> cache_cases() {
    std::vector<CacheCase> cases;
    for (const std::string& kind : EncodingRegistry::instance().names()) {
        cases.push_back({kind, "causal", {}});
        cases.push_back({kind, "window", {.window = 5}});
        cases.push_back({kind, "window_global", {.window = 5, .global = 3}});
        cases.push_back({kind, "dilated", {.window = 3, .dilation = 4}});
        cases.push_back({kind, "dilated_by_layer", {.window = {4, 2}, .dilation = {1, 5}, .global = 2}});
    }
    return cases;
}

inline void PrintTo(const CacheCase& c, std::ostream* out) {
    *out << c.kind << " " << c.mask_name;
}

class EachCache : public testing::TestWithParam<CacheCase> {};

inline std::string cache_name(const testing::TestParamInfo<CacheCase>& info) {
    return info.param.kind + "_" + info.param.mask_name;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
