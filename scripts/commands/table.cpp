#include "recipes/engine/report/table.h"

#include <fmt/core.h>

#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"

namespace locus {

int table_command(const Words& words) {
    const Arguments arguments("table DIR [--format md|csv|tex|json]", words,
                              {
                                  {"format", "of the text", "md|csv|tex|json", "md"},
                                  {"strict", "1 where the arms differ in what the recipe does not declare"},
                              });
    if (arguments.help()) return 0;
    const TableFormat format = parse_table_format(arguments.text("format"));
    const Table table = make_table(arguments.subject("DIR"));
    put("{}", text_of(table, format));
    if (!arguments.has("strict") || table.warning.empty()) return 0;
    tell("--strict: {}\n", table.warning);
    return static_cast<int>(Failure::check);
}

}  // namespace locus
