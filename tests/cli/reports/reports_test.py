#!/usr/bin/env python3
"""Reports of `petri check`, read by the readers that they are for: xmllint and Python's parser for JUnit, Perl's
Test::Harness for TAP, a JSON Schema for GitLab, and the rules of GitHub's runner for its workflow commands."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import jsonschema

HERE = pathlib.Path(__file__).parent
PETRI = os.path.abspath(sys.argv.pop(1))
LIMIT_S = 60


def reproducer(expect, **header):
    lines = [{"petri": 1, "world": 2, "backend": "mpi", "expect": {"verdict": expect}, **header},
             {"rank": 0, "op": "barrier", "site": "src/]]>train\x1b[31m.cpp:41"},
             {"rank": 0, "op": "barrier", "site": "src/train.cpp:57"},
             {"rank": 1, "op": "barrier", "site": "src/train.cpp:57"},
             {"end": True, "events": 3}]
    return "".join(json.dumps(line) + "\n" for line in lines)


# Whose name would be a command, a directive, a property, markup and another column, if it were let.
HOSTILE = b"a,b:c%d \xff#TODO <b>&|`x`/]]>\n::error::stop"


class Project(unittest.TestCase):
    """Two met, one missed, one unreadable, one skipped, in a folder that git manages."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="petri_reports_"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / ".git").mkdir()
        self.write(b"cases/met", reproducer("deadlock"))
        self.write(b"cases/" + HOSTILE, reproducer("completes"))
        self.write(b"cases/broken", '{"petri":1}\n')
        self.write(b"cases/skipped", reproducer("deadlock", x_live="no: \x1b]0;title\x07 # of reasons \\"))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_"))}

    def write(self, folder, text):
        path = os.path.join(os.fsencode(self.folder), folder)
        os.makedirs(path)
        pathlib.Path(os.fsdecode(path), "scenario.jsonl").write_text(text)

    def check(self, *arguments, status=1, paths=("cases",), where=""):
        done = subprocess.run([PETRI, "check", *arguments, *paths], cwd=self.folder / where, capture_output=True,
                              env=self.environment, timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def shown(self, path):
        """A path as a report shows it: one line of well-formed UTF-8."""
        return path.decode("utf-8", errors="replace").replace("\n", " ") + "/scenario.jsonl"

    hostile = property(lambda self: self.shown(b"cases/" + HOSTILE))


class Junit(Project):
    def test_is_valid_and_says_what_happened(self):
        self.check("--model-only", "--report", "junit:out.xml")
        report = self.folder / "out.xml"
        subprocess.run(["xmllint", "--noout", "--schema", HERE / "junit.xsd", report], check=True, timeout=LIMIT_S,
                       capture_output=True)
        suite = ElementTree.parse(report).getroot().find("testsuite")
        self.assertEqual([suite.get(key) for key in ("tests", "failures", "errors", "skipped")], ["4", "1", "1", "0"])
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        self.assertEqual(set(cases), {"cases/met/scenario.jsonl (model)", "cases/skipped/scenario.jsonl (model)",
                                      "cases/broken/scenario.jsonl (model)", self.hostile + " (model)"})
        self.assertEqual(cases["cases/met/scenario.jsonl (model)"].get("classname"), "cases.met")
        failure = cases[self.hostile + " (model)"].find("failure")
        self.assertTrue(failure.get("message").startswith("expected completes, got deadlock: "))
        self.assertIn("src/]]>train\ufffd[31m.cpp:41", failure.text)
        self.assertIn("petri check --model-only 'cases/a,b:c%d", failure.text)

    def test_the_old_option_writes_the_same(self):
        self.check("--model-only", "--junit", "old.xml", "--report", "junit:new.xml")
        times = re.compile(r'time="[0-9.]+"')
        old, new = ((self.folder / name).read_text() for name in ("old.xml", "new.xml"))
        self.assertEqual(times.sub("", old), times.sub("", new))


class Tap(Project):
    def read(self, path):
        done = subprocess.run(["perl", HERE / "read_tap.pl", path], check=True, timeout=LIMIT_S, capture_output=True)
        read = json.loads(done.stdout.decode("latin-1").encode("latin-1"))
        self.assertEqual((read["errors"], read["unknown"]), ([], []))
        return read

    def test_is_understood_by_the_reference_reader(self):
        self.check("--report", "tap:out.tap")
        read = self.read(self.folder / "out.tap")
        self.assertEqual(read["plan"], "1..8")
        points = {point["description"]: point for point in read["points"]}
        self.assertTrue(points["- cases/met/scenario.jsonl (model)"]["ok"])
        skipped = points["- cases/skipped/scenario.jsonl (live)"]
        self.assertEqual((skipped["ok"], skipped["skip"]), (1, 1))
        self.assertIn("# of reasons", skipped["explanation"])
        missed = points["- " + self.hostile.replace("#", "\\#") + " (model)"]
        self.assertFalse(missed["ok"])
        self.assertEqual(missed["yaml"]["wanted"], "completes")
        self.assertTrue(missed["yaml"]["found"].startswith("deadlock: "))
        self.assertEqual(missed["yaml"]["line"], "2")
        self.assertIn("\nreproducer: cases/a,b", missed["yaml"]["story"])

    def test_prove_runs_it(self):
        prove = ["prove", "--exec", PETRI + " check --model-only --report tap"]
        files = ["cases/met/scenario.jsonl", "cases/skipped/scenario.jsonl"]
        for more, status, said in ([], 0, b"All tests successful"), (["cases/broken/scenario.jsonl"], 1, b"Failed 1/1 subtests"):
            done = subprocess.run([*prove, *files, *more], cwd=self.folder, timeout=LIMIT_S, capture_output=True, check=False)
            self.assertEqual(done.returncode, status, done.stdout)
            self.assertIn(said, done.stdout)

    def test_on_stdout_nothing_else_is(self):
        done = self.check("--model-only", "--report", "tap")
        (self.folder / "stdout.tap").write_bytes(done.stdout)
        self.assertEqual(len(self.read(self.folder / "stdout.tap")["points"]), 4)
        self.assertIn(b"4 checks: 2 met", done.stderr)


class Gitlab(Project):
    def read(self, name="gl-code-quality-report.json"):
        report = json.loads((self.folder / name).read_text())
        jsonschema.validate(report, json.loads((HERE / "codequality.schema.json").read_text()))
        return {entry["location"]["path"]: entry for entry in report}

    def test_names_files_of_the_project(self):
        self.check("--model-only", "--report", "gitlab")
        entries = self.read()
        self.assertEqual(set(entries), {"cases/broken/scenario.jsonl", self.hostile})
        self.assertEqual(entries[self.hostile]["location"]["lines"]["begin"], 2)
        self.assertEqual(entries[self.hostile]["severity"], "critical")
        self.assertEqual(entries["cases/broken/scenario.jsonl"]["severity"], "major")

    def test_is_the_same_from_wherever_it_is_run(self):
        self.check("--model-only", "--report", "gitlab:one.json")
        self.check("--model-only", "--report", "gitlab:../two.json", paths=["."], where="cases")
        self.check("--model-only", "--report", "gitlab:three.json", paths=[self.folder / "cases"])
        fingerprints = [{path: entry["fingerprint"] for path, entry in self.read(name).items()}
                        for name in ("one.json", "two.json", "three.json")]
        self.assertEqual(fingerprints[0], fingerprints[1])
        self.assertEqual(fingerprints[0], fingerprints[2])

    def test_without_git_the_build_servers_folder_is_the_root(self):
        (self.folder / ".git").rmdir()
        self.environment["CI_PROJECT_DIR"] = str(self.folder)
        self.check("--model-only", "--report", "gitlab:../out.json", paths=["."], where="cases")
        self.assertIn(self.hostile, self.read("out.json"))


def workflow_commands(text):
    """As GitHub's runner reads them (actions/runner, ActionCommand): `::name key=value,…::data`."""
    def plain(value, also=()):
        for escape, character in (*also, ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            value = value.replace(escape, character)
        return value
    commands = []
    for line in text.split("\n"):
        if not line.strip().startswith("::"):
            continue
        head, data = line.strip()[2:].split("::", 1)
        name, _, properties = head.partition(" ")
        pairs = dict(pair.split("=", 1) for pair in properties.split(",") if pair)
        also = (("%3A", ":"), ("%2C", ","))
        commands.append((name, {key: plain(value, also) for key, value in pairs.items()}, plain(data)))
    return commands


class Github(Project):
    def test_annotations_stand_at_their_lines(self):
        done = self.check("--model-only", "--report", "github")
        commands = workflow_commands(done.stdout.decode())
        self.assertEqual([name for name, _, _ in commands], ["error", "error"])
        _, properties, text = commands[0]
        path = (b"cases/" + HOSTILE).decode("utf-8", errors="replace") + "/scenario.jsonl"
        self.assertEqual((properties["file"], properties["line"]), (path, "2"))
        self.assertEqual(properties["title"], "missed: " + path + " (model)")
        self.assertIn("expected completes, got deadlock: ", text)
        self.assertIn("\nRank 0 made a call that the others do not make", text)
        self.assertNotIn("\x1b", done.stdout.decode() + done.stderr.decode())

    def test_what_is_told_to_people_is_no_command(self):
        done = self.check("--model-only", "--report", "github:annotations.txt")
        self.assertEqual(workflow_commands(done.stdout.decode() + done.stderr.decode()), [])
        self.assertEqual(len(workflow_commands((self.folder / "annotations.txt").read_text())), 2)

    def test_the_summary_is_added_to_that_of_the_step(self):
        summary = self.folder / "summary.md"
        summary.write_text("before\n")
        self.environment["GITHUB_STEP_SUMMARY"] = str(summary)
        self.check("--model-only", "--report", "github-summary")
        text = summary.read_text()
        self.assertTrue(text.startswith("before\n### petri check: reproducers need a look\n"))
        self.assertIn("4 checks: 2 met, 1 missed, 1 unreadable, 0 inconclusive, 0 skipped\n", text)
        self.assertNotIn("<b>", text)
        rows = [line for line in text.splitlines() if line.startswith("| missed ") or line.startswith("| unreadable ")]
        self.assertEqual([row.count("|") for row in rows], [5, 5])


class Several(Project):
    def test_all_at_once_and_nothing_left_beside_them(self):
        self.check("--model-only", "--junit", "a.xml", "--report", "gitlab:b.json", "--report", "tap:c.tap", "--report",
                   "github-summary:d.md", "--report", "github")
        self.assertEqual({entry.name for entry in self.folder.iterdir() if entry.is_file()},
                         {"a.xml", "b.json", "c.tap", "d.md"})

    def test_refused_before_anything_runs(self):
        for arguments, said in (
                (["--report", "html"], b"no format is called 'html'"),
                (["--report", "junit"], b"needs a file"),
                (["--report", "junit:"], b"needs a file"),
                (["--report", "tap", "--report", "github"], b"cannot share stdout"),
                (["--report", "tap", "--json"], b"cannot share stdout"),
                (["--report", "tap:x", "--junit", "./x"], b"cannot share the file"),
                (["--report", "github-summary"], b"outside of GitHub Actions")):
            done = self.check("--model-only", *arguments, status=2)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stdout, b"")
        done = self.check("--model-only", "--report", "tap:nowhere/x.tap", status=3)
        self.assertIn(b"nowhere", done.stderr)
        self.assertEqual(done.stdout, b"")

    def test_an_interrupted_check_is_no_good_one(self):
        os.mkfifo(self.folder / "never.jsonl")  # whoever reads it waits
        words = [PETRI, "check", "--model-only", "--report", "tap:out.tap", "cases/met/scenario.jsonl", "never.jsonl"]
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, env=self.environment) as petri:
            self.assertIn(b"cases/met", petri.stdout.readline())
            petri.send_signal(signal.SIGINT)
            petri.communicate(timeout=LIMIT_S)
        self.assertEqual(petri.returncode, 128 + signal.SIGINT)
        self.assertRegex((self.folder / "out.tap").read_text(), r"(?m)^ok 1 - cases/met.*\nnot ok 2 - never")

    def test_a_device_is_written_to_and_stays(self):
        self.check("--model-only", "--report", "junit:/dev/null")
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())

    def test_a_report_never_takes_the_place_of_an_input(self):
        (self.folder / "link").symlink_to("cases/met/scenario.jsonl")
        text = (self.folder / "link").read_text()
        for file in ("cases/met/scenario.jsonl", "link"):
            for more in ((), ("--shard", "1/4"), ("--shard", "4/4")):
                done = self.check("--model-only", "--report", "gitlab:" + file, *more, status=2)
                self.assertIn(b"is the input", done.stderr)
        self.assertEqual((self.folder / "link").read_text(), text)

    def test_links_stay_and_lead_to_the_report(self):
        (self.folder / "kept").mkdir()
        (self.folder / "out.xml").symlink_to("kept/real.xml")
        for _ in range(2):  # the target is missing, then there
            self.check("--model-only", "--junit", "out.xml")
            self.assertTrue((self.folder / "out.xml").is_symlink())
            ElementTree.parse(self.folder / "kept" / "real.xml")
            self.assertEqual([file.name for file in (self.folder / "kept").iterdir()], ["real.xml"])
        done = self.check("--model-only", "--junit", "out.xml", "--report", "tap:kept/real.xml", status=2)
        self.assertIn(b"cannot share", done.stderr)

    def test_stdout_by_a_name_is_stdout(self):
        (self.folder / "out").symlink_to("/proc/self/fd/1")  # as /dev/stdout is
        done = self.check("--model-only", "--junit", "out")
        ElementTree.fromstring(done.stdout)
        self.assertTrue((self.folder / "out").is_symlink())
        with open(self.folder / "log", "wb") as log:
            subprocess.run([PETRI, "check", "--model-only", "--junit", "out", "cases"], cwd=self.folder, stdout=log,
                           stderr=subprocess.DEVNULL, env=self.environment, timeout=LIMIT_S, check=False)
        ElementTree.parse(self.folder / "log")
        done = self.check("--model-only", "--junit", "out", "--report", "tap", status=2)
        self.assertIn(b"cannot share stdout", done.stderr)

    def test_descriptors_that_the_shell_opens_are_written_to(self):
        for redirection, file in (("3>log", "/dev/fd/3"), ("3>>log", "/dev/fd/3"), ("3>&1 >other | cat >log", "/dev/fd/3")):
            script = f'"$1" check --model-only --junit {file} cases {redirection}'
            subprocess.run(["sh", "-c", script, "sh", PETRI], cwd=self.folder, env=self.environment, timeout=LIMIT_S,
                           capture_output=True, check=False)
            text = (self.folder / "log").read_text()
            # What is appended comes behind the report of the redirection before it.
            ElementTree.fromstring(text[text.rindex("<?xml"):])
            self.assertEqual(text.count("<?xml"), 2 if ">>" in redirection else 1, redirection)
        done = self.check("--model-only", "--junit", "/dev/fd/77", status=3)
        self.assertIn(b"/dev/fd/77: cannot be written: Bad file descriptor", done.stderr)


if __name__ == "__main__":
    unittest.main()
