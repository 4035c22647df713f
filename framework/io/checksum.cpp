#include "framework/io/checksum.h"

#include <xxhash.h>

#include "framework/core/error.h"

namespace locus {

struct Checksum::State {
    XXH3_state_t* hash = XXH3_createState();
    ~State() { XXH3_freeState(hash); }
};

namespace {

/// The digits in the order in which xxhsum prints them.
std::string to_hex(XXH128_hash_t hash) {
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

std::string checksum(std::span<const std::byte> bytes) {
    return to_hex(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string checksum(std::string_view text) {
    return checksum(std::as_bytes(std::span(text)));
}

Checksum::Checksum() : state_(std::make_unique<State>()) {
    XXH3_128bits_reset(state_->hash);
}
Checksum::~Checksum() = default;

void Checksum::add(std::span<const std::byte> bytes) {
    XXH3_128bits_update(state_->hash, bytes.data(), bytes.size());
}

void Checksum::add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    add(std::as_bytes(std::span(text)));
}

void Checksum::add(std::int64_t number) {
    add(std::as_bytes(std::span(&number, 1)));
}

void Checksum::add(std::span<const std::int64_t> numbers) {
    add(static_cast<std::int64_t>(numbers.size()));
    add(std::as_bytes(numbers));
}

std::string Checksum::hex() const {
    return to_hex(XXH3_128bits_digest(state_->hash));
}

}  // namespace locus
