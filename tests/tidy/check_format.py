#!/usr/bin/env python3
"""Fails where clang-format would change a source. Usage: check_format.py ROOT CLANG_FORMAT"""

import pathlib
import subprocess
import sys

FOLDERS = ("harness", "kernels", "reducers", "scenarios", "tests")
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh"}


def main(root, clang_format):
    files = sorted(path for folder in FOLDERS for path in (pathlib.Path(root) / folder).rglob("*") if path.suffix in SUFFIXES)
    if not files:
        raise SystemExit(f"no sources below {root}")
    checked = subprocess.run([clang_format, "--dry-run", "-Werror", "--ferror-limit=1", *files], check=False)
    print(f"format: {len(files)} files; mend with {clang_format} -i")
    return checked.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
