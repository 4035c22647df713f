#!/usr/bin/python3
"""The King James Bible, from the Debian package bible-kjv-text, which is not installed.

The text lies in bible.data: a header, a table of places, and windows of 64 KiB of text, each compressed by LZW as the
Unix program compress does it (codes of 9 to 16 bits), with the dictionary begun anew. A line is "Ge1:1 In the ...".

A Bible book is a book and a document. It begins with its name; each verse is a line, "1:1 In the ...", and an empty
line stands before each chapter.
"""

import re
import struct
import sys

sys.dont_write_bytecode = True

import debian  # noqa: E402

BOOKS = (
    "Genesis,Exodus,Leviticus,Numbers,Deuteronomy,Joshua,Judges,Ruth,1 Samuel,2 Samuel,1 Kings,2 Kings,1 Chronicles,"
    "2 Chronicles,Ezra,Nehemiah,Esther,Job,Psalms,Proverbs,Ecclesiastes,Song of Solomon,Isaiah,Jeremiah,Lamentations,"
    "Ezekiel,Daniel,Hosea,Joel,Amos,Obadiah,Jonah,Micah,Nahum,Habakkuk,Zephaniah,Haggai,Zechariah,Malachi,Matthew,Mark,"
    "Luke,John,Acts,Romans,1 Corinthians,2 Corinthians,Galatians,Ephesians,Philippians,Colossians,1 Thessalonians,"
    "2 Thessalonians,1 Timothy,2 Timothy,Titus,Philemon,Hebrews,James,1 Peter,2 Peter,1 John,2 John,3 John,Jude,"
    "Revelation"
).split(",")

HEADER = 0x54  # magic, version and title stand before the table
CLEAR = 256
WIDEST = 16


def codes(data):
    """LZW codes, as wide as the dictionary that the reader builds meanwhile; eight codes fill a group of bytes."""
    place, width, known = 0, 9, CLEAR
    while place < len(data):
        group = data[place : place + width]
        place += width
        bits = int.from_bytes(group, "little")
        for i in range(len(group) * 8 // width):
            yield bits >> (i * width) & ((1 << width) - 1)
            known += 1
            if known == 1 << width and width < WIDEST:
                width += 1
                break  # the rest of the group is padding


def window(data):
    """The text of one window."""
    table = [bytes((i,)) for i in range(256)] + [b""]
    text, previous = [], b""
    for code in codes(data):
        if code == CLEAR:
            break
        if code > len(table) or (code == len(table) and not previous):
            raise debian.Failure(f"bible.data is damaged: code {code} is not known yet")
        entry = table[code] if code < len(table) else previous + previous[:1]
        if previous and len(table) < 1 << WIDEST:
            table.append(previous + entry[:1])
        text.append(entry)
        previous = entry
    return b"".join(text)


def read_text(data):
    """The lines of the whole text."""
    if data[:2] != b"EC":
        raise debian.Failure("bible.data is not the compressed text that is expected")
    size, count = struct.unpack_from(">2I", data, HEADER)
    starts = list(struct.unpack_from(f">{count}I", data, HEADER + 8)) + [len(data)]
    windows = [window(data[begin:end]) for begin, end in zip(starts, starts[1:])]
    if any(len(text) != size for text in windows[:-1]):
        raise debian.Failure("bible.data is damaged: a window has another size than the table says")
    return b"".join(windows).decode("ascii").splitlines()


def books(lines):
    """The text of each book in order: its name, then its verses."""
    verse = re.compile(r"([0-9]?[A-Za-z]+)([0-9]+):([0-9]+) (.*)")
    texts, last_book, last_chapter = [], None, None
    for line in lines[1:]:  # the first line is a title
        match = verse.fullmatch(line)
        if not match:
            raise debian.Failure(f"bible.data: expected a verse, found '{line[:60]}'")
        book, chapter, number, text = match.groups()
        if book != last_book:
            if len(texts) == len(BOOKS):
                raise debian.Failure(f"bible.data has more than {len(BOOKS)} books")
            texts.append([BOOKS[len(texts)].upper()])
        if (book, chapter) != (last_book, last_chapter):
            texts[-1].append("")
        texts[-1].append(f"{chapter}:{number} {text}")
        last_book, last_chapter = book, chapter
    if len(texts) != len(BOOKS):
        raise debian.Failure(f"bible.data has {len(texts)} books, expected {len(BOOKS)}")
    return ["\n".join(text) + "\n" for text in texts]


def make(package, folder):
    try:
        texts = books(read_text(package.read("/usr/lib/bible.data")))
    except (struct.error, UnicodeDecodeError) as error:
        raise debian.Failure(f"{package.path}: its text cannot be read: {error}") from None
    for number, (book, text) in enumerate(zip(BOOKS, texts), 1):
        debian.write_document(folder, book, number, text)
    return {
        "title": "The Bible, King James Version",
        "licence": "The translation of 1611 is in the public domain (in the United Kingdom under Crown privilege).",
        "document": "a Bible book; a line is a verse",
        # Long books of all kinds that have no near copy elsewhere, as Kings and Chronicles or the Gospels have.
        "valid": ["Job", "Lamentations", "Daniel", "Acts", "Romans", "James"],
        "test": ["Ruth", "Ecclesiastes", "Ezekiel", "Hosea", "Hebrews", "Revelation"],
    }


if __name__ == "__main__":
    debian.fetch("kjv", "bible-kjv-text", make)
