#!/usr/bin/env python3
"""Holds the #include lines and the links of every room against rooms.toml.

Usage: check_layering.py ROOT [LINKS]

ROOT is the project's folder; LINKS a file with one target a line: its name, its folder, what it links (the build writes
it as links.txt). Prints one line for each violation, and exits with 1 if there is any.
"""

import fnmatch
import pathlib
import re
import sys
import tomllib

SOURCES = {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MPI_HEADER = re.compile(r"^(mpi\.h|mpi-ext\.h|mpicxx\.h)$")
CUDA_HEADER = re.compile(r"^(cuda|nccl|cub/|cooperative_groups|thrust/)")
OPTIONS_HEADER = re.compile(r"^boost/program_options")
OUR_FOLDERS = ("harness/", "kernels/", "reducers/", "tests/", "scenarios/", "ci/")
EVERYBODY_LINKS = {"petri_options"}


class Rooms:
    """The table, and which room a file of the project lies in."""

    def __init__(self, table):
        self.rooms = table["rooms"]
        self.by_folder = {room["folder"]: name for name, room in self.rooms.items()}
        for name, room in self.rooms.items():
            for used in room.get("uses", []):
                if used not in self.rooms:
                    raise SystemExit(f"rooms.toml: {name} uses {used}, which is no room")

    def room_of(self, path):
        for folder in [path, *map(str, pathlib.PurePosixPath(path).parents)]:
            if folder in self.by_folder:
                return self.by_folder[folder]
        return None

    def allows_header(self, user, header):
        owner = self.room_of(header)
        room = self.rooms[user]
        return owner == user or owner in room.get("uses", []) or header in room.get("headers", [])


def include_violations(rooms, root):
    for top in ("harness", "kernels", "reducers"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                yield from file_violations(rooms, root, path.relative_to(root).as_posix())


def file_violations(rooms, root, name):
    user = rooms.room_of(name)
    if user is None:
        yield f"{name}: lies in no room of rooms.toml"
        return
    room = rooms.rooms[user]
    for number, line in enumerate((root / name).read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, header = match.groups()
        where = f"{name}:{number}"
        if MPI_HEADER.match(header) and not room.get("mpi"):
            yield f"{where}: {user} must not include {header}; what needs MPI is a process of its own"
        elif CUDA_HEADER.match(header) and not room.get("cuda"):
            yield f"{where}: {user} must not include {header}"
        elif OPTIONS_HEADER.match(header) and not room.get("boost_options"):
            yield f"{where}: {user} must not include {header}; options are parsed by the command line alone"
        elif quote == '"' and not header.startswith(OUR_FOLDERS):
            yield f"{where}: write the include from the project's root: {header}"
        elif header.startswith(OUR_FOLDERS) and not rooms.allows_header(user, header):
            yield f"{where}: {user} must not use {header}"


def link_violations(rooms, lines):
    """Targets of tests are free: a test may bring rooms together that must not know each other."""
    targets = [line.split() for line in lines if line.strip()]
    owner = {target: rooms.room_of(folder) for target, folder, *_ in targets}
    for target, folder, *links in targets:
        user = owner[target]
        if user is None:
            if folder.startswith(("harness", "kernels", "reducers")):
                yield f"target {target}: its folder {folder} is no room of rooms.toml"
            continue
        room = rooms.rooms[user]
        for link in links:
            if link in EVERYBODY_LINKS or link.startswith("-") or owner.get(link) == user:
                continue
            if owner.get(link) in room.get("uses", []):
                continue
            if owner.get(link) is None and any(fnmatch.fnmatch(link, p) for p in room.get("links", [])):
                continue
            yield f"target {target}: {user} must not link {link}"


def main(arguments):
    if len(arguments) not in (1, 2):
        raise SystemExit(__doc__)
    root = pathlib.Path(arguments[0])
    table = tomllib.loads((pathlib.Path(__file__).parent / "rooms.toml").read_text())
    rooms = Rooms(table)
    violations = list(include_violations(rooms, root))
    if len(arguments) == 2:
        violations += link_violations(rooms, pathlib.Path(arguments[1]).read_text().splitlines())
    for violation in violations:
        print(violation)
    print(f"layering: {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
