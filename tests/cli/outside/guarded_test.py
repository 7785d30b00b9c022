#!/usr/bin/env python3
"""A project of somebody else, from the bug to the guard: installs petri, and takes a copy of outside/guarded through
the life of its two reproducers.

Usage: guarded_test.py --build FOLDER [--cmake PROGRAM] [--keep FOLDER]

FOLDER is a build folder of petri. The copy finds the installed petri by find_package. Shown are, by petri check, by CTest
and in JUnit files: the guards fail before the fix, pass after it, fail again when it is reverted; and that record, shrink
and check --add make these reproducers from the programs with their bugs.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 120
# Program and arguments at full size, ranks there, the reproducer's folder, and the arguments at its own size.
BUGS = [("bar", ["--rows", "9"], 8, "empty-share", ["--rows", "1"]),
        ("norm", ["--max"], 6, "options-on-one-rank", ["--max"])]


class Project:
    def __init__(self, args, top):
        self.cmake = args.cmake
        self.ctest = str(pathlib.Path(args.cmake).with_name("ctest")) if "/" in args.cmake else "ctest"
        self.prefix = top / "my applications"
        self.sources = top / "my project"  # a name with a space, as users have them
        self.build = top / "build"
        self.petri = str(self.prefix / "bin" / "petri")
        self.run([args.cmake, "--install", args.build, "--prefix", self.prefix])
        shutil.copytree(HERE / "guarded", self.sources)

    def run(self, command, status=0, **more):
        command = [str(word) for word in command]
        done = subprocess.run(command, text=True, capture_output=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL, **more)
        if done.returncode != status:
            fail(f"{' '.join(command)} ended with {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
        return done.stdout

    def configure(self):
        self.run([self.cmake, "-S", self.sources, "-B", self.build, f"-DCMAKE_PREFIX_PATH={self.prefix}"])

    def make(self):
        self.run([self.cmake, "--build", self.build])

    def patch(self, *options):
        self.run(["git", "apply", *options, "fix.patch"], cwd=self.sources)
        self.make()

    def check(self, status):
        """petri check of the commands; returns the failures of its JUnit file by the reproducer's folder, which ends the class's name."""
        report = self.build / "check.xml"
        self.run([self.petri, "check", "--run-commands", "--commands-only", "--program-path", self.build, "--junit",
                  report, self.sources / "reproducers"], status)
        return failures_in(report, lambda case: case.get("classname").rsplit(".", 1)[-1])

    def test(self, status):
        """CTest; returns the failures of its JUnit file by test."""
        report = self.build / "ctest.xml"
        self.run([self.ctest, "--test-dir", self.build, "--no-tests=error", "--output-junit", report], status)
        return failures_in(report, lambda case: case.get("name"))


def fail(text):
    sys.exit(f"guarded_test: {text}")


def expect(what, got, wanted):
    print(f"{what}: {got}", flush=True)
    if got != wanted:
        fail(f"{what}: expected {wanted}")


def failures_in(report, name_of):
    cases = list(xml.parse(report).getroot().iter("testcase"))
    if not cases:
        fail(f"{report} tells of no test")
    return {name_of(case): case.find("failure").get("message") for case in cases if case.find("failure") is not None}


def show_guards(project):
    guards = sorted(bug[3] for bug in BUGS)
    tests = sorted(f"reproducer.reproducers/{guard}.command" for guard in guards)
    for state, change in (("with the bugs", project.make), ("mended", project.patch),
                          ("with the fix reverted", lambda: project.patch("--reverse"))):
        change()
        bad = state != "mended"
        back = project.check(1 if bad else 0)
        expect(f"{state}, petri check: failures", sorted(back), guards if bad else [])
        for guard, message in back.items():
            expect(f"{state}, {guard}", message[:38], "the failure is back in run 1 of mpirun")
        expect(f"{state}, ctest: failures", sorted(project.test(8 if bad else 0)), tests if bad else [])


def show_origin(project):
    """The programs have their bugs: what is made of them now is what the project keeps."""
    work = project.build / "made again"
    work.mkdir()
    for program, arguments, ranks, name, small in BUGS:
        executable = project.build / program
        status = {"bar": 10, "norm": 11}[program]
        project.run([project.petri, "record", "-o", f"{program}.jsonl", "--", "mpirun", "-n", ranks, executable,
                     *arguments], status, cwd=work)
        project.run([project.petri, "shrink", "--no-live", "-o", f"{program}.min.jsonl", f"{program}.jsonl"], cwd=work)
        project.run([project.petri, "check", "--add", f"{program}.min.jsonl", "--to", "reproducers", "--name", name,
                     "--run-commands", "--program-path", project.build, "--", program, *small], cwd=work)
        kept = project.sources / "reproducers" / name
        made = work / "reproducers" / name
        expect(f"{name}: command", made.joinpath("reproducer.json").read_text(), kept.joinpath("reproducer.json").read_text())
        signatures = [json.loads(project.run([project.petri, "diagnose", "--json", folder / "scenario.jsonl"], status))
                      ["signature"] for folder in (kept, made)]
        expect(f"{name}: signature", signatures[1], signatures[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--keep", help="work in this new folder, and leave it")
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    with tempfile.TemporaryDirectory(prefix="petri_outside_") as scratch:
        top = pathlib.Path(args.keep or scratch).resolve()
        top.mkdir(exist_ok=True)
        project = Project(args, top)
        project.configure()
        show_guards(project)
        show_origin(project)


if __name__ == "__main__":
    main()
