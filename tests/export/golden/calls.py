def make_groups(long):
    """All ranks make all groups in the same order, as torch demands."""
    global comm_1_pp
    comm_1_pp = dist.new_group([0, 1], timeout=long)


# Rank 0
def role_0():
    request = {}
    enqueue("0/s", "None comm_1_pp", lambda: [*dist.batch_isend_irecv([dist.P2POp(dist.isend, room(8, torch.bfloat16), 1, group=comm_1_pp)]), dist.all_reduce(room(2, torch.int32), op=dist.ReduceOp.MIN, async_op=True)])
    sync("0/s")
    dist.barrier(group=comm_1_pp)  # comm_split: the group was made at the start, its members meet here
    request[9] = [dist.isend(room(1, torch.int8), dst=1, tag=3), dist.irecv(room(1, torch.int8), src=1, tag=3)]
    wait(request.pop(9, []))
    time.sleep(2.5)
    finish()


# Rank 1
def role_1():
    dist.recv(room(8, torch.float32))  # from any: Gloo only, type not recorded: float32
    os.kill(os.getpid(), 11)


ROLES = {}
ROLES.update(dict.fromkeys([0], role_0))
ROLES.update(dict.fromkeys([1], role_1))

