#!/usr/bin/env python3
"""Each order's hash is the same on every number of processes, and no two orders have the same one.

Usage: folded_test.py --program FOLDED_ORDERS [--mpirun PROGRAM] [--ranks N] [--count N] [--processes P,…] [--limit SECONDS]
"""

import argparse
import subprocess
import sys


def hashes_on(processes, args):
    command = [args.mpirun, "-n", str(processes), args.program, str(args.ranks), str(args.count)]
    done = subprocess.run(command, text=True, capture_output=True, timeout=args.limit, stdin=subprocess.DEVNULL)
    print(f"{processes} processes\n{done.stdout}{done.stderr}", flush=True)
    if done.returncode:
        sys.exit(f"folded_test: {' '.join(command)} ended with {done.returncode}")
    return dict(line.split()[:2] for line in done.stdout.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--count", type=int, default=50000)
    parser.add_argument("--processes", default="1,2,4")
    parser.add_argument("--limit", type=int, default=60)
    args = parser.parse_args()
    found = [hashes_on(int(processes), args) for processes in args.processes.split(",")]
    if len(found[0]) != 3 or len(set(found[0].values())) != 3:
        sys.exit("folded_test: three orders should have three hashes")
    if any(other != found[0] for other in found[1:]):
        sys.exit("folded_test: the hashes differ between numbers of processes")


if __name__ == "__main__":
    main()
