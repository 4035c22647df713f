#include "recipes/engine/report/table_format.h"

#include "recipes/engine/report/table_words.h"

namespace locus {

void check_table_format(const std::string& name) {
    require(TableFormats::instance().contains(name), "table format '{}' is not known; known are: {}", name,
            joined_words(TableFormats::instance().names()));
}

std::string text_of(const Table& table, const std::string& format) {
    check_table_format(format);
    return TableFormats::instance().at(format).text(table);
}

}  // namespace locus
