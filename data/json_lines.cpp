#include "data/json_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/stop.h"
#include "framework/io/json_file.h"

namespace locus {

using nlohmann::json;

namespace {

std::string fields_of(const json& line) {
    std::string names;
    for (const auto& [key, value] : line.items()) {
        if (names.size() > 80) return names + ", ...";
        names += (names.empty() ? "" : ", ") + key.substr(0, 40);
    }
    return names.empty() ? "none" : names;
}

const std::string& text_field(const json& line, const char* field, const std::string& where) {
    const auto place = line.find(field);
    require(place != line.end(), Failure::data, "{}: expected a string in \"{}\", found none; fields: {}",
            where, field, fields_of(line));
    require(place->is_string(), Failure::data, "{}: expected a string in \"{}\", found {}", where, field,
            place->type_name());
    return place->get_ref<const std::string&>();
}

}  // namespace

void add_json_lines(CorpusBuilder& builder, std::string_view content, const std::string& name,
                    const std::string& book, const std::string& where) {
    Index number = 0;
    if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
    for (std::size_t begin = 0; begin < content.size();) {
        const std::size_t end = std::min(content.find('\n', begin), content.size());
        const std::string_view line = content.substr(begin, end - begin);
        begin = end + 1;
        ++number;
        throw_if_stopped();
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const std::string here = fmt::format("{}:{}", where, number);
        const json value = parse_json(line, here, Failure::data);
        require(value.is_object(), Failure::data, "{}: expected a JSON object, found {}", here,
                value.type_name());
        const std::string document = fmt::format("{}:{}", name, number);
        const std::string& text = text_field(value, "text", here);
        if (text.empty()) {
            builder.intake().leave_out("an empty text", document, line.size());
            continue;
        }
        const std::string own = value.contains("book") ? text_field(value, "book", here) : book;
        builder.add(document, own.empty() ? document : own, text, here);
    }
}

}  // namespace locus
