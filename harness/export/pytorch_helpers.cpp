#include "harness/export/pytorch_helpers.hpp"

namespace petri::pytorch {
namespace {

constexpr std::string_view kAlways = R"py(
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
)py";

constexpr std::string_view kRooms = R"py(
def rooms(number, count, dtype):
    return [room(count, dtype) for _ in range(number)]
)py";

constexpr std::string_view kWait = R"py(
def wait(works):
    for work in works:
        if work is not None:
            work.wait()
)py";

constexpr std::string_view kWaitAny = R"py(
AWAITED = {}  # requests that have a thread of their own: torch waits for single ones only


def await_one(number, works):
    try:
        wait(works)
    except Exception:
        fail()
    AWAITED[number].set()


def wait_any(request, several, *numbers):
    """Until one of the requests is complete, which then is done with; or, for several, all that are complete are."""
    there = [number for number in numbers if number in request]
    for number in there:
        if number not in AWAITED:
            AWAITED[number] = threading.Event()
            threading.Thread(target=await_one, args=(number, request[number]), daemon=True).start()
            request[number] = [AWAITED[number]]
    complete = []
    while there and not complete:
        time.sleep(0.002)
        complete = [number for number in there if AWAITED[number].is_set()]
    for number in complete if several else complete[:1]:
        del request[number]
)py";

constexpr std::string_view kEnqueue = R"py(
STREAMS = {}  # by name: a stream of the device or, with Gloo, the queue of the thread that stands for it
STANDS = {}  # by name: the line whose call a thread performs
ISSUED, BEGUN = {}, {}  # by group: how many calls the rank has enqueued and begun there
TURN = threading.Condition()


def stream(name):
    if name not in STREAMS:
        if HERE["cuda"]:
            STREAMS[name] = torch.cuda.Stream()
        else:
            STREAMS[name] = queue.Queue()
            threading.Thread(target=perform, args=(name, STREAMS[name]), daemon=True).start()
    return STREAMS[name]


def perform(name, calls):
    """Stands for a stream: performs its calls one after the other."""
    try:
        while True:
            line, tickets, call = calls.get()
            STANDS[name] = line
            with TURN:
                TURN.wait_for(lambda: all(BEGUN.get(group, 0) == number for group, number in tickets))
            works = call()
            with TURN:
                for group, _ in tickets:
                    BEGUN[group] = BEGUN.get(group, 0) + 1
                TURN.notify_all()
            wait(works)
            del STANDS[name]
            calls.task_done()
    except Exception:
        fail()


def enqueue(name, groups, call):
    """Puts a call on a stream; calls on one group begin in the order in which they were enqueued, whatever the stream."""
    if HERE["cuda"]:
        with torch.cuda.stream(stream(name)):
            return wait(call())
    tickets = []
    for group in groups.split():
        tickets.append((group, ISSUED.get(group, 0)))
        ISSUED[group] = ISSUED.get(group, 0) + 1
    stream(name).put((sys._getframe(1).f_lineno, tickets, call))


def sync(*names):
    """Waits for these streams, or for all."""
    for name in names or list(STREAMS):
        stream(name).synchronize() if HERE["cuda"] else stream(name).join()
)py";

constexpr std::string_view kEvents = R"py(
EVENTS = {}


def record_event(name, event):
    EVENTS[event] = torch.cuda.Event() if HERE["cuda"] else threading.Event()
    if HERE["cuda"]:
        EVENTS[event].record(stream(name))
    else:
        done = EVENTS[event]
        stream(name).put((sys._getframe(1).f_lineno, [], lambda: done.set() or []))


def wait_event(name, event):
    """What is put on the stream from now on waits for the event; one that was never recorded is no event."""
    done = EVENTS.get(event)
    if done is not None and HERE["cuda"]:
        stream(name).wait_event(done)
    elif done is not None:
        stream(name).put((sys._getframe(1).f_lineno, [], lambda: done.wait() and []))


def sync_event(event):
    done = EVENTS.get(event)
    if done is not None:
        done.synchronize() if HERE["cuda"] else done.wait()
)py";

constexpr std::string_view kCompute = R"py(
def compute(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
)py";

constexpr std::string_view kSettle = R"py(
def settle():
    if HERE["cuda"]:
        torch.cuda.synchronize()
)py";

constexpr std::string_view kSettleStreams = R"py(
def settle():
    sync()
    if HERE["cuda"]:
        torch.cuda.synchronize()
)py";

constexpr std::string_view kRunner = R"py(
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
)py";

std::string_view text_of(Helper helper) {
  switch (helper) {
    case Helper::rooms: return kRooms;
    case Helper::wait: return kWait;
    case Helper::wait_any: return kWaitAny;
    case Helper::enqueue: return kEnqueue;
    case Helper::events: return kEvents;
    case Helper::compute: return kCompute;
  }
  return {};
}

}  // namespace

std::string helper_functions(const std::set<Helper>& wanted) {
  std::set<Helper> all = wanted;
  if (all.count(Helper::events) != 0) all.insert(Helper::enqueue);
  if (all.count(Helper::enqueue) != 0 || all.count(Helper::wait_any) != 0) all.insert(Helper::wait);
  std::string out(kAlways);
  out += '\n';
  out += all.count(Helper::enqueue) != 0 ? kSettleStreams : kSettle;
  for (const Helper helper : all) {
    out += '\n';
    out += text_of(helper);
  }
  return out + '\n';
}

std::string_view runner() {
  return kRunner;
}

}  // namespace petri::pytorch
