#include "data/tokenizer.h"

#include "framework/io/checksum.h"

namespace locus {

std::string TokenizerIdentity::hash() const {
    Checksum sum;
    sum.add(kind);
    sum.add(bytes);
    return sum.hex();
}

std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerIdentity& identity) {
    const TokenizerRegistry& known = TokenizerRegistry::instance();
    require(known.contains(identity.kind), "tokenizer {}", known.unknown(identity.kind));
    return known.at(identity.kind).make(identity.bytes);
}

std::unique_ptr<Tokenizer> make_tokenizer(const std::string& kind) {
    return make_tokenizer(TokenizerIdentity{kind});
}

}  // namespace locus
