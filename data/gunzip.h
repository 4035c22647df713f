// gzip, whole texts at a time.
#pragma once

#include <string>
#include <string_view>

namespace locus {

/// The content of a gzip file of one or several members. Throws a data Error that begins with `where` when it
/// is not gzip, cut off or damaged.
std::string gunzip(std::string_view compressed, const std::string& where);

}  // namespace locus
