#pragma once

#include "scripts/commands/commands.h"

namespace locus {

/// `locus data show`: prints items of a task as a person reads them.
int show_task(const Words& words);

}  // namespace locus
