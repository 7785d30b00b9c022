#!/usr/bin/env python3
"""The templates of ci/templates, tried on a project of their user's: the scripts are taken out of each file and run as its
build server would run them, in its variables. The servers themselves are not here; where their linters are, they are
asked, too."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import yaml

HERE = pathlib.Path(__file__).parent
TEMPLATES = HERE.parent.parent / "ci" / "templates"
PROGRAMS = os.path.abspath(sys.argv.pop(1))  # where petri is
LIMIT_S = 120
FIXED = "  return rank < 0;\n"
BUGGY = "  return rank == 1;\n"
ALL = {f"reproducers/{name}/scenario.jsonl ({mode})" for name in ("guard-shift", "send-send", "swap")
       for mode in ("model", "live")} | {"reproducers/swap/scenario.jsonl (command)"}


class GithubActions:
    """A job in a container: bash with the options of `shell: bash`, expressions replaced before the shell sees them."""
    file = "github-actions.yml"
    junit = "petri.xml"

    def __init__(self):
        self.job = yaml.safe_load((TEMPLATES / self.file).read_text())["jobs"]["check"]
        self.shards = self.job["strategy"]["matrix"]["shard"]

    def expand(self, text, shard):
        text = text.replace("${{ matrix.shard }}", str(shard))
        text = text.replace("${{ strategy.job-total }}", str(len(self.shards)))
        assert "${{" not in text, text
        return text

    def runs(self, shard):
        for step in self.job["steps"]:
            if "run" in step:
                assert "${{" not in step["run"], "an expression in a script is code for whoever names a branch"
                variables = {key: self.expand(value, shard) for key, value in step.get("env", {}).items()}
                yield ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], variables

    def variables(self, project, _shard):
        made = {"GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_WORKSPACE": str(project.folder),
                "GITHUB_STEP_SUMMARY": str(project.folder.parent / "summary.md")}
        # Set and empty on a push.
        made["GITHUB_BASE_REF"] = "main" if project.on_branch else ""
        return made


class GitlabCi:
    """A job of `parallel`: each entry of `script` goes to one shell, which ends at the first that fails."""
    file = "gitlab-ci.yml"
    junit = "petri.xml"

    def __init__(self):
        self.job = yaml.safe_load((TEMPLATES / self.file).read_text())["reproducers"]
        self.shards = range(1, self.job["parallel"] + 1)

    def runs(self, _shard):
        yield ["sh", "-ec", "\n".join(self.job["script"])], {}

    def variables(self, project, shard):
        made = {"GITLAB_CI": "true", "CI": "true", "CI_PROJECT_DIR": str(project.folder), "CI_NODE_INDEX": str(shard),
                "CI_NODE_TOTAL": str(len(self.shards)), **self.job["variables"]}
        if project.on_branch:
            made["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = project.git("merge-base", "origin/main", "HEAD")
        return made


class Jenkins:
    """A cell of the matrix: each `sh` step is a shell of its own, with -e."""
    file = "Jenkinsfile"
    junit = "petri.xml"

    def __init__(self):
        self.text = (TEMPLATES / self.file).read_text()
        self.shards = re.findall(r"'([^']*)'", re.search(r"values (.*)", self.text).group(1))
        self.scripts = [long or short for long, short in re.findall(r"\bsh (?:'''(.*?)'''|'([^'\n]+)')", self.text, re.S)]

    def runs(self, shard):
        for script in self.scripts:
            yield ["sh", "-xe", "-c", script], {"SHARD": shard}

    def variables(self, project, _shard):
        made = {"JENKINS_URL": "http://localhost", "WORKSPACE": str(project.folder)}
        if project.on_branch:
            made["CHANGE_TARGET"] = "main"
        return made


class Project:
    """A clone of the user's repository, as a build server has it: no branch is checked out."""

    def __init__(self, scratch):
        self.upstream = scratch / "upstream"
        shutil.copytree(HERE / "project", self.upstream)
        self.on_branch = False
        self.git("init", "-q", "-b", "main", where=self.upstream)
        self.commit("the project")
        self.folder = scratch / "clone"

    def git(self, *arguments, where=None):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=where or self.folder,
                              check=True, capture_output=True, text=True, timeout=LIMIT_S)
        return done.stdout.strip()

    def commit(self, message):
        self.git("add", "-A", where=self.upstream)
        self.git("commit", "-q", "--allow-empty", "-m", message, where=self.upstream)

    def branch(self):
        self.git("checkout", "-q", "-b", "work", where=self.upstream)
        self.on_branch = True

    def edit(self, name, old, new):
        path = self.upstream / name
        text = path.read_text()
        assert text.count(old) == 1, name
        path.write_text(text.replace(old, new))

    def check_out(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        head = self.git("rev-parse", "HEAD", where=self.upstream)
        self.git("clone", "-q", "--no-checkout", str(self.upstream), str(self.folder), where=self.upstream)
        self.git("checkout", "-q", "--detach", head)


class Outcome:
    """What a run of all shards left: the cases of all reports, and which shards failed."""

    def __init__(self, project, server):
        self.states, self.failed, self.texts, self.output = {}, [], {}, ""
        for shard in server.shards:
            project.check_out()
            if not self.run(project, server, shard):
                self.failed.append(shard)
            for case in ElementTree.parse(project.folder / server.junit).iter("testcase"):
                assert case.get("name") not in self.states, "in two shards"
                self.states[case.get("name")] = next((child.tag for child in case), "passed")
                self.texts[case.get("name")] = "".join(case.itertext())

    def run(self, project, server, shard):
        for command, more in server.runs(shard):
            environment = {**{key: value for key, value in os.environ.items() if not key.startswith(("CI_", "GITHUB_"))},
                           "PATH": PROGRAMS + ":" + os.environ["PATH"], **server.variables(project, shard), **more}
            done = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True,
                                  timeout=LIMIT_S, check=False)
            self.output += done.stdout + done.stderr
            if done.returncode != 0:
                return False
        return True


class Tried:
    """What holds for each template."""
    server_class = None

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="petri_templates_"))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.project = Project(self.scratch)
        self.server = self.server_class()

    def outcome(self):
        return Outcome(self.project, self.server)

    def test_the_main_branch_checks_all(self):
        outcome = self.outcome()
        self.assertEqual(outcome.failed, [], outcome.output)
        self.assertEqual(outcome.states, dict.fromkeys(ALL, "passed"), outcome.output)

    def test_a_change_checks_what_it_touches_and_fails_where_the_failure_is_back(self):
        self.project.branch()
        self.project.edit("train.c", FIXED, BUGGY)
        self.project.edit("reproducers/guard-shift/scenario.jsonl", "checkpoint.cpp:41", "checkpoint.cpp:42")
        self.project.commit("a change that brings the failure back")
        outcome = self.outcome()
        command = "reproducers/swap/scenario.jsonl (command)"
        self.assertEqual(outcome.states, {"reproducers/guard-shift/scenario.jsonl (model)": "passed",
                                          "reproducers/guard-shift/scenario.jsonl (live)": "passed", command: "failure"},
                         outcome.output)
        self.assertEqual(len(outcome.failed), 1)
        self.assertRegex(outcome.texts[command], r"source: train\.c:(14|15)\n")
        self.check_source(outcome)

    def check_source(self, outcome):
        pass


class GithubActionsTest(Tried, unittest.TestCase):
    server_class = GithubActions

    def check_source(self, outcome):
        self.assertRegex(outcome.output, r"(?m)^::error file=train\.c,line=(14|15),title=missed")
        summary = (self.scratch / "summary.md").read_text()
        self.assertEqual(summary.count("### petri check"), len(self.server.shards))
        self.assertIn("| missed | reproducers/swap/scenario.jsonl | command |", summary)

    def test_nothing_but_reading_is_permitted_and_actions_are_pinned(self):
        workflow = yaml.safe_load((TEMPLATES / GithubActions.file).read_text())
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        for step in workflow["jobs"]["check"]["steps"]:
            if "uses" in step:
                self.assertRegex(step["uses"], r"@[0-9a-f]{40}$")


class GitlabCiTest(Tried, unittest.TestCase):
    server_class = GitlabCi

    def check_source(self, outcome):
        reports = self.server.job["artifacts"]["reports"]
        self.assertEqual(reports["junit"], GitlabCi.junit)
        # That of the last shard that ran; the failing one is run again for its own.
        self.project.check_out()
        self.assertFalse(outcome.run(self.project, self.server, outcome.failed[0]))
        entries = json.loads((self.project.folder / reports["codequality"]).read_text())
        self.assertEqual([entry["location"]["path"] for entry in entries], ["train.c"])


class JenkinsTest(Tried, unittest.TestCase):
    server_class = Jenkins

    def test_shards_are_all_of_them(self):
        total = len(self.server.shards)
        self.assertEqual(self.server.shards, [f"{index}/{total}" for index in range(1, total + 1)])
        self.assertEqual(len(self.server.scripts), 2)
        self.assertIn("allowEmptyResults: true", self.server.text)

    def test_without_the_target_branch_all_is_checked(self):
        self.project.branch()
        self.project.commit("nothing")
        check_out = self.project.check_out

        def without_target():
            check_out()
            self.project.git("update-ref", "-d", "refs/remotes/origin/main")
        self.project.check_out = without_target
        outcome = self.outcome()
        self.assertEqual(set(outcome.states), ALL, outcome.output)


class Linters(unittest.TestCase):
    """Those that know the servers' own schemas, where somebody has installed them."""

    def lint(self, *command):
        if shutil.which(command[0]) is None or subprocess.run([command[0], "--version"], capture_output=True,
                                                              timeout=LIMIT_S, check=False).returncode != 0:
            self.skipTest(f"{command[0]} is not installed")
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_schema_of_github_workflows(self):
        self.lint("check-jsonschema", "--builtin-schema", "vendor.github-workflows", TEMPLATES / GithubActions.file)

    def test_the_schema_of_gitlab_ci(self):
        self.lint("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci",
                  TEMPLATES / GitlabCi.file)

    def test_actionlint(self):
        self.lint("actionlint", TEMPLATES / GithubActions.file)

    def test_groovy_parses_the_jenkinsfile(self):
        self.lint("groovy", "-e", "new org.codehaus.groovy.control.CompilationUnit().with { addSource(new File(args[0])); "
                  "compile(org.codehaus.groovy.control.Phases.CONVERSION) }", TEMPLATES / Jenkins.file)


if __name__ == "__main__":
    unittest.main()
