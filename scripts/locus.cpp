// The command line of Locus: finds the command, and turns a failure into one line and an exit code.

#include <fmt/core.h>

#include <array>
#include <exception>
#include <filesystem>
#include <new>
#include <string>

#include "framework/core/error.h"
#include "framework/core/simd_target.h"
#include "framework/distributed/launcher.h"
#include "scripts/commands/commands.h"
#include "scripts/commands/output.h"
#include "scripts/commands/printable.h"
#include "scripts/commands/process.h"
#include "scripts/commands/ranks.h"

namespace {

struct Command {
    const char* name;
    int (*run)(const locus::Words& words);
    const char* usage;
    bool over_ranks = false;  // under mpirun all ranks take part; else rank 0 does it alone
};

constexpr std::array commands = {
    Command{"train", locus::train_command, "RECIPE [key=value ...] --out DIR           train one cell", true},
    Command{"run", locus::run_command,
            "RECIPE [key=value ...] --out DIR             every cell of `vary`, then the table", true},
    Command{"eval", locus::eval_command, "RUN [--lengths 64,128] [--protocol NAME]...  loss against length",
            true},
    Command{"table", locus::table_command,
            "DIR [--format md|csv|tex|json]              the comparison table of run folders"},
    Command{"card", locus::card_command,
            "RECIPE|RUN|FILE [key=value ...]              what the encoding resolved to"},
    Command{"verify", locus::verify_command,
            "RUN|RECIPE [key=value ...]                 does every way to run the model agree?", true},
    Command{"sample", locus::sample_command, "RUN --prompt TEXT --tokens N               text from a model"},
    Command{"logits", locus::logits_command,
            "RUN --text TEXT|--file F --out FILE         the logits of a text, in .npy or .h5"},
    Command{"search", locus::search_command,
            "RECIPE [key=value ...] --out DIR            LongRoPE's search for the factors of a trained run",
            true},
    Command{"data", locus::data_command, "fetch NAME | build INPUT... --out FILE | info FILE"},
    Command{"inspect", locus::inspect_command,
            "FILE                                      what a checkpoint or corpus holds"},
    Command{"list", locus::list_command, "encodings|rules|tasks|presets|recipes"},
    Command{"version", locus::version_command, ""},
};

std::string usage() {
    std::string text = "usage: locus COMMAND ...; `locus COMMAND --help` says more\n";
    for (const Command& command : commands) text += fmt::format("  {:<8} {}\n", command.name, command.usage);
    return text;
}

// Of what ranks do not share, rank 0 does all.
bool is_idle_rank(const Command& command, const locus::Words& words) {
    const bool shared = command.over_ranks && locus::is_shared(words);
    return !shared && locus::launch_of_environment().rank > 0;
}

int dispatch(int count, char** words) {
    if (count < 2) {
        locus::tell_text(usage());
        return static_cast<int>(locus::Failure::usage);
    }
    std::string name = words[1];
    locus::Words rest(words + 2, words + count);
    if (name == "--version") name = "version";
    const bool about_a_word = name == "help" && !rest.empty();
    if (about_a_word) {
        name = rest.front();
        rest.erase(rest.begin());
        rest.push_back("--help");
    } else if (name == "--help" || name == "-h" || name == "help") {
        locus::put_text(usage());
        return 0;
    }
    for (const Command& command : commands) {
        if (name != command.name) continue;
        return is_idle_rank(command, rest) ? 0 : command.run(rest);
    }
    locus::fail(locus::Failure::usage, "there is no command '{}'; `locus --help` lists them", name);
}

}  // namespace

int main(int count, char** words) {
    locus::prepare_process();
    try {
        locus::limit_simd_target_by_environment();
        const int code = dispatch(count, words);
        locus::flush_results();
        return code;
    } catch (const locus::Error& error) {
        locus::tell("locus: {}\n", locus::PrintableText().add(error.what()));
        return static_cast<int>(error.kind());
    } catch (const std::bad_alloc&) {
        locus::tell("locus: not enough memory\n");
    } catch (const std::filesystem::filesystem_error& error) {
        locus::tell("locus: {}: {}\n", error.path1().string(), error.code().message());
    } catch (const std::exception& error) {
        locus::tell("locus: unexpected: {}\n", error.what());
    }
    return static_cast<int>(locus::Failure::storage);
}
