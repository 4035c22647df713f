// When, where and by what command a process was started.
#pragma once

#include <string>

namespace locus {

struct ProcessRecord {
    std::string date;     // now, in UTC: 2026-01-31T23:59:59Z
    std::string host;     // name of the machine
    std::string command;  // the words of the command line, quoted for a shell
};

/// What cannot be told is "unknown".
ProcessRecord process_record();

}  // namespace locus
