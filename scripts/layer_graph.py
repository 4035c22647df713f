"""What `check_layers.py --graph` prints: rooms, floors, arrows, and where the code is long.

A room is a folder that the rules name. A floor is one above the highest floor that its room includes; the ground
includes nothing. An arrow that the rules forbid carries no floor and is marked.
"""
import re
from collections import Counter, defaultdict

# A definition begins where a line opens a brace behind a parameter list, and ends at the brace of the same indent.
# clang-format writes every function so; a function's first line may stand some lines above the one with the brace.
OPENS = re.compile(r"^( {0,8})(?![ })#/])"
                   r"(?!(?:namespace|struct|class|enum|union|if|for|while|switch|else|do)\b).*[({,].*$")
NAME = re.compile(r"([~\w:]+(?:<[^<>()]*>)?|operator\S+)\s*\(")


def functions(lines):
    """(name, first line from 1, number of lines) of every function of a file, those on one line aside."""
    lines = [re.sub(r"\s+//.*$", "", line) for line in lines]
    at = 0
    while at < len(lines):
        match = OPENS.match(lines[at])
        if not match:
            at += 1
            continue
        indent, begin = match[1], at
        while at < len(lines) and not lines[at].rstrip().endswith((";", "{", "}")):
            at += 1  # the parameters of a long signature
        head = " ".join(line.strip() for line in lines[begin:at + 1])
        if at >= len(lines) or not head.endswith("{") or not re.search(r"\)[^()=]*\{$", head):
            at = max(at, begin) + 1
            continue
        end = next((k for k in range(at + 1, len(lines)) if lines[k].rstrip() in (indent + "}", indent + "};")), None)
        name = NAME.search(head)
        if end is None or name is None:
            at += 1
            continue
        yield name[1], begin + 1, end - begin + 1
        at = end + 1


def arrows_of(files, room_of, includes):
    """{(room, other room): number of includes}; `includes` maps a file to the paths that it includes."""
    arrows = Counter()
    for file in files:
        for included in includes(file):
            here, there = room_of(file), room_of(included)
            if here and there and here != there:
                arrows[here, there] += 1
    return arrows


def floors_of(rooms, arrows):
    """{room: floor from 1}; the arrows must have no circle."""
    below = defaultdict(set)
    for here, there in arrows:
        below[here].add(there)
    floors = {}

    def floor(room):
        if room not in floors:
            floors[room] = 0
            floors[room] = 1 + max((floor(other) for other in below[room]), default=0)
        return floors[room]

    return {room: floor(room) for room in rooms}


def print_graph(texts, rooms, room_of, includes, allows):
    """`texts`: {file: its lines}; `allows(room, other)`: what the rules say."""
    files = defaultdict(list)
    for file in texts:
        files[room_of(file)].append(file)
    arrows = arrows_of(texts, room_of, includes)
    floors = floors_of([room for room in rooms if files[room]], [arrow for arrow in arrows if allows(*arrow)])

    print("floor  room                         files  lines  includes")
    for room, floor in sorted(floors.items(), key=lambda item: (-item[1], item[0])):
        targets = ", ".join(f"{there.rstrip('/')} {count}{'' if allows(here, there) else ' UPWARD'}"
                            for (here, there), count in sorted(arrows.items()) if here == room)
        lines = sum(len(texts[file]) for file in files[room])
        print(f"{floor:>5}  {room.rstrip('/'):<27}  {len(files[room]):>5}  {lines:>5}  {targets or '-'}")
    upward = sum(not allows(*arrow) for arrow in arrows)
    print(f"rooms: {len(floors)}, floors: {max(floors.values(), default=0)}, arrows: {len(arrows)}, upward: {upward}")

    found = sorted(((count, file, first, name) for file, lines in texts.items()
                    for name, first, count in functions(lines)), reverse=True)
    for count, file, first, name in found[:3]:
        print(f"long function: {count} lines, {name}, {file}:{first}")
    for file in sorted(texts, key=lambda file: -len(texts[file]))[:3]:
        print(f"long file: {len(texts[file])} lines, {file}")

    naming = [file for file, lines in texts.items() if any(re.search(r"\bTransformer\b(?!-)", line) for line in lines)]
    per_room = Counter(room_of(file).rstrip("/") for file in naming)
    print(f"files that name Transformer: {len(naming)} (" +
          ", ".join(f"{room} {count}" for room, count in sorted(per_room.items())) + ")")
    for file in naming:
        print(f"    {file}")
