#include "data/locate.h"

#include <cstdlib>
#include <system_error>
#include <vector>

#include "data/fetch.h"
#include "framework/core/error.h"

namespace locus {

namespace fs = std::filesystem;

fs::path data_folder() {
    const char* chosen = std::getenv("LOCUS_DATA");
    if (chosen && *chosen) return chosen;
    const char* home = std::getenv("HOME");
    require(home && *home, Failure::data,
            "neither LOCUS_DATA nor HOME is set: where do fetched corpora lie?");
    return fs::path(home) / ".cache" / "locus";
}

fs::path locate(const std::string& name, const fs::path& folder) {
    std::vector<fs::path> candidates;
    if (name.find('/') == std::string::npos && name != "." && name != "..") {
        candidates = {data_folder() / name, data_folder() / (name + ".h5")};
    }
    candidates.push_back(folder / name);
    std::string listing;
    for (const fs::path& place : candidates) {
        std::error_code code;
        const auto kind = fs::status(place, code).type();
        if (kind != fs::file_type::not_found && kind != fs::file_type::none) return place;
        // In the folder of corpora, what cannot be looked at is not there.
        require(kind == fs::file_type::not_found || &place != &candidates.back(), Failure::data,
                "cannot read {}: {}", place.string(), code.message());
        listing += (listing.empty() ? "" : ", ") + place.string();
    }
    std::string known;
    for (const std::string& corpus : fetchable()) {
        if (corpus == name) {
            fail(Failure::data, "corpus '{}' is not here; get it with: locus data fetch {}; looked for {}",
                 name, name, listing);
        }
        known += (known.empty() ? "" : ", ") + corpus;
    }
    fail(Failure::data, "corpus '{}' is not here; looked for {}; `locus data fetch NAME` gets {}", name,
         listing, known);
}

}  // namespace locus
