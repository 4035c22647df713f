#include "recipes/engine/report/table.h"
#include "recipes/engine/report/verify_records.h"

#include <fmt/core.h>

#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"

namespace locus {

namespace {

bool verified(const std::string& folder) {
    const VerifiedRecords found = verify_records(folder);
    for (const std::string& line : found.wrong) tell("{}\n", line);
    tell("--verify: {} records of {} evaluations, {}\n", found.records, found.evaluations,
         found.wrong.empty() ? "all as the results of their items say"
                             : fmt::format("{} contradictions", found.wrong.size()));
    return found.wrong.empty();
}

}  // namespace

int table_command(const Words& words) {
    const Arguments arguments(
        "table DIR [--format md|csv|tex|json]", words,
        {
            {"format", "of the text", "md|csv|tex|json|figures", "md"},
            {"arms", "only these", "A,..."},
            {"verify", "1 where records are not those of the items' results beside them"},
            {"strict", "1 where the arms differ in what the recipe does not declare"},
        });
    if (arguments.help()) return 0;
    const std::string folder = arguments.subject("DIR"), format = arguments.text("format");
    check_table_format(format);
    if (arguments.has("verify") && !verified(folder)) return static_cast<int>(Failure::check);
    const Table table =
        make_table(folder, arguments.has("arms") ? parse_list(arguments.text("arms")) : Words{});
    put("{}", text_of(table, format));
    if (!arguments.has("strict") || table.warning.empty()) return 0;
    tell("--strict: {}\n", table.warning);
    return static_cast<int>(Failure::check);
}

}  // namespace locus
