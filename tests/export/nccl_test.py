"""Exported NCCL programs: compiled against the real headers, run with libraries that record calls.

usage: nccl_test.py PETRI SCENARIOS COMPILER [FOLDER OF HEADERS…]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PETRI, SCENARIOS, COMPILER, HEADERS = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not HEADERS:
            raise unittest.SkipTest("the headers of CUDA and NCCL are not here")
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.folder = pathlib.Path(place.name)
        cls.compile(["-c", HERE / "recording_nccl.cpp", "-o", cls.folder / "recording_nccl.o"])

    @classmethod
    def compile(cls, arguments):
        includes = ["-isystem" + folder for folder in HEADERS]
        done = subprocess.run([COMPILER, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pthread", *includes, *arguments],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def program(self, scenario):
        source, program = self.folder / "case.cpp", self.folder / "case"
        subprocess.run([PETRI, "export", "--to", "nccl", "-o", source, scenario], check=True)
        self.compile([source, self.folder / "recording_nccl.o", "-o", program])
        return program

    def run_case(self, lines, timeout="20"):
        scenario = self.folder / "case.jsonl"
        world = 1 + max(line.get("rank", 0) for line in lines)
        whole = [{"petri": 1, "world": world, "backend": "nccl"}, *lines, {"end": True}]
        scenario.write_text("".join(json.dumps(line) + "\n" for line in whole))
        return subprocess.run([self.program(scenario), "--timeout", timeout], capture_output=True, text=True, timeout=60)

    def test_each_kind_of_call_is_nccls_own_or_made_of_them(self):
        on = {"comm": "dp", "stream": "s", "count": 6, "dtype": "float16"}
        lines = [{"comm": "dp", "ranks": [0, 1]}, {"comm": "half", "ranks": [0], "parent": "dp"},
                 {"rank": 0, "op": "bcast", "root": 1, **on}, {"rank": 0, "op": "reduce", "root": 0, "reduce": "max", **on},
                 {"rank": 0, "op": "allgather", **on}, {"rank": 0, "op": "reduce_scatter_block", **on},
                 {"rank": 0, "op": "alltoall", **on}, {"rank": 0, "op": "gather", "root": 0, **on},
                 {"rank": 0, "op": "scatter", "root": 1, **on}, {"rank": 0, "op": "event_record", "event": "e", "stream": "s"},
                 {"rank": 0, "op": "stream_wait", "event": "e", "stream": "t"}, {"rank": 0, "op": "event_sync", "event": "e"},
                 {"rank": 0, "op": "barrier", "comm": "dp"},
                 {"rank": 0, "op": "comm_split", "comm": "dp", "color": 0, "key": 0, "new": "half"},
                 {"rank": 0, "op": "comm_destroy", "comm": "half"}, {"rank": 1, "op": "stream_sync", "stream": "s"}]
        done = self.run_case(lines)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = [line[8:] for line in done.stdout.splitlines() if line.startswith("rank 0: ")]
        self.assertEqual(calls[:-2], [
            "communicator of 2", "broadcast 6 from 1 on stream 1", "reduce 6 op 2 to 0 on stream 1", "allgather 6 on stream 1",
            "reduce_scatter 6 op 0 on stream 1", "group", "send 6 to 0 on stream 1", "recv 6 from 0 on stream 1",
            "send 6 to 1 on stream 1", "recv 6 from 1 on stream 1", "group ended", "group", "recv 6 from 0 on stream 1",
            "recv 6 from 1 on stream 1", "send 6 to 0 on stream 1", "group ended", "group", "recv 6 from 1 on stream 1",
            "group ended", "event 1 on stream 1", "stream 2 waits for event 1", "waits for event 1",
            "allreduce 1 type 2 op 0 of 2 on stream 3", "waits for stream 3", "split by 0, 0", "communicator destroyed",
            "waits for stream 3"])

    def test_calls_of_a_group_without_streams_are_waited_for_at_its_end(self):
        on = {"comm": "dp", "count": 2, "dtype": "int8"}
        done = self.run_case([{"comm": "dp", "ranks": [1, 0]}] + [line for rank in (0, 1) for line in (
            {"rank": rank, "op": "group_start"}, {"rank": rank, "op": "send", "peer": rank, **on},
            {"rank": rank, "op": "recv", "peer": rank, **on}, {"rank": rank, "op": "group_end"})])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = [line[8:] for line in done.stdout.splitlines() if line.startswith("rank 1: ")]
        self.assertEqual(calls[:6], ["communicator of 2", "group", "send 2 to 0 on stream 1", "recv 2 from 0 on stream 1",
                                     "group ended", "waits for stream 1"])

    def test_a_rank_whose_record_stops_stays_away_and_the_others_tell_where_they_stand(self):
        done = self.run_case([{"comm": "dp", "ranks": [0, 1]}, {"rank": 0, "op": "allreduce", "comm": "dp", "stream": "s"},
                              {"rank": 1, "op": "barrier", "comm": "dp"}, {"rank": 1, "end": "running"}], timeout="0.5")
        self.assertEqual(done.returncode, 10, done.stdout + done.stderr)
        self.assertIn("rank 1 stands in nothing more: it stays away, as its record does", done.stdout)
        self.assertIn("rank 0 stands in its end, where it waits for the others", done.stdout)
        self.assertIn("hangs: 2 of 2 ranks", done.stdout)

    def test_a_rank_that_ends_badly_fails_the_run(self):
        done = self.run_case([{"comm": "dp", "ranks": [0]}, {"rank": 0, "op": "barrier", "comm": "dp"},
                              {"rank": 0, "end": "exited", "status": 7}])
        self.assertEqual(done.returncode, 14, done.stdout + done.stderr)
        self.assertIn("failed: rank 0 ended with 7", done.stdout)

    def test_every_kept_scenario_of_nccl_is_a_program_and_others_are_refused_by_name(self):
        written = []
        for scenario in sorted(SCENARIOS.glob("*/scenario.jsonl*")):
            source = self.folder / (scenario.parent.name + ".cpp")
            made = subprocess.run([PETRI, "export", "--to", "nccl", "-o", source, scenario], capture_output=True, text=True)
            if made.returncode == 0:
                written.append(scenario.parent.name)
                self.compile(["-fsyntax-only", source])
            else:
                self.assertEqual(made.returncode, 2)
                self.assertRegex(made.stderr, "cannot be written", scenario.parent.name)
        self.assertEqual(written, ["group-not-ended", "nccl-send-send", "nccl-send-send-grouped", "nccl-streams-crossed",
                                   "nccl-streams-legal"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
