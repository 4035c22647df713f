"""Files out of Debian packages that are never installed, and corpora that appear whole or not at all."""

import argparse
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

FAILED = 3  # exit code: data


class Failure(Exception):
    """One clear line for the person who asked."""


class Package:
    """A .deb file: an ar archive of two tar archives, one about the package and one with its files."""

    def __init__(self, path):
        self.path = Path(path)
        self.name = self._field("Package")
        self.version = self._field("Version")

    def read(self, suffix):
        """The one file of the package whose path ends in `suffix`."""
        with self._tar("data") as tar:
            found = [member for member in tar if member.isfile() and member.name.endswith(suffix)]
            if len(found) != 1:
                raise Failure(f"{self.path}: expected one file *{suffix} in it, found {len(found)}")
            return tar.extractfile(found[0]).read()

    def _field(self, name):
        with self._tar("control") as tar:
            member = next((m for m in tar if m.name.lstrip("./") == "control"), None)
            text = tar.extractfile(member).read().decode() if member else ""
        match = re.search(rf"^{name}: *(.+)$", text, re.MULTILINE)
        if not match:
            raise Failure(f"{self.path}: no field {name} in its control file")
        return match.group(1).strip()

    def _tar(self, which):
        try:
            name, content = next((n, c) for n, c in self._members() if n.startswith(which + ".tar"))
        except StopIteration:
            raise Failure(f"{self.path}: not a Debian package: no {which}.tar in it") from None
        if name.endswith(".zst"):  # which the standard library does not read
            content = self._with_dpkg(which)
        try:
            return tarfile.open(fileobj=io.BytesIO(content))
        except (tarfile.TarError, EOFError, OSError) as error:
            raise Failure(f"{self.path}: damaged: {error}") from None

    def _with_dpkg(self, which):
        if not shutil.which("dpkg-deb"):
            raise Failure(f"{self.path}: it is compressed with zstd, and dpkg-deb is not here to read it")
        option = "--fsys-tarfile" if which == "data" else "--ctrl-tarfile"
        return subprocess.run(["dpkg-deb", option, str(self.path)], check=True, stdout=subprocess.PIPE).stdout

    def _members(self):
        try:
            archive = self.path.read_bytes()
        except OSError as error:
            raise Failure(f"cannot read {self.path}: {error.strerror}") from None
        if not archive.startswith(b"!<arch>\n"):
            raise Failure(f"{self.path}: not a Debian package")
        place = 8
        while place + 60 <= len(archive):
            header = archive[place : place + 60]
            size = header[48:58].strip()
            if not size.isdigit() or place + 60 + int(size) > len(archive):
                raise Failure(f"{self.path}: cut off or damaged: it has {len(archive)} bytes")
            place += 60
            yield header[:16].decode("ascii", "replace").rstrip(" /"), archive[place : place + int(size)]
            place += int(size) + int(size) % 2


def obtain(package, supplied, out, scratch):
    """The package: the file that was supplied, else one that lies in `out`, else a download by apt-get."""
    if supplied:
        found = Package(supplied)
    else:
        lying = sorted(out.glob(f"{package}_*.deb"))
        found = Package(lying[-1] if lying else _download(package, out, scratch))
    if found.name != package:
        raise Failure(f"{found.path}: it is the package {found.name}, expected {package}")
    return found


def _download(package, out, scratch):
    supply = (
        f"supply {package}_VERSION_all.deb (from https://packages.debian.org/{package}): put it into {out} and fetch"
        f" again, or run {sys.argv[0]} --out {out} --package FILE"
    )
    if not shutil.which("apt-get"):
        raise Failure(f"apt-get is not here; {supply}")
    print(f"downloading the Debian package {package}", flush=True)
    options = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30"]
    result = subprocess.run(
        ["apt-get", "-q", *options, "download", package],
        cwd=scratch,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    files = sorted(Path(scratch).glob(f"{package}_*.deb"))
    if result.returncode or not files:
        lines = [line for line in result.stdout.splitlines() if line.startswith("E:")] or ["E: no file came"]
        raise Failure(f"apt-get download {package} failed ({lines[0][2:].strip()}); {supply}")
    return files[-1]


def fetch(name, package, make):
    """Runs `make(package, folder)`, which fills `folder`, and puts it in place as OUT/name. Ends the program."""
    parser = argparse.ArgumentParser(description=f"Makes the corpus {name} from the Debian package {package}.")
    parser.add_argument("--out", required=True, type=Path, help="folder of the corpora")
    parser.add_argument("--package", type=Path, metavar="FILE", help=f"a file {package}_*.deb, instead of a download")
    options = parser.parse_args()
    try:
        _fetch(name, package, make, options.out.absolute(), options.package)
    except Failure as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(FAILED)
    except OSError as error:
        print(f"error: {error.filename or options.out}: {error.strerror}", file=sys.stderr)
        sys.exit(FAILED)


def _fetch(name, package, make, out, supplied):
    target = out / name
    if target.exists():
        print(f"{name} is there already: {target}")
        return
    out.mkdir(parents=True, exist_ok=True)
    # Beside the target, so that the last step is one rename; hidden, so that nobody takes it for a corpus.
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=out) as scratch:
        os.chmod(scratch, 0o755)  # apt-get downloads as its own user
        folder = Path(scratch) / name
        folder.mkdir()
        found = obtain(package, supplied, out, scratch)
        note = make(found, folder)
        note["source"] = {"package": found.name, "version": found.version}
        (folder / "corpus.json").write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")
        try:
            folder.rename(target)
        except OSError:
            if not target.exists():
                raise
            print(f"{name} came from somebody else meanwhile: {target}")
            return
    texts = list(target.rglob("*.txt"))
    size = sum(text.stat().st_size for text in texts)
    print(f"{name}: {len(texts)} documents, {size} bytes, from {found.name} {found.version}: {target}")


def write_document(folder, book, number, text):
    """One document of `book`: OUT/book/NN.txt, in UTF-8, with \\n at line ends."""
    (folder / book).mkdir(exist_ok=True)
    (folder / book / f"{number:02}.txt").write_bytes(text.encode("utf-8"))
