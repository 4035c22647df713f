#include "recipes/engine/identity/measured.h"

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/io/json_file.h"

namespace locus {

using nlohmann::json;

void sign(json& results, const Identity& measured) {
    results["measured"] = to_json(measured);
    // As it will be read: a number that is not finite is null there.
    results = json::parse(results.dump(-1, ' ', false, json::error_handler_t::replace));
    results["checksum"] = content_checksum(results);
}

Identity measured_in(const json& results, const std::string& place) {
    const auto measured = results.find("measured");
    return measured == results.end() ? Identity{} : identity_from(*measured, place + ": 'measured'");
}

void check_signature(const json& results, const Identity& recorded, const std::string& place) {
    const auto checksum = results.find("checksum");
    if (checksum == results.end()) {
        require(!recorded.contains(Thing::parameters), Failure::storage,
                "{}: expected a checksum of its numbers, found none: they are not those of this run", place);
        return;
    }
    const std::string found = content_checksum(results);
    require(*checksum == found, Failure::storage,
            "{}: its numbers were changed after they were measured: their checksum is {}, expected {}", place,
            found, checksum->dump());
    // Under what it was measured stands beside the numbers: only whose they are is asked here.
    Identity run = recorded;
    std::erase_if(run,
                  [](const auto& at) { return at.first != Thing::parameters && at.first != Thing::recipe; });
    admit(run, measured_in(results, place), place + ": measured on another run");
}

}  // namespace locus
