#!/usr/bin/python3
"""The fetch scripts against packages that are made here: an independent LZW compressor, R serialiser and ar writer."""

import gzip
import io
import json
import lzma
import os
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zlib
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "data" / "fetch"
NOVELS = [("emma", 55), ("mansfieldpark", 48), ("northangerabbey", 31), ("persuasion", 24), ("prideprejudice", 61),
          ("sensesensibility", 50)]


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo("./" + name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return lzma.compress(out.getvalue())


def deb(name, files):
    control = f"Package: {name}\nVersion: 1.2-3\n".encode()
    archive = b"!<arch>\n"
    for member, content in (("debian-binary", b"2.0\n"), ("control.tar.xz", tar_of({"control": control})),
                            ("data.tar.xz", tar_of(files))):
        archive += f"{member:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content
        archive += b"\n" * (len(content) % 2)
    return archive


def lzw(text):
    """What the Unix program compress writes for one window, without its three bytes of header."""
    table, codes, word = {bytes((i,)): i for i in range(256)}, [], b""
    for i in range(len(text)):
        byte = text[i : i + 1]
        if word + byte in table:
            word += byte
            continue
        codes.append(table[word])
        if len(table) + 1 < 1 << 16:
            table[word + byte] = len(table) + 1  # 256 is the code that clears
        word = byte
    codes.append(table[word])
    known, width, out, group, count = 256, 9, b"", 0, 0  # known: entries that the reader has after each code
    for code in codes:
        group |= code << (count * width)
        count += 1
        known += 1
        widen = known == 1 << width and width < 16
        if count == 8 or widen:
            out += group.to_bytes(width, "little")
            group = count = 0
        width += widen
    return out + group.to_bytes((count * width + 7) // 8, "little")


def bible(lines):
    text = "".join(line + "\n" for line in lines).encode()
    windows = [lzw(text[i : i + 65536]) for i in range(0, len(text), 65536)]
    head = (b"EC02Compressed Data File").ljust(0x54, b"\0") + struct.pack(">2I", 65536, len(windows))
    place = len(head) + 4 * len(windows) + 3
    starts = []
    for window in windows:
        starts.append(place)
        place += len(window)
    return head + struct.pack(f">{len(starts)}I", *starts) + b"\x1f\x9d\x90" + b"".join(windows)


def r_text(text, flags=0x40009):
    return struct.pack(">Ii", flags, len(text)) + text


def r_object(content):
    return b"X\n" + struct.pack(">3i", 3, 0x40201, 0x30500) + struct.pack(">i", 5) + b"UTF-8" + content


def r_named_list(values):
    names = struct.pack(">Ii", 16, len(values)) + b"".join(r_text(name.encode()) for name in values)
    body = struct.pack(">Ii", 531, len(values)) + b"".join(values.values())
    return body + struct.pack(">I", 0x402) + struct.pack(">I", 1) + r_text(b"names") + names + struct.pack(">I", 254)


def austen(chapter_counts):
    database, places = b"", {}
    for name, chapters in chapter_counts:
        lines = [b"TITLE", b"", b"by", b""]
        for number in range(1, chapters + 1):
            if name == "emma" and number in (1, 19):
                lines += [b"VOLUME I", b"", b""]
            lines += [f"Chapter {number}".encode(), b"", f"{name} says {number}.".encode(), b"chapter 5 of it", b""]
        lines += [b"THE END"]
        if name == "persuasion":
            lines += ["£20".encode(), b"A NOTE ON THE TEXT", b"dropped"]
        body = struct.pack(">Ii", 16, len(lines)) + b"".join(r_text(line, 0x8009) for line in lines)
        data = r_object(body)
        packed = struct.pack(">I", len(data)) + zlib.compress(data)
        places[name] = struct.pack(">Ii2i", 13, 2, len(database), len(packed))
        database += packed
    index = r_object(r_named_list({"variables": r_named_list(places), "compressed": struct.pack(">Iii", 10, 1, 1)}))
    folder = "usr/lib/R/site-library/janeaustenr/data/"
    return {folder + "Rdata.rdb": database, folder + "Rdata.rdx": gzip.compress(index)}


def verses():
    lines = ["Holy Bible.  Textfile."]
    for book in range(66):
        for chapter in (1, 2):
            lines += [f"B{chr(65 + book // 26)}{chr(97 + book % 26)}{chapter}:{verse} And it came to pass {verse * book}."
                      for verse in range(1, 31)]
    return lines


GCIDE_WORDS = ["Bed", "Dab", "Elk", "Fen", "Grass", "Lot", "Mite", "Shore", "Tomb", "Vine", "Wing"]  # held out

COT = """Cot \\Cot\\ (k[o^]t), n. [OE. cote, F. c[^o]t['e] [so it is]; akin to
   cot. Cf. {Coat}.]
   1. A small {house} of C[ae]sar; a cottage or hut, wide as the
      line. [Obs.]
      [1913 Webster]

            The sheltered cot,
            The cultivated farm.                  --Goldsmith.
      [1913 Webster +PJC]

   2. [Cf. Ir. cot.] A boat; see {boat[2]}. -- {Co*ta"ble}, adv.
      [Webster 1913 Suppl.] Cotenant
"""
COT_READ = """Cot, n.
1. A small house of Cæsar; a cottage or hut, wide as the line. [Obs.]
The sheltered cot,
The cultivated farm. --Goldsmith.
2. A boat; see boat. -- Cotable, adv.
"""
TENANT = """Cotenant \\Co*ten"ant\\ (k?-t?n"ant), Cotenaunt \\Co*te"nant\\, n. (Law)
   A tenant in common.
   [1913 Webster]
"""
TENANT_READ = "Cotenant, Cotenaunt, n. (Law)\nA tenant in common.\n"


def base64_number(value):
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return (base64_number(value // 64) if value >= 64 else "") + digits[value % 64]


def word(name):
    return f"{name} \\{name}\\, n.\n   What {name} means.\n   [1913 Webster]\n"


def dictionary(entries):
    """Files of the package, from {headword: entry}; the gzip header has an extra field, as dictzip writes it."""
    text, lines = b"\n\n", []
    for name, entry in entries.items():
        data = entry.encode("cp1252")
        lines.append(f"{name.lower()}\t{base64_number(len(text))}\t{base64_number(len(data))}\n")
        text += data + b"\n"
    lines += [line.replace("cot\t", "small house\t") for line in lines if line.startswith("cot\t")]  # the same entry
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = bytes((31, 139, 8, 4, 0, 0, 0, 0, 0, 3)) + struct.pack("<H", 4) + b"RA\0\0"
    packed += squeeze.compress(text) + squeeze.flush() + struct.pack("<2I", zlib.crc32(text), len(text))
    folder = "usr/share/dictd/gcide"
    return {folder + ".dict.dz": packed, folder + ".index": "".join(sorted(lines)).encode()}


def gcide_entries():
    names = sorted({*GCIDE_WORDS, *(chr(65 + i) * 2 for i in range(26))})
    return {"00-database-info": "00-database-info\n   About it.\n", "10": word("10"), "Cot": COT, "Cotenant": TENANT,
            **{name: word(name) for name in names}, "[AE]dile": word("[AE]dile")}


class FetchTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)
        self.out = self.folder / "out"

    def run_script(self, name, content, path="/nonexistent", supplied=True):
        file = (self.folder if supplied else self.out) / {"austen": "r-cran-janeaustenr_1.2-3_all.deb",
                                                          "gcide": "dict-gcide_1.2-3_all.deb",
                                                          "kjv": "bible-kjv-text_1.2-3_all.deb"}[name]
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        command = [sys.executable, str(SCRIPTS / f"{name}.py"), "--out", str(self.out)]
        return subprocess.run(command + (["--package", str(file)] if supplied else []), capture_output=True, text=True,
                              env={**os.environ, "PATH": path})

    def refused(self, name, content, *parts):
        result = self.run_script(name, content)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for part in ("error: ", *parts):
            self.assertIn(part, result.stderr)
        self.assertEqual(list(self.out.iterdir()), [], "something half-made was left")

    def test_austen(self):
        result = self.run_script("austen", deb("r-cran-janeaustenr", austen(NOVELS)))
        self.assertEqual(result.returncode, 0, result.stderr)
        texts = sorted((self.out / "austen").rglob("*.txt"))
        self.assertEqual(len(texts), 269)
        emma = self.out / "austen" / "Emma"
        self.assertEqual((emma / "02.txt").read_text(), "Chapter 2\n\nemma says 2.\nchapter 5 of it\n")
        self.assertEqual((emma / "19.txt").read_text(),
                         "VOLUME I\n\n\nChapter 19\n\nemma says 19.\nchapter 5 of it\n")
        self.assertEqual((emma / "55.txt").read_text(), "Chapter 55\n\nemma says 55.\nchapter 5 of it\n")
        last = (self.out / "austen" / "Persuasion" / "24.txt").read_text(encoding="utf-8")
        self.assertTrue(last.endswith("chapter 5 of it\n\n£20\n"), last)
        note = json.loads((self.out / "austen" / "corpus.json").read_text())
        self.assertEqual((note["valid"], note["test"]), (["Persuasion"], ["Northanger Abbey"]))
        self.assertEqual(note["source"], {"package": "r-cran-janeaustenr", "version": "1.2-3"})
        self.assertEqual([entry.name for entry in self.out.iterdir()], ["austen"])
        again = self.run_script("austen", b"")
        self.assertEqual((again.returncode, "there already" in again.stdout), (0, True))

    def test_kjv(self):
        lines = verses()
        result = self.run_script("kjv", deb("bible-kjv-text", {"usr/lib/bible.data": bible(lines)}), supplied=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        texts = {text.parent.name: text.read_text() for text in (self.out / "kjv").rglob("*.txt")}
        self.assertEqual(len(texts), 66)
        ruth = texts["Ruth"].split("\n")
        self.assertEqual(ruth[:3], ["RUTH", "", "1:1 And it came to pass 7."])
        self.assertEqual(ruth[31:34], ["1:30 And it came to pass 210.", "", "2:1 And it came to pass 7."])
        self.assertEqual(sum(text.count(" And it came") for text in texts.values()), len(lines) - 1)
        note = json.loads((self.out / "kjv" / "corpus.json").read_text())
        self.assertTrue(set(note["valid"] + note["test"]) <= set(texts))
        self.assertFalse(set(note["valid"]) & set(note["test"]))

    def test_gcide(self):
        result = self.run_script("gcide", deb("dict-gcide", dictionary(gcide_entries())))
        self.assertEqual(result.returncode, 0, result.stderr)
        out = self.out / "gcide"
        self.assertEqual((out / "Co" / "01.txt").read_text(encoding="utf-8"), COT_READ + "\n" + TENANT_READ)
        self.assertEqual((out / "0-9" / "01.txt").read_text(), "10, n.\nWhat 10 means.\n")
        self.assertEqual((out / "Ae" / "01.txt").read_text(encoding="utf-8"), "Ædile, n.\nWhat Ædile means.\n")
        self.assertNotIn("About", "".join(text.read_text(encoding="utf-8") for text in out.rglob("*.txt")))
        note = json.loads((out / "corpus.json").read_text())
        self.assertEqual(set(note["valid"] + note["test"]), {name[:2] for name in GCIDE_WORDS})
        self.assertFalse(set(note["valid"]) & set(note["test"]))

    def test_gcide_cuts_long_books_between_entries(self):
        entries = gcide_entries()
        for i in range(3000):
            entries[f"Zz{i:04}"] = word("Zz" + chr(97 + i % 26) * (i % 40))
        result = self.run_script("gcide", deb("dict-gcide", dictionary(entries)))
        self.assertEqual(result.returncode, 0, result.stderr)
        texts = [text.read_text() for text in sorted((self.out / "gcide" / "Zz").iterdir())]
        self.assertEqual(len(texts), round(sum(map(len, texts)) / 32768))
        self.assertLess(max(map(len, texts)) - min(map(len, texts)), 400)
        self.assertEqual("\n".join(texts).count("What Zz"), 3000)
        for text in texts:
            self.assertTrue(text[:2] in ("ZZ", "Zz") and text.endswith(" means.\n"), text[-80:])

    def test_gcide_headings_that_fill_their_line(self):
        sys.path.insert(0, str(SCRIPTS))
        self.addCleanup(sys.path.remove, str(SCRIPTS))
        import gcide
        for end, sense in (("(Feudal Law)", "The sense."), ("(Feudal Law)", "a sense."), ("n.", "The sense."),
                           ("n. [So it is.]", "a sense."), ("n. [So.] (Law)", "(a) The sense.")):
            entry = (word := "W" * (64 - len(end) - 2)) + ", " + end + "\n   " + sense + "\n"
            heading = word + ", " + end.replace(" [So it is.]", "").replace(" [So.]", "")
            self.assertEqual(gcide.reading_text(entry), f"{heading}\n{sense}\n")
        self.assertEqual(gcide.reading_text("Cot \\Cot\\ n.\n   [1913 Webster]\n"), "", "a heading alone")
        did = gcide.reading_text("Did \\Did\\,\n   imp. of {Do}. Didactic\n", "Didactic")
        self.assertEqual(did, "Did,\nimp. of Do.\n")

    def test_bad_dictionaries(self):
        def refused(change, *parts):
            files = dictionary(gcide_entries())
            key = next(key for key in files if key.endswith(change[0]))
            files[key] = change[1](files[key])
            self.refused("gcide", deb("dict-gcide", files), *parts)

        refused((".dz", lambda data: data[:-1]), "cannot be read")
        refused((".dz", lambda data: data[:-9] + bytes((data[-9] ^ 1,)) + data[-8:]), "cannot be read")
        refused((".dz", lambda data: b"no gzip"), "cannot be read")
        refused((".index", lambda data: data + b"more\tA\n"), "cannot be read")
        refused((".index", lambda data: data + b"more\tA\t!\n"), "cannot be read")
        refused((".index", lambda data: data + b"more\tA\t////\n"), "'more'", "ends after")
        without = lambda data: data.replace(b"qq\t", b"00-q\t").replace(b"elk\t", b"00-e\t")  # noqa: E731
        refused((".index", without), "begin with El, Q")
        self.refused("gcide", deb("dict-gcide", {}), "gcide.dict.dz", "found 0")

    def test_bad_packages(self):
        good = deb("bible-kjv-text", {"usr/lib/bible.data": bible(verses())})
        self.refused("kjv", good[: len(good) // 2], "cut off")
        self.refused("kjv", b"", "not a Debian package")
        self.refused("kjv", deb("cat", {}), "is the package cat", "bible-kjv-text")
        self.refused("kjv", deb("bible-kjv-text", {}), "bible.data", "found 0")
        self.refused("kjv", deb("bible-kjv-text", {"usr/lib/bible.data": bible(verses()[:-60])}), "65 books")
        self.refused("kjv", deb("bible-kjv-text", {"usr/lib/bible.data": b"EC02"}), "cannot be read")
        fewer = NOVELS[:-1] + [("sensesensibility", 49)]
        self.refused("austen", deb("r-cran-janeaustenr", austen(fewer)), "Sense and Sensibility has 49 chapters")
        self.refused("austen", deb("r-cran-janeaustenr", austen(NOVELS[:-1])), "cannot be read")
        broken = austen(NOVELS)
        key = next(iter(broken))
        broken[key] = broken[key][:40] + b"\0\0\0\0" + broken[key][44:]
        self.refused("austen", deb("r-cran-janeaustenr", broken), "cannot be read")


if __name__ == "__main__":
    unittest.main()
