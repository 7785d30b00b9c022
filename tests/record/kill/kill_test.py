#!/usr/bin/env python3
"""Kills a recorded job with SIGKILL at random moments: one rank, all ranks, or mpirun, in turn.

Each time the record must import, and hold every event but the one in flight: a rank's own count of the calls that
returned, kept outside the record, is the judge. No process of the job, no segment in /dev/shm and no temporary file may
remain. The moments come from a seed, which is printed.

Usage: kill_test.py --petri PROGRAM --library FILE --program FILE [--count N] [--seed N]
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

RANKS = 3
VICTIMS = ("one rank", "all ranks", "mpirun")
LIMIT_S = 60


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def wait_until(condition, what, limit=LIMIT_S):
    end = time.monotonic() + limit
    while not condition():
        expect(time.monotonic() < end, f"{what}: not within {limit} s")
        time.sleep(0.005)


def count_of(folder, rank):
    try:
        return struct.unpack("=Q", (folder / f"count.{rank}").read_bytes())[0]
    except (OSError, struct.error):
        return 0


def processes_of(mark):
    """The processes that have this job's mark in their environment."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if f"PETRI_KILL_TEST={mark}".encode() in environment and state not in "ZX":
            rank = next((word.split(b"=")[1] for word in environment if word.startswith(b"OMPI_COMM_WORLD_RANK=")), None)
            found[int(entry.name)] = None if rank is None else int(rank)
    return found


def start(options, folder, mark):
    """mpirun with a place of its own for temporary files: what a killed mpirun leaves behind goes with it."""
    temporary = folder / "tmp"
    temporary.mkdir()
    environment = dict(os.environ, LD_PRELOAD=options.library, PETRI_RECORD_DIR=str(folder / "record"),
                       PETRI_KILL_TEST=mark, TMPDIR=str(temporary),
                       OMPI_MCA_btl_vader_backing_directory=str(temporary),  # Open MPI 4.1
                       OMPI_MCA_btl_sm_backing_directory=str(temporary))  # Open MPI 5.0
    command = ["mpirun", "--oversubscribe", "-n", str(RANKS), options.program, str(folder)]
    with open(folder / "output", "wb") as output:
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                stderr=subprocess.STDOUT, start_new_session=True)


def end_all(mark):
    for pid in processes_of(mark):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def made_since(path, began):
    try:
        return os.stat(path).st_ctime >= began - 1  # the file system's clock is coarse
    except OSError:
        return False


def temporary_files_of(pids, folder, began):
    """Files that were made since the job began, outside of its own folder, and that its processes have mapped or open."""
    found = set()
    for pid in pids:
        process = pathlib.Path("/proc") / str(pid)
        try:
            found.update(line.split(None, 5)[5].strip() for line in (process / "maps").open() if "/" in line)
            found.update(os.readlink(entry) for entry in (process / "fd").iterdir())
        except OSError:
            continue  # it ends already, or an entry was closed meanwhile
    outside = {path for path in found if path.startswith(("/dev/shm/", "/tmp/")) and not path.startswith(f"{folder}/")}
    return {path for path in outside if made_since(path, began)}


def strike(victim, mpirun, mark, dice):
    ranks = {pid: rank for pid, rank in processes_of(mark).items() if rank is not None}
    expect(len(ranks) == RANKS, f"{len(ranks)} ranks run")
    targets = {"one rank": [dice.choice(sorted(ranks))], "all ranks": list(ranks), "mpirun": [mpirun.pid]}[victim]
    for pid in targets:
        os.kill(pid, signal.SIGKILL)
    return [ranks[pid] for pid in targets if pid in ranks]


def events_by_rank(file):
    """For each rank: events before the kept ones, states of those, and the end's line."""
    states, ends = [[] for _ in range(RANKS)], {}
    with open(file, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if "op" in line:
                states[line["rank"]].append((line.get("seq"), line.get("state")))
            elif "rank" in line:
                ends[line["rank"]] = line
    return states, ends


def check_record(options, folder, killed):
    run = subprocess.run([options.petri, "import", "-o", folder / "job.jsonl", folder / "record"], capture_output=True,
                         text=True, timeout=LIMIT_S)
    expect(run.returncode == 0, f"import ended with {run.returncode}: {run.stderr}")
    states, ends = events_by_rank(folder / "job.jsonl")
    for rank in range(RANKS):
        end = ends[rank]
        completed = sum(state == "completed" for _, state in states[rank])
        expect(all(state == "completed" for _, state in states[rank][:-1]), f"rank {rank}: an event before the last is open")
        recorded = end.get("dropped", 0) + completed - 1  # the count leaves init out
        counted = count_of(folder, rank)
        # The process may have been killed between the end of a call and its own count of it.
        expect(counted <= recorded <= counted + 1, f"rank {rank}: {recorded} events recorded, {counted} calls counted")
        if rank in killed:
            expect(end["end"] == "signal", f"rank {rank} was killed, and its record ends as {end['end']}")
    return sum(end.get("dropped", 0) + len(states[rank]) for rank, end in ends.items())


def check_remains(mark, temporary):
    wait_until(lambda: not processes_of(mark), "the job's processes end")
    left = sorted(path for path in temporary if os.path.exists(path))
    expect(not left, f"files are left: {left}")


def once(options, number, dice):
    victim = VICTIMS[number % len(VICTIMS)]
    mark = f"{os.getpid()}.{number}"
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kill-test-", dir=memory))
    mpirun = None
    try:
        began = time.time()
        mpirun = start(options, folder, mark)
        calls = int(dice.expovariate(1 / 5000)) + 1
        wait_until(lambda: all(count_of(folder, rank) >= 1 for rank in range(RANKS)) and count_of(folder, 0) >= calls,
                   f"{calls} calls")
        temporary = temporary_files_of(processes_of(mark), folder, began)
        killed = strike(victim, mpirun, mark, dice)
        mpirun.wait(timeout=LIMIT_S)
        check_remains(mark, temporary)
        events = check_record(options, folder, killed)
        print(f"{number + 1}: {victim} after {calls} calls of rank 0: {events} events, each counted", flush=True)
    except Failure as failure:
        output = (folder / "output").read_text(errors="replace")
        raise Failure(f"{number + 1}, {victim}: {failure}\n{output}") from None
    finally:
        end_all(mark)
        if mpirun is not None:
            mpirun.wait()
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--petri", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    for number in range(options.count):
        try:
            once(options, number, dice)
        except Failure as failure:
            print(f"FAILED: {failure}")
            return 1
    print(f"all {options.count} records are whole")
    return 0


if __name__ == "__main__":
    sys.exit(main())
