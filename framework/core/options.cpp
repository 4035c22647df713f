#include "framework/core/options.h"

#include "framework/core/error.h"

namespace locus {

Options::Options(const std::vector<Option>& declared) {
    for (const Option& option : declared) values_[option.name] = option.standard;
}

void Options::set(const std::string& name, OptionValue value) {
    const auto place = values_.find(name);
    require(place != values_.end(), "options: there is no option '{}'", name);
    require(place->second.index() == value.index(), "options: '{}' is of another type", name);
    place->second = std::move(value);
}

template <typename T>
const T& Options::get(const std::string& name) const {
    const auto place = values_.find(name);
    require(place != values_.end(), "options: there is no option '{}'", name);
    const T* value = std::get_if<T>(&place->second);
    require(value != nullptr, "options: '{}' is of another type", name);
    return *value;
}

bool Options::flag(const std::string& name) const {
    return get<bool>(name);
}
Index Options::integer(const std::string& name) const {
    return get<Index>(name);
}
double Options::number(const std::string& name) const {
    return get<double>(name);
}
const std::string& Options::text(const std::string& name) const {
    return get<std::string>(name);
}
const std::vector<double>& Options::numbers(const std::string& name) const {
    return get<std::vector<double>>(name);
}

}  // namespace locus
