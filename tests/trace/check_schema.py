"""Checks scenario files against the JSON Schema of a line: check_schema.py SCHEMA FILE-OR-FOLDER…

Exits 77 (skipped) where the Python package jsonschema is missing.
"""

import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is missing (Debian: python3-jsonschema)")
    sys.exit(77)

# Each breaks one rule, so that a schema that lets everything through is noticed.
BAD_LINES = [
    '{"petri":2,"world":4}',
    '{"petri":1}',
    '{"petri":1,"world":0}',
    '{"comm":"a","ranks":[]}',
    '{"comm":"a","ranks":[1,1]}',
    '{"comm":"world","ranks":[1]}',
    '{"rank":0}',
    '{"rank":0,"op":"allredcue"}',
    '{"rank":0,"op":"bcast","count":-1}',
    '{"rank":0,"op":"bcast","cuont":1}',
    '{"rank":0,"op":"recv","peer":1,"tag":"all"}',
    '{"rank":0,"op":"recv"}',
    '{"rank":0,"op":"sendrecv","sendpeer":1}',
    '{"rank":0,"op":"barrier","win":"w"}',
    '{"rank":0,"op":"allreduce","root":0}',
    '{"rank":0,"op":"put","win":"w","target":1,"lock":"shared"}',
    '{"rank":0,"op":"put","win":"w"}',
    '{"rank":0,"op":"win_fence","win":"w","assert":"nosuceed"}',
    '{"rank":0,"op":"win_fence","win":"w","assert":"noput,"}',
    '{"rank":0,"op":"file_open","file":"f","mode":"write"}',
    '{"rank":0,"op":"bcast","dtype":"double"}',
    '{"rank":0,"op":"bcast","in":{"mean":1}}',
    '{"rank":0,"end":"done"}',
    '{"end":false}',
]


def scenario_files(paths):
    for path in map(pathlib.Path, paths):
        yield from sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    problems = [f"accepted: {line}" for line in BAD_LINES if validator.is_valid(json.loads(line))]
    lines = 0
    for file in scenario_files(sys.argv[2:]):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            lines += 1
            problems += [f"{file}:{number}: {error.message[:200]}" for error in validator.iter_errors(json.loads(line))]
    print(*problems, sep="\n")
    print(f"{lines} lines, {len(problems)} problems")
    return 1 if problems or lines == 0 else 0


sys.exit(main())
