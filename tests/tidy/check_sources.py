#!/usr/bin/env python3
"""Holds the project's files against its bounds: lines of a file, lines of a function, and no path of one machine.

Usage: check_sources.py ROOT

Function lengths come from counting braces after comments and literals are blanked: good enough for this tree's style,
and without a compiler. Prints one line for each violation, and exits with 1 if there is any.
"""

import pathlib
import re
import sys

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 70
CODE = {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh"}
SCRIPTS = {".py", ".cmake", ".sh", ".txt", ".toml", ".json", ".md", ".jsonl"}
SKIPPED_FOLDERS = {".git", "build", ".cache", "__pycache__"}
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:work|root|home/\w+|Users/\w+)/\w")
BLANKED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""", re.S)
NO_FUNCTION = re.compile(r"\b(?:namespace|class|struct|union|enum|if|for|while|switch|catch|extern)\b|=\s*$")


def blanked(text):
    """The text with comments and literals replaced by blanks; line breaks stay."""
    return BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def functions(text):
    """Yields (first line, number of lines) of each function body that lies directly in a namespace or class."""
    text = blanked(text)
    open_blocks = []  # for each open brace: is it a function's?, and its line
    head_start = 0
    line = 1
    for position, char in enumerate(text):
        if char == "\n":
            line += 1
        elif char == "{":
            head = text[head_start:position]
            inside = any(is_function for is_function, _ in open_blocks)
            is_function = not inside and "(" in head and not NO_FUNCTION.search(head)
            open_blocks.append((is_function, line))
            head_start = position + 1
        elif char == "}" and open_blocks:
            is_function, first = open_blocks.pop()
            if is_function:
                yield first, line - first + 1
            head_start = position + 1
        elif char == ";":
            head_start = position + 1


def violations_in(name, text):
    lines = text.count("\n")
    if lines > MAX_FILE_LINES and not name.endswith((".jsonl", "LICENSE")):
        yield f"{name}: {lines} lines, more than {MAX_FILE_LINES}"
    if pathlib.PurePosixPath(name).suffix in CODE:
        for first, length in functions(text):
            if length > MAX_FUNCTION_LINES:
                yield f"{name}:{first}: a function of {length} lines, more than {MAX_FUNCTION_LINES}"
    for number, line in enumerate(text.splitlines(), 1):
        if MACHINE_PATH.search(line):
            yield f"{name}:{number}: speaks of a path of one machine"


def is_checked(path):
    return path.is_file() and (path.suffix in CODE | SCRIPTS or path.suffix == "")


def main(arguments):
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    root = pathlib.Path(arguments[0])
    violations = []
    checked = 0
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if SKIPPED_FOLDERS.intersection(relative.parts) or not is_checked(path):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue  # a binary fixture
        checked += 1
        violations += violations_in(relative.as_posix(), text)
    for violation in violations:
        print(violation)
    print(f"sources: {checked} files, {len(violations)} violations")
    return 1 if violations or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
