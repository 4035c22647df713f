#!/usr/bin/python3
"""Jane Austen's six novels, from the Debian package r-cran-janeaustenr, which is not installed.

The novels lie in an R lazy-load database. Its index (Rdata.rdx) is a compressed R object that tells where each variable
lies in Rdata.rdb: 4 bytes of length, big-endian, and a zlib stream, which holds an R object in XDR serialisation.

A novel is a book and a chapter is a document. Title pages, advertisements, the closing "THE END" and an editor's note
on the text are left out; the heading of a volume stands with the chapter that it opens.
"""

import re
import struct
import sys
import zlib

sys.dont_write_bytecode = True

import debian  # noqa: E402

NOVELS = {  # variable in the database: title and number of chapters
    "sensesensibility": ("Sense and Sensibility", 50),
    "prideprejudice": ("Pride and Prejudice", 61),
    "mansfieldpark": ("Mansfield Park", 48),
    "emma": ("Emma", 55),
    "northangerabbey": ("Northanger Abbey", 31),
    "persuasion": ("Persuasion", 24),
}


class Reader:
    """As much of R's serialisation (XDR, versions 2 and 3) as vectors of text and whole numbers need."""

    def __init__(self, data):
        self.data = data
        self.place = 0
        self.symbols = []
        if self._take(2) != b"X\n":
            raise debian.Failure("the R object is not in XDR format")
        version, _, _ = self._int(), self._int(), self._int()
        if version == 3:
            self._take(self._int())  # the encoding of the session that wrote it
        elif version != 2:
            raise debian.Failure(f"R serialisation version {version}, expected 2 or 3")

    def item(self):
        flags = self._int()
        kind = flags & 255
        if kind == 254:  # NULL
            return None
        if kind == 255:  # a symbol that was there before
            return self.symbols[(flags >> 8 or self._int()) - 1]
        if kind == 1:  # symbol
            self.symbols.append(self.item())
            return self.symbols[-1]
        if kind == 2:  # pairlist
            return self._pairs(flags)
        if kind == 9:  # one text
            size = self._int()
            return None if size < 0 else self._take(size).decode("latin-1" if flags & (4 << 12) else "utf-8")
        if kind in (10, 13):  # logical, integer
            size = self._int()
            value = list(struct.unpack(f">{size}i", self._take(4 * size)))
        elif kind in (16, 19):  # texts, list
            value = [self.item() for _ in range(self._int())]
        else:
            raise debian.Failure(f"an R object of type {kind} is not expected here")
        names = (self.item() or {}).get("names") if flags & 512 else None
        return dict(zip(names, value)) if names else value

    def _pairs(self, flags):
        pairs = {}
        while flags & 255 == 2:
            if flags & 512:
                self.item()
            tag = self.item() if flags & 1024 else None
            pairs[tag] = self.item()
            flags = self._int()
        return pairs

    def _int(self):
        return struct.unpack(">i", self._take(4))[0]

    def _take(self, size):
        piece = self.data[self.place : self.place + size]
        if size < 0 or len(piece) != size:
            raise debian.Failure("the R object is cut off")
        self.place += size
        return piece


def read_variable(database, place, size):
    """The R object at [place, place + size) of Rdata.rdb."""
    length = struct.unpack(">I", database[place : place + 4])[0]
    data = zlib.decompress(database[place + 4 : place + size])
    if len(data) != length:
        raise debian.Failure(f"an R object has {len(data)} bytes, expected {length}")
    return Reader(data).item()


def chapters(lines):
    """The text of each chapter, from its heading (or that of its volume) to the next."""
    heading = re.compile(r"(CHAPTER|VOLUME) ([IVXLC]+|[0-9]+)", re.IGNORECASE)
    parts, opened = [], False  # opened: a volume's heading is waiting for its chapter
    for line in lines:
        match = heading.fullmatch(line.strip())
        is_volume = bool(match) and match.group(1).upper() == "VOLUME"
        if line.strip() == "A NOTE ON THE TEXT":
            break
        if match and not opened:
            parts.append([])
        if match:
            opened = is_volume
        if parts and line.strip().upper() not in ("THE END", "FINIS"):
            parts[-1].append(line)
    return ["\n".join(part).strip("\n") + "\n" for part in parts]


def make(package, folder):
    database = package.read("/janeaustenr/data/Rdata.rdb")
    index = package.read("/janeaustenr/data/Rdata.rdx")
    try:
        places = Reader(zlib.decompress(index, 32 + 15)).item()["variables"]
        novels = {name: read_variable(database, *places[name]) for name in NOVELS}
    except (zlib.error, struct.error, KeyError, TypeError, UnicodeDecodeError) as error:
        raise debian.Failure(f"{package.path}: its novels cannot be read: {error!r}") from None
    for name, (title, expected) in NOVELS.items():
        found = chapters(novels[name])
        if len(found) != expected:
            raise debian.Failure(f"{package.path}: {title} has {len(found)} chapters, expected {expected}")
        for number, text in enumerate(found, 1):
            debian.write_document(folder, title, number, text)
    return {
        "title": "Jane Austen's six completed novels",
        "licence": "The novels are in the public domain; the R package janeaustenr that carries them is under MIT.",
        "document": "a chapter, from its heading on; title pages and editors' notes are left out",
        "valid": ["Persuasion"],
        "test": ["Northanger Abbey"],
    }


if __name__ == "__main__":
    debian.fetch("austen", "r-cran-janeaustenr", make)
