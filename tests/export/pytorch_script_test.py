"""Exported PyTorch scripts, run: with a torch that records calls and, where it is installed, with the real one.

usage: pytorch_script_test.py PETRI SCENARIOS
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PETRI, SCENARIOS = sys.argv[1], pathlib.Path(sys.argv[2])

# Runs that end a rank in the middle of the job.
ENDS_BADLY = {"c12-error-path-recorded", "c12-error-path-unrecorded", "c18-signal-exit", "rank-killed"}


def export(lines, folder):
    """The script of a scenario given by its lines without header and end."""
    world = 1 + max(line.get("rank", 0) for line in lines)
    text = [{"petri": 1, "world": world}, *lines, {"end": True}]
    import json
    (folder / "case.jsonl").write_text("".join(json.dumps(line) + "\n" for line in text))
    script = folder / "case.py"
    subprocess.run([PETRI, "export", "--to", "pytorch", "-o", script, folder / "case.jsonl"], check=True)
    return script


def run(script, recording=True, timeout="0.3"):
    environment = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
    if recording:
        environment["PYTHONPATH"] = str(HERE / "recording_torch")
    return subprocess.run([sys.executable, script, "--timeout", timeout], env=environment, capture_output=True, text=True,
                          timeout=120)


class Recorded(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def calls(self, lines, rank=0, status=0):
        done = run(export(lines, self.folder))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        start = "rank %d: " % rank
        return [line[len(start):] for line in done.stdout.splitlines() if line.startswith(start)]

    def test_without_torch_the_status_says_that_something_is_missing(self):
        (self.folder / "torch.py").write_text("raise ImportError('none here')")
        done = run(export([{"rank": 0, "op": "barrier"}], self.folder), recording=False)
        self.assertEqual((done.returncode, done.stderr), (3, "PyTorch is missing: none here\n"))

    def test_collectives_become_the_calls_of_torch(self):
        data = {"count": 6, "dtype": "float16"}
        lines = [{"rank": 0, "op": "allreduce", "reduce": "max", **data}, {"rank": 0, "op": "bcast", "root": 1, **data},
                 {"rank": 0, "op": "gather", "root": 0, **data}, {"rank": 0, "op": "reduce_scatter_block", **data},
                 {"rank": 0, "op": "alltoallv", "sendcounts": [1, 2], "recvcounts": [3, 4], "dtype": "int8"},
                 {"rank": 0, "op": "reduce", "state": "completed"}, {"rank": 1, "op": "barrier"}]
        self.assertEqual(self.calls(lines), [
            "all_reduce(tensor=float16*6, op=MAX)", "broadcast(tensor=float16*6, src=1)",
            "gather(tensor=float16*6, gather_list=[float16*6, float16*6])",
            "reduce_scatter(output=float16*6, input_list=[float16*6, float16*6], op=SUM)",
            "all_to_all_single(output=int8*7, input=int8*3)", "reduce(tensor=float32*1, op=SUM)"])

    def test_requests_are_begun_and_waited_for(self):
        lines = [{"rank": 0, "op": "irecv", "peer": 1, "tag": 7, "count": 1, "dtype": "int32", "request": 4},
                 {"rank": 0, "op": "iallreduce", "count": 1, "dtype": "int32", "reduce": "sum", "request": 5},
                 {"rank": 0, "op": "waitany", "requests": [4, 5], "index": 0},
                 {"rank": 0, "op": "waitall", "requests": [4, 5]}, {"rank": 1, "op": "barrier"}]
        calls = self.calls(lines)
        self.assertEqual(calls[:2], ["irecv(tensor=int32*1, src=1, tag=7) begun", "all_reduce(tensor=int32*1, op=SUM) begun"])
        self.assertEqual(sorted(calls[2:]), ["waited for all_reduce", "waited for irecv"])

    def test_a_group_of_calls_begins_them_all_before_it_waits(self):
        lines = [{"comm": "pp", "ranks": [1, 0]}, {"rank": 0, "op": "group_start"},
                 {"rank": 0, "op": "send", "comm": "pp", "peer": 0, "count": 2, "dtype": "float32"},
                 {"rank": 0, "op": "recv", "comm": "pp", "peer": 0, "count": 2, "dtype": "float32"},
                 {"rank": 0, "op": "group_end"}, {"rank": 1, "op": "barrier"}]
        self.assertEqual(self.calls(lines), ["isend(tensor=float32*2, dst=1) on [0, 1] begun",
                                             "irecv(tensor=float32*2, src=1) on [0, 1] begun", "waited for isend",
                                             "waited for irecv"])

    def test_a_stream_performs_its_calls_in_order_and_the_host_goes_on(self):
        data = {"count": 1, "dtype": "float32", "reduce": "sum", "stream": "s"}
        lines = [{"rank": 0, "op": "allreduce", **data}, {"rank": 0, "op": "event_record", "event": "e", "stream": "s"},
                 {"rank": 0, "op": "stream_wait", "event": "e", "stream": "t"},
                 {"rank": 0, "op": "reduce_scatter_block", **data, "stream": "t"}, {"rank": 0, "op": "device_sync"}]
        self.assertEqual([call.split("(")[0] for call in self.calls(lines)],
                         ["all_reduce", "waited for all_reduce", "reduce_scatter", "waited for reduce_scatter"])

    def test_a_rank_whose_record_stops_stays_away_until_the_time_is_over(self):
        done = run(export([{"rank": 0, "op": "barrier"}, {"rank": 0, "end": "running"}, {"rank": 1, "op": "barrier"}],
                          self.folder))
        self.assertEqual(done.returncode, 10)
        self.assertIn("rank 0 stays away, as its record does", done.stdout)
        self.assertIn("hangs: 1 of 2 ranks are there after 0.3 s", done.stdout)

    def test_a_rank_that_ends_badly_fails_the_run(self):
        done = run(export([{"rank": 0, "op": "barrier"}, {"rank": 0, "end": "exited", "status": 7}, {"rank": 1, "op": "barrier"}],
                          self.folder))
        self.assertEqual(done.returncode, 14)
        self.assertIn("failed: rank 0 ended with 7", done.stdout)

    def test_every_kept_scenario_is_a_program_or_refused_by_name(self):
        written = 0
        for scenario in sorted(SCENARIOS.glob("*/scenario.jsonl*")):
            name, script = scenario.parent.name, self.folder / (scenario.parent.name + ".py")
            made = subprocess.run([PETRI, "export", "--to", "pytorch", "-o", script, scenario], capture_output=True, text=True)
            if made.returncode != 0:
                self.assertEqual(made.returncode, 2, name)
                self.assertRegex(made.stderr, "cannot be written", name)
                self.assertFalse(script.exists(), name)
                continue
            written += 1
            done = run(script)
            self.assertIn(done.returncode, (0, 10, 14) if name in ENDS_BADLY else (0, 10), name + done.stdout + done.stderr)
        self.assertGreater(written, 40)


class Real(unittest.TestCase):
    """What hangs with PyTorch and what does not."""

    def setUp(self):
        with tempfile.TemporaryDirectory() as place:
            if subprocess.run([sys.executable, "-c", "import torch.distributed"], capture_output=True, cwd=place).returncode:
                self.skipTest("PyTorch is not installed for %s" % sys.executable)

    def test_the_kept_scenarios_fail_as_they_are_meant_to(self):
        expected = {"c02-order-swap": 10, "c07-pairwise-legal": 0, "nccl-send-send": 10, "nccl-send-send-grouped": 0,
                    "missing-rank-record": 10}
        for name, status in expected.items():
            with tempfile.TemporaryDirectory() as place:
                script = pathlib.Path(place) / "case.py"
                subprocess.run([PETRI, "export", "--to", "pytorch", "-o", script, SCENARIOS / name / "scenario.jsonl"], check=True)
                done = run(script, recording=False, timeout="3")
                self.assertEqual(done.returncode, status, name + done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
