// What a recipe says before it means anything: text, lists and maps, each with the place it came from.
//
// Scalars stay text until the schema asks for a type, so that no YAML rule ever guesses one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

/// Where a value was written: "x.yaml:3" or "command line: train.lr=1e-3".
struct Source {
    std::string place;
    int line = 0;  // from 1; 0: not a line of a file

    std::string text() const;
    /// The folder of the file, in which its relative paths begin; "", the working folder, for any other
    /// place.
    std::string folder() const;
};

struct Entry;

/// A node of a recipe.
struct Value {
    enum class Type { nothing, scalar, list, map };

    Type type = Type::nothing;
    std::string text;            // of a scalar
    std::vector<Value> items;    // of a list
    std::vector<Entry> entries;  // of a map, in the order written
    Source source;
    bool is_number =
        false;  // of a scalar that is written, not read: a number, not a text that looks like one

    static Value scalar(std::string text, Source source = {});
    static Value number(double number);
    static Value number(Index number);
    static Value flag(bool flag);
    static Value list(const std::vector<std::string>& texts);
    static Value list(const std::vector<Index>& numbers);
    static Value list(const std::vector<double>& numbers);
};

struct Entry {
    std::string key;
    Source source;
    Value value;
};

/// Whether `text` holds no line break or other control character.
bool is_one_line(const std::string& text);

/// What keeps `text` from being text: a byte that is not UTF-8, or a control character other than a line
/// break or a tab; nothing where it is sound.
std::optional<std::string> unsound_in(std::string_view text);

/// A short description for messages: '1e-4x', a list, a map, nothing.
std::string describe(const Value& value);

/// Throws the usage error of every wrong value: "x.yaml:3: train.lr: expected a number, found '1e-4x'".
[[noreturn]] void refuse(const Value& value, const std::string& path, const std::string& expected);

/// Reads a finite decimal number in any locale: 1e-4, 1.e-4, .0001, +5; nothing for all else, 1e400 included.
std::optional<double> number_from(std::string_view text);

/// Reads a whole number that Index holds exactly: 128, 4e6, 1.5e3; nothing for all else.
std::optional<Index> integer_from(std::string_view text);

/// Reads true, yes, on and false, no, off, each in lower case, Capitalised or in UPPER case.
std::optional<bool> flag_from(std::string_view text);

/// Whether `c` is an ASCII letter or digit, in any locale.
bool is_word(char c);

/// Writes the shortest text that reads back as the same number.
std::string text_of(double number);
std::string text_of(Index number);

}  // namespace locus
