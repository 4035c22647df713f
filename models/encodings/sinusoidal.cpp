// Sinusoids added to the token embeddings (arXiv:1706.03762): sin and cos of p / base^(2i / width).

#include <cmath>

#include "models/encoding.h"
#include "models/table_cache.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

enum class Layout { interleaved, concatenated, tensor2tensor };

Layout parse_layout(const std::string& name) {
    if (name == "interleaved") return Layout::interleaved;
    return name == "concatenated" ? Layout::concatenated : Layout::tensor2tensor;
}

class Sinusoidal : public PositionalEncoding {
  public:
    Sinusoidal(const Options& options, const EncodingShape& shape)
        : width_(shape.width),
          base_(options.number("base")),
          layout_(parse_layout(options.text("layout"))),
          scale_tokens_(options.flag("scale_tokens")) {
        require(layout_ == Layout::interleaved || width_ % 2 == 0,
                "encoding sinusoidal: the layout {} needs an even width, model.width is {}",
                options.text("layout"), width_);
        require(layout_ != Layout::tensor2tensor || width_ >= 4,
                "encoding sinusoidal: the layout tensor2tensor needs a width of 4 or more, model.width is {}",
                width_);
    }

    PositionTerms terms(const Positions& query, const Positions&, const Context&) const override {
        PositionTerms terms;
        terms.embedding = tables_.get(query, 0, [&] { return std::vector{table(query)}; }).front();
        if (scale_tokens_) terms.token_scale = static_cast<Scalar>(std::sqrt(static_cast<double>(width_)));
        return terms;
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        constexpr const char* names[] = {"interleaved", "concatenated", "tensor2tensor"};
        card.conventions["layout"] = names[static_cast<int>(layout_)];
        card.conventions["token embeddings"] = scale_tokens_ ? "multiplied by sqrt(width)" : "not scaled";
        card.base = base_;
        for (std::size_t pair = 0; pair < pairs(); ++pair) {
            card.inv_freq.push_back(frequency(pair));
            if (cosine_at(pair) < static_cast<std::size_t>(width_))
                card.embedding_pairs.emplace_back(sine_at(pair), cosine_at(pair));
        }
        for (std::int64_t position : request.positions) card.embedding.push_back(row(position));
    }

  private:
    std::size_t pairs() const { return static_cast<std::size_t>((width_ + 1) / 2); }
    bool woven() const { return layout_ == Layout::interleaved; }
    std::size_t sine_at(std::size_t pair) const { return woven() ? 2 * pair : pair; }
    std::size_t cosine_at(std::size_t pair) const { return woven() ? 2 * pair + 1 : pair + pairs(); }

    double frequency(std::size_t pair) const {
        // tensor2tensor's last wavelength is exactly 2 pi base: its exponent runs to 1
        const double steps = layout_ == Layout::tensor2tensor ? static_cast<double>(pairs() - 1)
                                                              : static_cast<double>(width_) / 2;
        return std::pow(base_, -static_cast<double>(pair) / steps);
    }

    // The vector of one position; angles are formed in double.
    std::vector<double> row(std::int64_t position) const {
        std::vector<double> values(static_cast<std::size_t>(width_));
        for (std::size_t pair = 0; pair < pairs(); ++pair) {
            const double angle = static_cast<double>(position) * frequency(pair);
            values[sine_at(pair)] = std::sin(angle);
            if (cosine_at(pair) < values.size()) values[cosine_at(pair)] = std::cos(angle);
        }
        return values;
    }

    Tensor table(const Positions& positions) const {
        MutableTensor table = Tensor::zeros({positions.batch(), positions.length(), width_});
        Scalar* to = table.data();
        for (Index b = 0; b < positions.batch(); ++b) {
            for (Index t = 0; t < positions.length(); ++t, to += width_) {
                if (positions(b, t) == Positions::none) continue;
                const std::vector<double> values = row(positions(b, t));
                for (Index i = 0; i < width_; ++i)
                    to[i] = static_cast<Scalar>(values[static_cast<std::size_t>(i)]);
            }
        }
        return table;
    }

    Index width_;
    double base_;
    Layout layout_;
    bool scale_tokens_;
    TableCache tables_;
};

const bool sinusoidal_registered = EncodingRegistry::instance().add(
    "sinusoidal",
    {.doc = "sines and cosines added to the embeddings (arXiv:1706.03762)",
     .options = {{.name = "base", .standard = 10000.0, .doc = "longest wavelength / 2 pi, about", .min = 1},
                 {.name = "layout",
                  .standard = std::string("interleaved"),
                  .doc = "the paper's sin, cos pairs; [all sin, all cos]; or tensor2tensor's exponent i / "
                         "(width/2 - 1)",
                  .choices = {"interleaved", "concatenated", "tensor2tensor"}},
                 {.name = "scale_tokens",
                  .standard = true,
                  .doc = "multiply token embeddings by sqrt(width), as the paper"}},
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope&) {
         return std::make_unique<Sinusoidal>(options, shape);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
