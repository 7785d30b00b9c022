#!/usr/bin/env python3
"""Takes one failing program and its legal twin through every stage: record, diagnose, shrink, replay.

The failing one must end each stage with its verdict's exit status, blame the right ranks, and keep its signature while it
shrinks. The twin, which is the same program with --fixed, must end each stage with 0.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

EXIT_STATUS = {"completes": 0, "deadlock": 10, "mismatch": 11, "divergence": 12, "race": 13, "rank-error": 14}
STAGE_LIMIT_S = 60


class Failure(Exception):
    pass


def run(command, expected, folder):
    """Runs one stage in a process group of its own, with a hard limit; returns its output."""
    name = " ".join(map(str, command))
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=STAGE_LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        output, _ = process.communicate(timeout=10)
        raise Failure(f"{name}\n{output}\nran into the limit of {STAGE_LIMIT_S} s") from None
    print(f"--- {name}: {process.returncode}\n{output}", flush=True)
    if process.returncode != expected:
        raise Failure(f"{name}: exit status {process.returncode} instead of {expected}")
    return output


def header_of(scenario):
    with open(scenario, encoding="utf-8") as lines:
        return json.loads(next(lines))


def expect(condition, text):
    if not condition:
        raise Failure(text)


def through_all_stages(options, folder):
    petri, status = options.petri, EXIT_STATUS[options.verdict]
    command = ["mpirun", "-np", str(options.ranks), options.program]
    run([petri, "record", "-o", "failed.jsonl", "--", *command], status, folder)
    found = json.loads(run([petri, "diagnose", "--json", "failed.jsonl"], status, folder))
    expect(found["verdict"] == options.verdict, f"verdict {found['verdict']}")
    expect(found["findings"], "no finding")
    culprits = found["findings"][0]["culprits"]
    if options.culprits is not None:
        expect(culprits == options.culprits, f"blames {culprits} instead of {options.culprits}")

    if options.culprit_line is not None:
        expect(options.culprit_line in found["findings"][0]["actual"],
               f"{found['findings'][0]['actual']} instead of {options.culprit_line}")

    run([petri, "shrink", "failed.jsonl", "-o", "small.jsonl"], 0, folder)
    small = json.loads(run([petri, "diagnose", "--json", "small.jsonl"], status, folder))
    expect(small["signature"] == found["signature"], f"signature {small['signature']} was {found['signature']}")
    world = header_of(folder / "small.jsonl")["world"]
    if options.shrunk_ranks is not None:
        expect(world == options.shrunk_ranks, f"shrunk to {world} ranks instead of {options.shrunk_ranks}")
    run([petri, "replay", *options.replay_options, "small.jsonl"], status, folder)


def twin_through_all_stages(options, folder):
    command = ["mpirun", "-np", str(options.ranks), options.program, "--fixed"]
    run([options.petri, "record", "-o", "fixed.jsonl", "--", *command], 0, folder)
    run([options.petri, "diagnose", "fixed.jsonl"], 0, folder)
    run([options.petri, "replay", *options.replay_options, "fixed.jsonl"], 0, folder)


def marked_line(text):
    """FILE:MARK as the call site that findings name: the file's name and the line with that mark."""
    file, mark = text.split(":", 1)
    lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    [number] = [number for number, line in enumerate(lines, 1) if mark in line]
    return f"{pathlib.Path(file).name}:{number}"


def parsed_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--petri", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--verdict", choices=EXIT_STATUS, required=True)
    parser.add_argument("--culprits", type=lambda text: [int(rank) for rank in text.split(",")])
    parser.add_argument("--culprit-line", type=marked_line, metavar="FILE:MARK",
                        help="the first finding must say that the culprits were at the line of FILE with MARK")
    parser.add_argument("--shrunk-ranks", type=int)
    parser.add_argument("--replay-option", dest="replay_options", action="append", default=[],
                        help="given to petri replay; may be repeated")
    return parser.parse_args()


def main():
    options = parsed_options()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            through_all_stages(options, folder)
            twin_through_all_stages(options, folder)
        except Failure as failure:
            print(f"FAILED: {failure}")
            return 1
    print("all stages are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
