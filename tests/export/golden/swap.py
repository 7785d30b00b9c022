#!/usr/bin/env python3
# swap: 3 ranks of a recorded job, written by petri from scenario.
#
# Verdict:   deadlock
# Signature: deadlock/7
# Original:  big.jsonl xxh3-128:00
#
# Needs:     PyTorch
# Run:       python case.py                   starts its 3 ranks itself, with Gloo
#            python case.py --backend nccl    with NCCL, where each rank has a GPU
#            torchrun --nproc-per-node 3 case.py
# Status:    0 all ranks came to the end, 10 they hang, 14 a rank failed, 3 something is missing
import argparse
import datetime
import linecache
import multiprocessing
import os
import sys
import tempfile
import threading
import time
import traceback

try:
    import torch
    import torch.distributed as dist
except ImportError as error:
    print("PyTorch is missing: %s" % error, file=sys.stderr)
    sys.exit(3)

WORLD = 3
TIMEOUT = 20  # seconds until the ranks count as hanging
STARTUP = 300  # seconds until all ranks are there
HUNG, FAILED, MISSING = 10, 14, 3
HERE = {}  # what this rank has: its device, the group of all, the end of its time


def room(count, dtype):
    return torch.zeros(count, dtype=dtype, device=HERE["device"])


def stay():
    """The record stops while this rank ran: it makes no more calls."""
    while True:
        time.sleep(1)


def finish():
    """The end of the program, where all ranks meet: one that left early would break the connections of the others."""
    settle()
    dist.barrier(group=HERE["all"])
    sys.stdout.flush()
    os._exit(0)


def settle():
    if HERE["cuda"]:
        torch.cuda.synchronize()


def make_groups(long):
    """All ranks make all groups in the same order, as torch demands."""
    global comm_1_dp0
    comm_1_dp0 = dist.new_group([0, 1], timeout=long)


# Rank 0, 4 of the original job
def role_0():
    dist.all_reduce(room(4, torch.float32), group=comm_1_dp0)  # train.cpp:41, step 7
    dist.barrier(group=comm_1_dp0)  # step 7
    stay()


# Rank 1, 17 of the original job
def role_1():
    dist.barrier(group=comm_1_dp0)  # step 7
    dist.all_reduce(room(4, torch.float32), group=comm_1_dp0)  # step 7, operation not recorded: sum
    stay()


# Rank 2, 42 of the original job
def role_2():
    stay()


ROLES = {}
ROLES.update(dict.fromkeys([0], role_0))
ROLES.update(dict.fromkeys([1], role_1))
ROLES.update(dict.fromkeys([2], role_2))


def say(text):
    os.write(1, (text + "\n").encode())  # at once, so that the lines of several ranks do not mix


def line(number):
    return "line %d: %s" % (number, linecache.getline(__file__, number).strip())


def standing():
    """Where this rank stands."""
    frames = traceback.extract_stack(sys._current_frames()[threading.main_thread().ident])
    calls = [frame.lineno for frame in frames if frame.name.startswith("role_")]
    inner = {frame.name for frame in frames}
    if "stay" in inner:
        place = "stays away, as its record does"
    elif not calls:
        place = "has not begun"
    elif "finish" in inner and not HERE["streams"]:
        place = "came to its end and waits for the others"
    else:
        place = "stands in " + line(calls[-1])
    for name, number in sorted(HERE["streams"].items()):
        place += "\n  its stream %s stands in %s" % (name, line(number))
    return place


def watch(rank):
    while time.monotonic() < HERE["deadline"]:
        time.sleep(0.05)
    say("rank %d %s" % (rank, standing()))
    time.sleep(1.5)  # who leaves breaks the connections of others that have yet to report
    os._exit(HUNG)


def fail():
    """A call threw. With the time over it did so because others have left."""
    if time.monotonic() > HERE["deadline"] - 0.5:
        stay()
    say("rank %s: %s" % (os.environ["RANK"], traceback.format_exc()))
    os._exit(FAILED)


def run_rank(args):
    rank, local = int(os.environ["RANK"]), int(os.environ.get("LOCAL_RANK", "0"))
    missing = ""
    if int(os.environ.get("WORLD_SIZE", "0")) != WORLD:
        missing = "this case has %d ranks: WORLD_SIZE is %s" % (WORLD, os.environ.get("WORLD_SIZE"))
    elif args.backend == "nccl" and torch.cuda.device_count() <= local:
        missing = "rank %d: NCCL needs a GPU for each rank, here are %d" % (rank, torch.cuda.device_count())
    if missing:
        say(missing)
        return MISSING
    HERE.update(device="cpu", cuda=args.backend == "nccl", deadline=time.monotonic() + args.timeout + STARTUP)
    HERE["streams"] = globals().get("STANDS", {})
    threading.Thread(target=watch, args=(rank,), daemon=True).start()
    try:
        if HERE["cuda"]:
            HERE["device"] = torch.device("cuda", local)
            torch.cuda.set_device(HERE["device"])
        long = datetime.timedelta(seconds=args.timeout + 2 * STARTUP)  # so that a hang is one
        where = {"init_method": "file://" + args.store} if args.store else {}
        dist.init_process_group(args.backend, timeout=long, rank=rank, world_size=WORLD, **where)
        HERE["all"] = dist.new_group(backend="gloo", timeout=long)
        make_groups(long)
        dist.barrier(group=HERE["all"])
        HERE["deadline"] = time.monotonic() + args.timeout
        ROLES[rank]()
    except Exception:
        fail()


def end_of(children, args):
    """Waits for the ranks; those that outlive a failed one or the time by far are ended."""
    limit = time.monotonic() + args.timeout + STARTUP + 10
    while any(child.exitcode is None for child in children) and time.monotonic() < limit:
        if any(child.exitcode for child in children):  # one that failed, or reported
            limit = min(limit, time.monotonic() + args.timeout + 10)
        time.sleep(0.02)
    for child in children:
        if child.exitcode is None:
            child.kill()
        child.join()
    return [child.exitcode for child in children]


def begin(rank, args):
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(WORLD))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os._exit(run_rank(args) or 0)


def start(args):
    """Starts the ranks by fork, so that torch is imported once; nothing has touched a device before."""
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        args.store = os.path.join(folder, "store")
        children = [context.Process(target=begin, args=(rank, args)) for rank in range(WORLD)]
        try:
            for child in children:
                child.start()
            ends = end_of(children, args)
        finally:
            for child in children:
                if child.pid and child.exitcode is None:
                    child.kill()
    if MISSING in ends:
        return MISSING
    failed = [rank for rank, end in enumerate(ends) if end not in (0, HUNG)]
    if failed:
        say("failed: " + ", ".join("rank %d ended with %d" % (rank, ends[rank]) for rank in failed[:8]))
        return FAILED
    if HUNG in ends:
        say("hangs: %d of %d ranks are there after %g s" % (ends.count(HUNG), WORLD, args.timeout))
        return HUNG
    say("completes: all ranks came to the end")
    return 0


def main():
    parser = argparse.ArgumentParser(description="A recorded case as torch.distributed calls: see the head of this file.")
    parser.add_argument("--backend", choices=["gloo", "nccl"], default="gloo")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, help="seconds until it hangs (default: %(default)s)")
    args = parser.parse_args()
    args.store = ""
    return run_rank(args) if "RANK" in os.environ else start(args)


if __name__ == "__main__":
    sys.exit(main())
