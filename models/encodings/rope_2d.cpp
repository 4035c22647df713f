// Axial rotation by row and column: half of the pairs of a head turn by one, half by the other (EVA-02,
// arXiv:2303.11331; RoPE-ViT, arXiv:2403.13298).

#include "models/rotary.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// Each axis has half a head of its own: the frequencies are those of a head of d / 2, base^(-4i/d).
Index axial_width(const EncodingShape& shape) {
    require(
        shape.head_dim % 4 == 0,
        "encoding rope_2d: expected a head width that 4 divides (two axes of pairs), found {} (model.width "
        "{} / {} heads)",
        shape.head_dim, shape.width, shape.heads);
    return shape.head_dim / 2;
}

// How far a cell counts where the grid is not the one that was trained on: pt_seq_len / ft_seq_len.
double cell_step(Index pt_seq_len, Index ft_seq_len) {
    require(pt_seq_len > 0 || ft_seq_len == 0,
            "encoding rope_2d: ft_seq_len {} needs pt_seq_len, the side of the grid that was trained on; "
            "found {}",
            ft_seq_len, pt_seq_len);
    if (ft_seq_len == 0) return 1;
    return static_cast<double>(pt_seq_len) / static_cast<double>(ft_seq_len);
}

class Rope2d : public RotaryEncoding {
  public:
    Rope2d(const Options& options, const EncodingShape& shape)
        : RotaryEncoding("rope_2d", options, axial_width(shape), shape.train_length),
          row_first_(options.text("axis_order") == "row_first"),
          step_(cell_step(options.integer("pt_seq_len"), options.integer("ft_seq_len"))) {}

    void describe(EncodingCard& card, const CardRequest& request) const override {
        RotaryEncoding::describe(card, request);
        card.conventions["axes"] = row_first_
                                       ? "0: row, 1: column; the first half of the pairs turns by the row"
                                       : "0: row, 1: column; the first half of the pairs turns by the column";
        card.conventions["denominator of the exponent"] = "half the head width, an axis's own";
        card.conventions["a cell counts as"] = fmt::format("{} positions (pt_seq_len / ft_seq_len)", step_);
        card.conventions["positions of the card"] = "p stands for row p, column p";
        card.conventions["token without a position"] = "not turned";
    }

  private:
    RotaryPairs pairs_at(Index length) const override {
        const Frequencies frequencies = frequencies_at(length);
        RotaryPairs pairs;
        for (Index half : {0, 1}) {
            for (double inverse : frequencies.inverse) {
                pairs.inverse.push_back(step_ * inverse);
                pairs.axis.push_back(row_first_ ? half : 1 - half);
            }
        }
        return pairs;
    }

    bool row_first_;
    double step_;
};

const bool rope_2d_registered = EncodingRegistry::instance().add(
    "rope_2d",
    {.doc =
         "axial rotation by row and column of a grid (EVA-02, arXiv:2303.11331; RoPE-ViT, arXiv:2403.13298)",
     .options =
         {{.name = "base",
           .standard = 100.0,
           .doc = "rope_theta: 100 in RoPE-ViT, 10000 in EVA-02",
           .min = 1},
          {.name = "axis_order",
           .standard = std::string("column_first"),
           .doc = "which axis turns the first half of the pairs: the column (RoPE-ViT) or the row (EVA-02)",
           .choices = {"column_first", "row_first"}},
          {.name = "pt_seq_len",
           .standard = Index{0},
           .doc = "side of the grid that was trained on (EVA-02); 0: positions count as they are",
           .min = 0},
          {.name = "ft_seq_len",
           .standard = Index{0},
           .doc = "side of the grid now: positions are multiplied by pt_seq_len / ft_seq_len; 0: "
                  "pt_seq_len",
           .min = 0},
          pairing_option("interleaved")},
     .axes = {2},
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope&) {
         return std::make_unique<Rope2d>(options, shape);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
