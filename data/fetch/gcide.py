#!/usr/bin/python3
"""The Collaborative International Dictionary of English (GCIDE), from the Debian package dict-gcide, not installed.

It is Webster's Unabridged Dictionary of 1913 with later additions: definitions, notes, and quotations from English
literature. The text lies in gcide.dict.dz (gzip), wrapped and indented for a terminal; gcide.index names each headword
and where its entry begins and how long it is, in digits of base 64. Several headwords may share an entry.

What remains of an entry is its reading text: the headword, its part of speech, and the senses, notes and quotations, a
paragraph or a line of verse each on one line, and an empty line after the entry. Respellings, pronunciations,
etymologies and inflections, which are mostly not English, are left out, and so are the names of the sources, the
braces of cross-references, and entries that hold nothing else.

A book is all headwords that begin with the same two letters, so that a word and what derives from it mostly are on one
side of a split. A document is a run of whole entries of a book in the dictionary's order, of about 32 KiB.
"""

import gzip
import re
import string
import sys
import unicodedata
import zlib

sys.dont_write_bytecode = True

import debian  # noqa: E402

DIGITS = {digit: i for i, digit in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
WIDTH = 64  # columns that the dictionary's lines are filled to
DOCUMENT = 1 << 15  # bytes
VALID = ["Da", "Fe", "Lo", "Sh", "Wi"]
TEST = ["Be", "El", "Gr", "Mi", "To", "Vi"]

# Letters are written in ASCII: [=a] is a with a macron, [a^] with a breve, [^a] with a circumflex, and so on.
BEFORE = {"'": "\u0301", "`": "\u0300", '"': "\u0308", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0323",
          ",": "\u0327", "*": "", "-": ""}
NAMED = {"ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "=ae": "ǣ", "imac": "ī", "aum": "ä", "add": "a", "udd": "u",
         "asl": "a", "eth": "ð", "thorn": "þ", "yogh": "ȝ", "ng": "ng", "th": "th", "oo^": "oo", "=oo": "oo",
         "deg": "°", "sect": "§", "root": "√", "pounds": "£", "frac12": "½", "frac14": "¼", "frac34": "¾", "times": "×",
         "div": "÷", "prime": "′", "middot": "·", "para": "¶", "nbsp": " ", "sharp": "♯", "flat": "♭", "dsdot": "ṣ"}
NAMED.update((name.lower(), unicodedata.lookup(f"GREEK SMALL LETTER {name}"))
             for name in "ALPHA BETA GAMMA DELTA EPSILON ZETA ETA THETA IOTA KAPPA MU NU XI PI RHO SIGMA TAU UPSILON "
                         "PHI CHI PSI OMEGA".split())
NAMED.update({"Delta": "Δ", "Lambda": "Λ", "Sigma": "Σ", "Omega": "Ω", "lambda": "λ"})
LETTER = re.compile(r"\[(" + "|".join(sorted(map(re.escape, NAMED), key=len, reverse=True)) +
                    r"|['`\"^~=.,*-][A-Za-z]|[A-Za-z]\^)\]")

SOURCE = (r"(?:1913 Webster|Webster 1913 Suppl\.?|WordNet(?: [0-9.]+| sense [0-9+& ]+)?"
          r"|Century Dict(?:\.|ionary),? 1906\.?|PJC\.?|AS\.?|RP|RDH|RHUD|[A-Z]{2}[0-9]+|wn[0-9])")
SOURCES = re.compile(rf" *\[ *\+? *{SOURCE}(?: *\+? *{SOURCE})*[^\[\]]{{0,6}}\]")

ETYMOLOGY = re.compile(r"^([0-9]+\.|\([a-z]\)) \[[^\[\]]*\]")  # of one sense
SENSE = re.compile(r"(?<=\w)\[[0-9]+\]")  # the number of a sense that is referred to
REFERENCE = re.compile(r"[{}]+([^{}]*)[{}]*")
RESPELLING = re.compile(r"[*`\"](?=\w)|(?<=\w)[*`\"]")  # syllables and accents
SPACED = re.compile(r" ([,;:.])(?= |$)")
PRONOUNCED = re.compile(r" *\((?:[^()]*[?\"`*\u0080-\uffff]|[-\w', ]*-\w)[^()]*\)")
RESPELLED = re.compile(r"[^\\]*\\[^\\ ]+[^\\]*\\")
WORD = re.compile(r"[^\W\d_]")


def number(digits):
    value = 0
    for digit in digits:
        value = 64 * value + DIGITS[digit]
    return value


def read_entries(text, index):
    """The entries in the dictionary's order, as they are; those about the dictionary itself are left out.

    A few places have no headword, and their text is the rest of the entry before.
    """
    about, places = set(), set()
    for line in index.splitlines():
        headword, begin, size = line.split("\t")[:3]
        place = (number(begin), number(size))
        if sum(place) > len(text):
            raise debian.Failure(f"gcide.index: the entry '{headword}' ends after the {len(text)} bytes of the text")
        (about if headword.startswith("00-") else places).add(place)
    entries = []
    for begin, size in sorted(places - about):
        entry = decode(text[begin : begin + size])
        if "\\" in entry:
            entries.append(re.sub(r"^(?:[ \n].*\n|\n)+(?=\S)", "", entry))
        elif entries:
            entries[-1] += "\n" + entry
    return entries


def decode(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def unwrapped(entry):
    """The entry's lines, with those joined that were only broken because the next word did not fit.

    A full heading is told from the first sense by its end: outside of brackets, a period and then a capital.
    """
    lines, last = [], 0  # last: columns of the line before, 0 where nothing can be joined to it
    for line in entry.split("\n"):
        words = line.split()
        if not words:
            last = 0
            continue
        is_full = last and last + 1 + len(words[0]) > WIDTH
        if is_full and not (len(lines) == 1 and ends_heading(lines[0], words[0])):
            lines[-1] += " " + " ".join(words)
        else:
            lines.append(" ".join(words))
        last = len(line.rstrip())
    return lines


def ends_heading(line, word):
    """Whether a heading ends with `line` and the first sense begins with `word`."""
    if line.count("[") != line.count("]") or line.count("(") != line.count(")"):
        return False
    if re.search(r"\]$|\([A-Z][^()]*\)$", line) and not word.startswith("("):  # an etymology, a field of knowledge
        return True
    return line.endswith((".", ")", "]")) and bool(re.match(r'["A-Z0-9]|\([a-z]\)', word))


def spelled(match):
    code = match.group(1)
    if code in NAMED:
        return NAMED[code]
    letter, mark = (code[1], BEFORE[code[0]]) if code[0] in BEFORE else (code[0], "\u0306")
    return unicodedata.normalize("NFC", letter + mark)


def without_brackets(line):
    """The line without what stands in square brackets, however nested; one that stays open ends with the line."""
    kept, depth = [], 0
    for piece in re.split(r"([\[\]])", line):
        if piece == "[":
            depth += 1
        elif piece == "]":
            depth = max(depth - 1, 0)
        elif not depth:
            kept.append(piece)
    return "".join(kept)


def heading(line):
    """The first line of an entry: headwords and part of speech."""
    return PRONOUNCED.sub("", re.sub(r" *\\[^\\]*\\", " ", without_brackets(line)))


def headword(entry):
    return " ".join(re.split(r"\\|\n", entry, maxsplit=1)[0].split())


def without_next(lines, following):
    """The lines without the next headwords, which may stand at an entry's end, mostly behind its last source."""
    last = max((i for i, line in enumerate(lines) if "]" in line and SOURCES.search(line)), default=None)
    if last is not None:
        place = list(SOURCES.finditer(lines[last]))[-1].end()
        rest = " ".join([lines[last][place:], *lines[last + 1 :]]).strip()
        if rest and len(rest) < WIDTH and not re.search(r"[.,;:?()\"\[\]]", rest):
            return [*lines[:last], lines[last][:place]]
    if following and lines[-1].endswith(". " + following):
        return [*lines[:-1], lines[-1][: -len(following)]]
    return lines


def reading_text(entry, following=""):
    """What is left of an entry for a reader; empty where that is a heading alone. `following`: the next headword."""
    lines = [LETTER.sub(spelled, line) if "[" in line else line for line in unwrapped(entry)]
    lines = [SOURCES.sub("", line) if "]" in line else line for line in without_next(lines, following)]
    lines = [heading(line) if line is lines[0] or RESPELLED.match(line) else line for line in lines]
    first, *rest = [cleaned(line) for line in lines]
    return "".join(line + "\n" for line in [first, *rest] if line) if any(rest) else ""


def cleaned(line):
    """A line of an entry without marks; empty where no words are left."""
    if "[" in line:
        line = ETYMOLOGY.sub(r"\1", line)
        line = SENSE.sub("", line)
    line = REFERENCE.sub(lambda match: RESPELLING.sub("", match.group(1)), line) if "{" in line else line
    line = line.replace(" (?)", "")
    line = SPACED.sub(r"\1", " ".join(line.split()))
    return line if WORD.search(line) and "href=" not in line else ""


def book_of(entry):
    """The first two letters of the headword, without accents; 0-9 where it begins with a digit."""
    name = LETTER.sub(spelled, headword(entry)).lower().replace("æ", "ae").replace("œ", "oe")
    name = re.sub("[^a-z0-9]", "", unicodedata.normalize("NFD", name))
    return "0-9" if not name or name[0].isdigit() else re.sub("[0-9]", "", name)[:2].capitalize()


def books(entries):
    """Book: its reading texts, in the dictionary's order."""
    found = {}
    for entry, following in zip(entries, [headword(entry) for entry in entries[1:]] + [""]):
        text = reading_text(entry, following)
        if text:
            found.setdefault(book_of(entry), []).append(text)
    return found


def documents(texts):
    """The texts in runs of about DOCUMENT bytes, as equal as whole texts allow, with an empty line between two."""
    sizes = [len(text.encode("utf-8")) + 1 for text in texts]
    count = max(1, round(sum(sizes) / DOCUMENT))
    runs, done = [[] for _ in range(count)], 0
    for text, size in zip(texts, sizes):
        runs[(done + size // 2) * count // sum(sizes)].append(text)
        done += size
    return ["\n".join(run) for run in runs if run]


def make(package, folder):
    packed, index = package.read("/dictd/gcide.dict.dz"), package.read("/dictd/gcide.index")
    try:
        found = books(read_entries(gzip.decompress(packed), decode(index)))
    except (OSError, EOFError, zlib.error, KeyError, ValueError) as error:
        raise debian.Failure(f"{package.path}: its text cannot be read: {error!r}") from None
    missing = sorted({*VALID, *TEST} - set(found)) + sorted(set(string.ascii_uppercase) - {book[0] for book in found})
    if missing:
        raise debian.Failure(f"{package.path}: no headwords begin with {', '.join(missing)}: it is not whole")
    for book, texts in found.items():
        for number, text in enumerate(documents(texts), 1):
            debian.write_document(folder, book, number, text)
    return {
        "title": "The Collaborative International Dictionary of English",
        "licence": "GPL version 2 or later; its base, Webster's dictionary of 1913, is in the public domain.",
        "document": "a run of whole entries, about 32 KiB; a book is the headwords with the same first two letters",
        "valid": VALID,
        "test": TEST,
    }


if __name__ == "__main__":
    debian.fetch("gcide", "dict-gcide", make)
