"""The calls of torch.distributed that exported scripts make, with the signatures of the real ones."""
import os

from torch import record

WORLD = {}


class ReduceOp:
    SUM, PRODUCT, MIN, MAX, AVG, BAND, BOR, BXOR = "SUM PRODUCT MIN MAX AVG BAND BOR BXOR".split()


class Group:
    def __init__(self, ranks):
        self.ranks = ranks


class Work:
    def __init__(self, name):
        self.name = name

    def wait(self):
        record("waited for " + self.name)


def init_process_group(backend, init_method=None, timeout=None, world_size=-1, rank=-1):
    assert backend == "gloo" and rank == int(os.environ["RANK"]) and timeout is not None
    WORLD["ranks"] = list(range(world_size))


def new_group(ranks=None, timeout=None, backend=None):
    return Group(None if backend else list(ranks))


def call(name, arguments, group, work):
    if group is not None and group.ranks is None:
        return None  # the script's own
    ranks = WORLD["ranks"] if group is None else group.ranks
    assert int(os.environ["RANK"]) in ranks, "a call on a group that the rank is not in"
    for peer in ("src", "dst"):
        assert arguments.get(peer) is None or arguments[peer] in ranks, "a peer outside the group"
    if peer_is_self(name, arguments):
        raise ValueError("a message to itself")
    shown = ", ".join("%s=%s" % (key, value) for key, value in arguments.items() if value not in (None, 0))
    record("%s(%s)%s%s" % (name, shown, "" if group is None else " on %s" % ranks, " begun" if work else ""))
    return Work(name) if work else None


def peer_is_self(name, arguments):
    messages = {"send": "dst", "isend": "dst", "recv": "src", "irecv": "src"}
    return name in messages and arguments[messages[name]] == int(os.environ["RANK"])


def barrier(group=None, async_op=False):
    return call("barrier", {}, group, async_op)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    return call("all_reduce", {"tensor": tensor, "op": op}, group, async_op)


def broadcast(tensor, src, group=None, async_op=False):
    return call("broadcast", {"tensor": tensor, "src": src}, group, async_op)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None, async_op=False):
    return call("reduce", {"tensor": tensor, "dst": dst, "op": op}, group, async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    return call("all_gather", {"tensor_list": tensor_list, "tensor": tensor}, group, async_op)


def gather(tensor, gather_list=None, dst=0, group=None, async_op=False):
    return call("gather", {"tensor": tensor, "gather_list": gather_list, "dst": dst}, group, async_op)


def scatter(tensor, scatter_list=None, src=0, group=None, async_op=False):
    return call("scatter", {"tensor": tensor, "scatter_list": scatter_list, "src": src}, group, async_op)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    return call("reduce_scatter", {"output": output, "input_list": input_list, "op": op}, group, async_op)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    for tensor, sizes in ((output, output_split_sizes), (input, input_split_sizes)):
        assert sizes is None or sum(sizes) == tensor.count
    return call("all_to_all_single", {"output": output, "input": input}, group, async_op)


def send(tensor, dst, group=None, tag=0):
    call("send", {"tensor": tensor, "dst": dst, "tag": tag}, group, False)


def recv(tensor, src=None, group=None, tag=0):
    call("recv", {"tensor": tensor, "src": src, "tag": tag}, group, False)


def isend(tensor, dst, group=None, tag=0):
    return call("isend", {"tensor": tensor, "dst": dst, "tag": tag}, group, True)


def irecv(tensor, src=None, group=None, tag=0):
    return call("irecv", {"tensor": tensor, "src": src, "tag": tag}, group, True)


class P2POp:
    def __init__(self, op, tensor, peer, group=None, tag=0):
        self.begin = lambda: op(tensor, peer, group=group, tag=tag)
        self.group = group


def batch_isend_irecv(p2p_op_list):
    assert len({id(op.group) for op in p2p_op_list}) == 1, "messages of several groups in one batch"
    return [op.begin() for op in p2p_op_list]
