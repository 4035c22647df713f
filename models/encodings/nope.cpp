// No positional encoding: the causal mask alone tells where a token is (arXiv:2203.16634, arXiv:2305.19466).

#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

class Nope : public PositionalEncoding {
  public:
    PositionTerms terms(const Positions&, const Positions&, const Context&) const override { return {}; }
    void describe(EncodingCard&, const CardRequest&) const override {}
};

const bool nope_registered = EncodingRegistry::instance().add(
    no_encoding, {.doc = "nothing: position from the causal mask only (arXiv:2305.19466)",
                  .options = {},
                  .axes = {1, 2, 3},
                  .reads_positions = false,
                  .make = [](const Options&, const EncodingShape&, const ParameterScope&) {
                      return std::make_unique<Nope>();
                  }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
