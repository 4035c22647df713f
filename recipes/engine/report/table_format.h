// The formats of a table: one file each in formats/, which registers itself.
#pragma once

#include <string>

#include "framework/core/registry.h"
#include "recipes/engine/report/table.h"

namespace locus {

struct TableFormat {
    std::string doc;
    std::string (*text)(const Table&) = nullptr;
    bool kept = true;  // written beside the run folders after `locus run`
};

using TableFormats = Registry<TableFormat>;

}  // namespace locus
