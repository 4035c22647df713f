// The logits of a text, for other programs.
#include <fmt/core.h>

#include <filesystem>

#include "data/tokenizer.h"
#include "framework/core/arena.h"
#include "framework/io/atomic_file.h"
#include "framework/io/hdf5.h"
#include "models/padding.h"
#include "recipes/engine/run/manifest.h"
#include "recipes/engine/run/train_run.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"
#include "scripts/commands/result_file.h"

namespace locus {

namespace {

enum class LogitsFormat { npy, hdf5 };

LogitsFormat format_of(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    require(ending == ".npy" || ending == ".h5" || ending == ".hdf5",
            "--out: expected a name that ends with .npy, .h5 or .hdf5, found '{}'", path);
    return ending == ".npy" ? LogitsFormat::npy : LogitsFormat::hdf5;
}

std::string text_of(const Arguments& arguments) {
    require(arguments.has("text") != arguments.has("file"), "logits: expected --text or --file, found {}",
            arguments.has("text") ? "both" : "neither");
    return arguments.has("text") ? arguments.needed("text")
                                 : read_file(arguments.needed("file"), Failure::data);
}

// [tokens, vocabulary], of positions 0, 1, ...; the frequencies are those of `length` tokens, 0: of the
// text's.
Tensor logits_of(const Transformer& model, const std::vector<Token>& tokens, Index length) {
    const Recording no_tape(nullptr);
    return model.logits(left_padded({tokens}, model.axes()), {.frequency_length = length}).value();
}

// The format of NumPy, version 1.0: a header in Python's words, then the numbers.
void write_npy(const std::string& path, Index rows, Index columns, std::span<const float> values) {
    std::string header =
        fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
    constexpr std::size_t before = 10, block = 64;  // bytes in front of the header; it ends a block
    header.resize((before + header.size() + 1 + block - 1) / block * block - before - 1, ' ');
    header += '\n';
    std::string start = "\x93NUMPY";
    start += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    start += header;
    write_file_atomically(path, {std::as_bytes(std::span(start)), std::as_bytes(values)}, Failure::storage);
}

void write_hdf5(const std::string& path, const OpenedRun& run, const std::vector<Token>& tokens,
                Index columns, std::span<const float> values) {
    const Index shape[] = {static_cast<Index>(tokens.size()), columns};
    Hdf5File file = Hdf5File::create(path, Failure::storage);
    file.write("tokens", tokens);
    file.write("logits", std::span<const Index>(shape), values);
    file.set_attribute("/", "tokenizer", run.recipe.data.tokenizer);
    file.set_attribute("/", "step", run.step);
    file.set_attribute("/", "parameters_hash", parameters_hash(*run.model));
    file.commit();
}

}  // namespace

int logits_command(const Words& words) {
    const Arguments arguments("logits RUN --text TEXT|--file F --out FILE", words,
                              {
                                  {"text", "the text", "TEXT"},
                                  {"file", "or a file that holds it", "F"},
                                  {"out", "FILE.npy, [tokens, vocabulary] in float32, or FILE.h5", "FILE"},
                                  {"length", "whose frequencies are used (default: the text's)", "N"},
                              });
    if (arguments.help()) return 0;
    const std::string folder = arguments.subject("RUN"), out = arguments.needed("out");
    const LogitsFormat format = format_of(out);
    check_result_file("--out", out, format == LogitsFormat::npy ? ResultFile::npy : ResultFile::logits);
    const std::string text = text_of(arguments);
    const Index length = arguments.has("length") ? parse_count(arguments.text("length"), "--length", 1) : 0;
    const OpenedRun run = open_run(folder);
    for (const std::string& warning : run.warnings) tell("{}\n", warning);
    const std::vector<Token> tokens = make_tokenizer(run.recipe.data.tokenizer)->encode(text);
    require(!tokens.empty(), "logits: the text has no token");
    const auto count = static_cast<Index>(tokens.size());
    const Index holds = run.model->encoding().longest().value_or(count);
    require(count <= holds, "logits: the text has {} tokens, but the encoding holds {} positions", count,
            holds);

    const Tensor logits = logits_of(*run.model, tokens, length);
    const Index columns = run.model->options().vocabulary;
    const std::span<const float> values(logits.data(), static_cast<std::size_t>(count * columns));
    if (format == LogitsFormat::npy)
        write_npy(out, count, columns, values);
    else
        write_hdf5(out, run, tokens, columns, values);
    tell("{}: logits of {} tokens x {}\n", out, count, columns);
    return 0;
}

}  // namespace locus
