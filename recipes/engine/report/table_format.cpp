#include "recipes/engine/report/table_format.h"

#include "framework/core/error.h"

namespace locus {

TableFormat parse_table_format(const std::string& name) {
    if (name == "md") return TableFormat::markdown;
    if (name == "csv") return TableFormat::csv;
    if (name == "tex") return TableFormat::tex;
    require(name == "json", "table format '{}' is not known; known are: md, csv, tex, json", name);
    return TableFormat::json;
}

std::string text_of(const Table& table, TableFormat format) {
    switch (format) {
        case TableFormat::markdown:
            return markdown_of(table);
        case TableFormat::csv:
            return csv_of(table);
        case TableFormat::tex:
            return tex_of(table);
        case TableFormat::json:
            break;
    }
    return json_of(table);
}

}  // namespace locus
