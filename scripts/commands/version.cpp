#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/io/machine.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"

namespace locus {

int version_command(const Words& words) {
    const Arguments arguments("version", words, {{"json", "one JSON document"}});
    if (arguments.help()) return 0;
    require(arguments.plain().empty(), "version: takes no words, found '{}'",
            arguments.plain().empty() ? "" : arguments.plain().front());
    nlohmann::json about = machine_manifest();
    about["version"] = LOCUS_VERSION;
    if (arguments.has("json")) {
        put("{}\n", about.dump(2));
        return 0;
    }
    put("locus {}\n", LOCUS_VERSION);
    for (const auto& [key, value] : about.items()) {
        if (key != "version")
            put("  {}: {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return 0;
}

}  // namespace locus
