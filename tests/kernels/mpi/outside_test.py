#!/usr/bin/env python3
"""A project of somebody else that uses the reproducible sums: installs them alone, builds outside/ against them, runs it.

Usage: outside_test.py --build FOLDER [--cmake PROGRAM] [--mpirun PROGRAM]

FOLDER is a build folder of petri, with the library petri_reproducible built.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 60
# 333 ones between 1e20 and -1e20; two ranks of four whose ones stand between 1e10 and -1e10.
EXPECTED = {2: "0x1.4dp+8 0x0p+0", 4: "0x1.4dp+8 0x1p+1"}


def run(*command):
    command = [str(word) for word in command]
    done = subprocess.run(command, text=True, capture_output=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"outside_test: {' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--mpirun", default="mpirun")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="petri_outside_") as scratch:
        prefix = pathlib.Path(scratch) / "my libraries"  # a name with a space, as users have them
        build = pathlib.Path(scratch) / "build"
        run(args.cmake, "--install", args.build, "--prefix", prefix, "--component", "reproducible")
        run(args.cmake, "-S", HERE / "outside", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
        run(args.cmake, "--build", build)
        for ranks, expected in EXPECTED.items():
            printed = run(args.mpirun, "-n", ranks, build / "sums").strip()
            print(f"{ranks} ranks: {printed}")
            if printed != expected:
                sys.exit(f"outside_test: expected {expected}")


if __name__ == "__main__":
    main()
