#include "recipes/engine/report/table.h"

#include <fmt/core.h>

#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"

namespace locus {

int table_command(const Words& words) {
    const Arguments arguments("table DIR [--format md|csv|tex|json]", words,
                              {
                                  {"format", "of the text", "md|csv|tex|json", "md"},
                              });
    if (arguments.help()) return 0;
    const TableFormat format = parse_table_format(arguments.text("format"));
    put("{}", text_of(make_table(arguments.subject("DIR")), format));
    return 0;
}

}  // namespace locus
