"""What the libraries of CMake link, held against the rules of check_layers.py."""
import re

LIBRARY = re.compile(r"^\s*locus_(?:library|room)\(\s*(\w+)\s([^)]*)\)", re.MULTILINE)
OTHER_WORDS = ("SOURCES", "EXTERNAL", "PRIVATE", "REGISTERS", "FLOAT")


def libraries_of(root, folders):
    """{name of a library: (its folder, names that it links, file:line)}, from every CMakeLists.txt of the folders."""
    libraries = {}
    for lists in sorted(path for folder in folders for path in (root / folder).rglob("CMakeLists.txt")):
        text = lists.read_text(encoding="utf-8")
        for match in LIBRARY.finditer(text):
            links, taking = [], False
            for word in match[2].split():
                taking = word == "LINKS" or (taking and word not in OTHER_WORDS)
                links += [word] if taking and word != "LINKS" else []
            own = lists.parent / match[1]
            folder = (own if own.is_dir() else lists.parent).relative_to(root).as_posix() + "/"
            line = text.count("\n", 0, match.start(1)) + 1
            libraries[match[1]] = folder, links, f"{lists.relative_to(root).as_posix()}:{line}"
    return libraries


def reached(libraries, name):
    """The folders of a library and of all that it links."""
    todo, seen = [name], set()
    while todo:
        now = todo.pop()
        if now in libraries and now not in seen:
            seen.add(now)
            todo += libraries[now][1]
    return {libraries[one][0] for one in seen}


def link_faults(libraries, room_of, allows, arrows):
    """Violations as text: a link that the rules do not allow, and an include (room, other room) of `arrows` whose
    library is not linked."""
    for name, (folder, links, place) in sorted(libraries.items()):
        for link in links:
            if link not in libraries:
                yield f"{place}: {name} links {link}, which is no library here"
            elif (other := room_of(libraries[link][0])) != room_of(folder) and not allows(room_of(folder), other):
                yield f"{place}: {name} may not link {link}: {room_of(folder)} may not include {other}"
    for here, there in sorted(arrows):
        owners = [name for name, (folder, _, _) in libraries.items() if room_of(folder) == here]
        if owners and not any(there in map(room_of, reached(libraries, name)) for name in owners):
            yield f"{libraries[owners[0]][2]}: {owners[0]} does not link {there}, which its files include"
