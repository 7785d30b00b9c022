#include "tests/jobs/fault.hpp"

#include <algorithm>
#include <utility>

#include "tests/jobs/plants.hpp"
#include "tests/jobs/recording.hpp"
#include "tests/support/script.hpp"

namespace petri::jobs {
namespace {

using namespace plants;
using enum Verdict;

// Of the calls of a blocked rank its last one alone decides, and its signature names nothing else: so a deadlock in
// which each rank waits for another needs one call of each, however long the way there was. A race needs as many
// receives as messages: else a sender waits for ever. Sizes stay as large as the failure, where they are it.
const std::vector<std::string_view> kWithMessages{"training_3d", "training_3d_interleaved", "halo_3d"};
const std::vector<std::string_view> kWithGroups{"training_3d", "training_3d_interleaved", "moe", "sharded_dp"};
const std::vector<std::string_view> kWithRequests = kWithGroups;
const std::vector<std::string_view> kSteady{"training_3d", "training_3d_interleaved", "moe", "sharded_dp", "halo_3d"};

const std::vector<Fault> kFaults{
    {"C01",
     "an extra barrier on one rank; the job goes on",
     deadlock,
     guard_shift,
     {"barrier", "allreduce(count=1 dtype=float32 reduce=sum)"}},
    {"C01-end", "an extra barrier on one rank, at the end", deadlock, guard_shift_at_the_end, {"barrier", ""}},
    {"C02",
     "allreduce and barrier in another order",
     deadlock,
     order_swap,
     {"barrier", "allreduce(count=4 dtype=float32 reduce=sum)"}},
    {"C03",
     "two like reductions in another order",
     mismatch,
     silent_swap,
     {"allreduce(site=a); allreduce(site=b)", "allreduce(site=b); allreduce(site=a)"},
     "",
     {},
     {},
     true},
    {"C03-no-sites", "the same without call sites: not to be seen", completes, silent_swap_without_sites},
    // The gather that is missing must be there to clash, and both ranks' next calls to meet.
    {"C04",
     "the gather of a sharded module left out",
     deadlock,
     sharded_module_skipped,
     {"allgather(count=4096 dtype=float32); allgather(count=1024 dtype=float32)",
      "allgather(count=1024 dtype=float32); reduce_scatter_block(count=1024 dtype=float32 reduce=sum)"}},
    {"C05",
     "every rank is root of its own broadcast",
     mismatch,
     every_rank_its_own_root,
     {"bcast(root=0)", "bcast(root=1)"}},
    {"C05-one", "one rank is root of its own broadcast", mismatch, own_root, {"bcast(root=0)", "bcast(root=1)"}},
    {"C06",
     "two communicators in another order",
     deadlock,
     two_communicators,
     {"allreduce(comm=a)", "allreduce(comm=b)"},
     R"({"comm":"a","ranks":[0,1]}
          {"comm":"b","ranks":[0,1]})"},
    {"C07",
     "a cycle over three pairwise communicators",
     deadlock,
     pairwise_communicators,
     {"allreduce(comm=low)", "allreduce(comm=high)", "allreduce(comm=ends)"},
     R"({"comm":"low","ranks":[0,1]}
          {"comm":"high","ranks":[1,2]}
          {"comm":"ends","ranks":[0,2]})"},
    {"C07-legal", "pairwise communicators in one order", completes, pairwise_communicators_legal},
    {"C08",
     "comm_create lacks a member of its parent",
     deadlock,
     group_creation_lacks_member,
     {"comm_create", "allreduce"}},
    {"C08-one-call", "disjoint groups in one comm_create", completes, private_groups_in_one_call},
    {"C08-by-group", "disjoint groups by comm_create_group", completes, private_groups_by_group},
    {"C09",
     "both send before they receive",
     deadlock,
     send_send,
     {"send(peer=1 count=131072 dtype=float64)", "send(peer=0 count=131072 dtype=float64)"}},
    {"C09-legal", "one receives first", completes, send_send_ordered},
    {"C10",
     "receives deferred, deep in the backward phase",
     deadlock,
     deferred_receives,
     {"send(peer=1 count=65536 dtype=float64)", "send(peer=0 count=65536 dtype=float64)"}},
    {"C11",
     "the probed message is not the received one",
     race,
     probe_race,
     {"recv(peer=any count=800 dtype=char); recv(peer=any count=800 dtype=char)", "send(peer=0 count=8 dtype=char)",
      "send(peer=0 count=800 dtype=char)"}},
    {"C12",
     "a rank closes after a local error",
     rank_error,
     error_path,
     {"compute(error=full); barrier", "bcast(root=0)"}},
    {"C12-unrecorded",
     "the same without a record of the error",
     deadlock,
     error_path_unrecorded,
     {"barrier", "bcast(root=0)"}},
    {"C13", "an initial reduction on one rank alone", deadlock, history_flag, {"allreduce", ""}},
    {"C14",
     "a rank sleeps longer than the watchdog",
     skew,
     slow_rank,
     {"sleep(state=started); end(running)", "barrier(state=started); end(running)"}},
    {"C15",
     "a result differs, and with it who leaves the loop",
     divergence,
     number_becomes_control_flow,
     {R"(allreduce(out={"digest":"xxh3-128:11111111111111111111111111111111"}))",
      R"(allreduce(out={"digest":"xxh3-128:22222222222222222222222222222222"}))"}},
    {"C16", "each rank asks its own clock", deadlock, clock_decision, {"bcast(root=0)", "allreduce"}},
    {"C17",
     "gradient buckets in another order",
     mismatch,
     bucket_order,
     {"allreduce(count=25000)", "allreduce(count=1000)"}},
    {"C18", "a rank exits on a signal", rank_error, signal_exit, {"end(exited)", "allreduce"}},
    {"C18-finalize", "a rank finalizes on a signal", deadlock, signal_finalize, {"", "allreduce"}},
    // A library whose locks return early lets both come to the barrier: without the second one it would block, too.
    {"C19",
     "a lock kept over a barrier",
     deadlock,
     lock_and_barrier,
     {"win_lock(win=w target=0 lock=exclusive); barrier", "win_lock(win=w target=0 lock=exclusive); barrier"},
     "",
     {"win_lock(win=w target=0 lock=exclusive); barrier", "win_lock(win=w target=0 lock=exclusive); end(running)"}},
    {"C19-shared", "a shared lock kept over a barrier", completes, lock_and_barrier_shared},
    {"C20",
     "lengths and data of two senders can pair",
     race,
     message_mixing,
     {"recv(peer=any count=256 dtype=char); recv(peer=any count=256 dtype=char)", "send(peer=0 count=100 dtype=char)",
      "send(peer=0 count=200 dtype=char)"}},
    {"N1", "orders agree, and it hangs all the same", ambiguous, no_ordering_fault},
    {"N2", "a library says mismatch, the record does not", completes, transport_text},
    {"N3", "a barrier that one rank left early", completes, barrier_left_early},
    {"M1",
     "a collective on a communicator that all have freed",
     misuse,
     communicator_used_after_free,
     {"comm_free(comm=d); allreduce(comm=d)"},
     R"({"comm":"d","ranks":[0]})"},
    {"M1-legal", "a communicator that all free", completes, communicator_freed},
    {"M2",
     "the request of a collective freed before it is complete",
     misuse,
     collective_request_freed,
     {"ibarrier(request=1); request_free(request=1)"}},
    {"M2-legal", "the request of a message freed", completes, message_request_freed},
    {"M3", "a request that is never completed", misuse, request_never_completed, {"isend(peer=1 request=1)", ""}},
    {"M4",
     "a persistent request started while it is active",
     misuse,
     started_while_active,
     {"send_init(peer=1 request=1); start(request=1); start(request=1)", ""}},
    {"M5",
     "a send from memory that is being received into",
     misuse,
     memory_in_use,
     {"irecv(peer=1 request=1 recvbuffer=[4096,128]); send(peer=1 sendbuffer=[4160,128])", "recv(peer=0)"}},
    {"M5-legal", "a send from the memory beside it", completes, memory_beside},
    {"M6",
     "a window locked after it was freed",
     misuse,
     window_used_after_free,
     {"win_free(win=w); win_lock(win=w target=0 lock=shared)"}},
    {"M7", "a put outside of an epoch", misuse, access_outside_an_epoch, {"put(win=w target=0)"}},
    {"M7-legal", "a put under a lock", completes, access_in_an_epoch},
    {"M8",
     "a reduction operation that the type does not take",
     misuse,
     reduction_without_meaning,
     {"allreduce(dtype=float32 reduce=band)"}},
    {"own-send", "a message left out", deadlock, own_send_left_out, {}, "", {}, kWithMessages},
    {"own-receive", "a receive left out", deadlock, own_receive_left_out, {}, "", {}, kWithMessages},
    {"own-tag", "a message with a wrong tag", deadlock, own_message_with_wrong_tag, {}, "", {}, kWithMessages},
    {"own-skip", "a collective of a group left out", deadlock, own_collective_left_out, {}, "", {}, kWithGroups},
    {"own-finalize", "finalize in the middle of a step", deadlock, own_finalize_in_the_middle, {}, "", {}, kSteady},
    {"own-wait", "a wait left out", misuse, own_wait_left_out, {}, "", {}, kSteady},
    {"own-free", "a collective's request freed", misuse, own_request_freed, {}, "", {}, kWithRequests},
};

}  // namespace

const std::vector<Fault>& faults() {
  return kFaults;
}

bool Fault::goes_into(const Generator& generator, const Variant& variant) const {
  if (by_sites && variant.without_sites) return false;
  if (own_calls_of.empty()) return true;
  return !variant.in_group && std::find(own_calls_of.begin(), own_calls_of.end(), generator.name) != own_calls_of.end();
}

PlantedJob plant(const Fault& fault, const Generator& generator, const JobSize& size, Place place) {
  Job job = generator.make(size);
  Phase phase(job, place);
  PlantedJob planted;
  planted.culprits = fault.plant(phase);
  phase.plant();
  planted.scenario = std::move(job.scenario);
  return planted;
}

namespace {

void forget_sites_and_steps(Scenario& scenario) {
  for (RankTrace& rank : scenario.ranks)
    for (Event& event : rank.events) event.site = kNoSymbol, event.step = event.microbatch = kUnset;
}

}  // namespace

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all{
      {"plain"},
      {.name = "group", .in_group = true},
      {.name = "recorded", .recorded = true},
      {.name = "group-recorded", .in_group = true, .recorded = true},
      {.name = "nosites", .without_sites = true},
      {.name = "nosites-recorded", .recorded = true, .without_sites = true},
      {.name = "onestep", .one_step = true},
      {.name = "onestep-recorded", .recorded = true, .one_step = true},
      {.name = "first", .recorded = true, .where = Variant::Where::first},
      {.name = "last", .recorded = true, .where = Variant::Where::last},
  };
  return all;
}

PlantedJob plant(const Fault& fault, const Variant& variant, const Generator& generator, const JobSize& size,
                 Place place) {
  place.in_group = variant.in_group;
  PlantedJob planted = plant(fault, generator, size, place);
  const auto stopped = [](const RankTrace& rank) { return rank.end.kind == EndKind::running; };
  const bool is_recording = std::any_of(planted.scenario.ranks.begin(), planted.scenario.ranks.end(), stopped);
  if (variant.recorded && !is_recording) planted.scenario = recorded(std::move(planted.scenario));
  if (variant.without_sites) forget_sites_and_steps(planted.scenario);
  return planted;
}

Place place_of(const Variant& variant, const JobSize& size) {
  switch (variant.where) {
    case Variant::Where::first: return {0, 0};
    case Variant::Where::last: return {size.world - 1, size.steps - 1};
    case Variant::Where::inside: break;
  }
  return {size.world / 2 + 1, size.steps / 2};
}

Scenario minimum_of(const Fault& fault, const Variant& variant) {
  const bool other = variant.recorded && !fault.recorded_minimum.empty();
  return test::script(other ? fault.recorded_minimum : fault.minimum, fault.comms);
}

}  // namespace petri::jobs
