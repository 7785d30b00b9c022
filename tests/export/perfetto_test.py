"""Perfetto traces as `petri export` writes them, read back.

usage: perfetto_test.py PETRI SCENARIOS
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from perfetto_reader import Trace

HERE = pathlib.Path(__file__).resolve().parent
PETRI, SCENARIOS = sys.argv[1], pathlib.Path(sys.argv[2])


def exported(scenario):
    done = subprocess.run([PETRI, "export", "--to", "perfetto", scenario], capture_output=True)
    assert done.returncode == 0, done.stderr
    return Trace(done.stdout)


class Perfetto(unittest.TestCase):
    def of(self, lines, **header):
        world = 1 + max(line.get("rank", 0) for line in lines)
        with tempfile.TemporaryDirectory() as place:
            case = pathlib.Path(place) / "case.jsonl"
            whole = [{"petri": 1, "job": "case", "world": world, **header}, *lines, {"end": True}]
            case.write_text("".join(json.dumps(line) + "\n" for line in whole))
            trace = exported(case)
        self.check(trace)
        return trace

    def check(self, trace):
        """What holds of every trace: slices nest and end, and no arrow points backwards or ends nowhere."""
        self.assertFalse([track for track, open_slices in trace.open.items() if open_slices])
        for parties in trace.arrows().values():
            self.assertGreater(len(parties), 1)
            for one, other in zip(parties, parties[1:]):
                self.assertTrue(one.time == other.time or one.end <= other.time, (vars(one), vars(other)))

    def calls(self, trace, track):
        return [made for made in trace.slices if trace.tracks[made.track].endswith(track)]

    def test_is_the_golden_one(self):
        data = {"comm": "dp0", "count": 4, "dtype": "float32", "reduce": "sum", "step": 7}
        trace = self.of([{"comm": "dp0", "ranks": [0, 1]}, {"rank": 0, "op": "barrier"}, {"rank": 1, "op": "barrier"},
                         {"rank": 2, "op": "barrier"}, {"rank": 0, "op": "allreduce", **data, "site": "train.cpp:41"},
                         {"rank": 0, "op": "barrier", "comm": "dp0"}, {"rank": 1, "op": "barrier", "comm": "dp0"},
                         {"rank": 1, "op": "allreduce", **data}, {"rank": 2, "op": "send", "peer": 2, "tag": 3},
                         {"rank": 2, "end": "missing"}], hosts=["a", "b", "b"])
        self.assertEqual(trace.text(), (HERE / "golden" / "swap.perfetto.txt").read_text())

    def test_members_of_a_collective_begin_together_and_those_that_came_early_wait(self):
        trace = self.of([{"rank": 0, "op": "barrier"}, {"rank": 1, "op": "sleep"}, {"rank": 1, "op": "barrier"}])
        waits, early = self.calls(trace, "rank 0")
        late = self.calls(trace, "rank 1")[1]
        self.assertEqual((waits.name, waits.end, early.name), ("waits", early.time, "barrier"))
        self.assertEqual((early.time, early.arrows), (late.time, late.arrows))
        self.assertEqual(len(early.arrows), 1)

    def test_an_arrow_leads_from_a_send_to_where_its_receive_is_complete(self):
        message = {"count": 1, "dtype": "int32"}
        trace = self.of([{"rank": 0, "op": "irecv", "peer": 1, "request": 3, **message}, {"rank": 0, "op": "wait", "request": 3},
                         {"rank": 1, "op": "sleep"}, {"rank": 1, "op": "send", "peer": 0, **message}])
        (parties,) = trace.arrows().values()
        self.assertEqual([made.name for made in parties], ["send", "wait"])
        self.assertLessEqual(parties[0].end, parties[1].time)

    def test_a_call_that_is_never_left_lasts_to_the_end_and_what_follows_is_not_drawn(self):
        trace = self.of([{"rank": 0, "op": "recv", "peer": 1, "count": 1, "dtype": "int32"}, {"rank": 0, "op": "barrier"},
                         {"rank": 1, "op": "sleep"}, {"rank": 1, "op": "barrier"}])
        (blocked,) = self.calls(trace, "rank 0")
        self.assertEqual(blocked.arguments["blocked"], "never left")
        self.assertEqual(blocked.end, max(made.end for made in trace.slices))
        self.assertIn("deadlock", [made.name for made in trace.instants if trace.tracks[made.track].endswith("rank 0")])

    def test_what_was_enqueued_behind_the_call_in_which_a_rank_stands_has_a_track(self):
        data = {"comm": "dp", "count": 1, "dtype": "int32", "state": "scheduled"}
        trace = self.of([{"comm": "dp", "ranks": [0, 1], "backend": "nccl"}, {"rank": 0, "op": "allreduce", "time": 1.0, **data},
                         {"rank": 0, "op": "allgather", "time": 1.5, **data}, {"rank": 0, "end": "running"},
                         {"rank": 1, "end": "running"}])
        self.assertEqual([made.name for made in self.calls(trace, "rank 0 / calls")], ["allreduce dp"])
        (behind,) = self.calls(trace, "rank 0 / enqueued behind")
        self.assertEqual((behind.name, behind.time - trace.begin), ("allgather dp", 500_000_000))

    def test_recorded_times_are_kept_and_moved_later_where_causes_demand_it(self):
        data = {"count": 1, "dtype": "int32"}
        trace = self.of([{"rank": 0, "op": "send", "peer": 1, "time": 12.5, **data}, {"rank": 0, "op": "barrier", "time": 13.0},
                         {"rank": 1, "op": "recv", "peer": 0, "time": 10.0, **data}, {"rank": 1, "op": "barrier", "time": 14.0}])
        send, waits, _ = self.calls(trace, "rank 0")
        early, recv, barrier = self.calls(trace, "rank 1")
        self.assertEqual([made.time - trace.begin for made in (early, send, waits, barrier)],
                         [0, 2_500_000_000, 3_000_000_000, 4_000_000_000])
        self.assertTrue(send.end <= recv.time < send.time + 1_000_000)

    def test_streams_and_threads_have_tracks_of_their_own(self):
        on = {"comm": "dp", "count": 1, "dtype": "float32", "stream": "s"}
        trace = self.of([{"comm": "dp", "ranks": [0, 1], "backend": "nccl"}] + [line for rank in (0, 1) for line in (
            {"rank": rank, "op": "group_start"}, {"rank": rank, "op": "send", "peer": 1 - rank, **on},
            {"rank": rank, "op": "recv", "peer": 1 - rank, **on}, {"rank": rank, "op": "group_end"},
            {"rank": rank, "op": "stream_sync", "stream": "s"})] + [{"rank": 1, "op": "sleep", "thread": 2}])
        self.assertEqual([made.name for made in self.calls(trace, "rank 0 / stream s")], ["send dp", "recv dp"])
        self.assertEqual([made.name for made in self.calls(trace, "rank 1 / thread 2")], ["sleep"])
        host = self.calls(trace, "rank 0 / host")
        self.assertEqual([made.name for made in host], ["group_start", "group_end", "waits", "stream_sync"])
        self.assertEqual(len(trace.arrows()), 2)

    def test_is_no_text_for_a_terminal(self):
        ours, theirs = os.openpty()
        done = subprocess.run([PETRI, "export", "--to", "perfetto", SCENARIOS / "c02-order-swap" / "scenario.jsonl"],
                              stdout=theirs, stderr=subprocess.PIPE, text=True)
        os.close(theirs)
        os.close(ours)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--to perfetto writes no text, and standard output is a terminal: name a file by -o", done.stderr)

    def test_every_kept_scenario_has_its_calls_once_and_its_findings(self):
        scenarios = sorted(SCENARIOS.glob("*/scenario.jsonl*"))
        for scenario in scenarios:
            with self.subTest(scenario.parent.name):
                trace = exported(scenario)
                self.check(trace)
                lines = [json.loads(line) for line in scenario.read_text().splitlines()]
                side_by_side = any("stream" in line or "thread" in line for line in lines)
                recorded = {}
                for line in lines:
                    if "op" in line:
                        recorded.setdefault(line["rank"], []).append(line["op"])
                for rank, ops in recorded.items():
                    calls = [made for made in trace.slices if made.name != "waits" and
                             (trace.tracks[made.track] + " ").split(" / ", 1)[1].startswith("rank %d " % rank)]
                    calls.sort(key=lambda made: made.arguments["seq"])
                    names = [made.name.split(" ")[0] for made in calls]
                    if side_by_side:
                        self.assertLessEqual(len(names), len(ops))
                        continue
                    self.assertEqual(names, ops[:len(names)])
                    self.assertTrue(len(names) == len(ops) or "blocked" in calls[-1].arguments)
                expected = lines[0].get("expect", {}).get("verdict")
                if expected != "completes":
                    self.assertIn(expected, [made.name for made in trace.instants])
        self.assertGreater(len(scenarios), 80)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
