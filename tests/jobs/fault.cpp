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
     {"allreduce(site=a); allreduce(site=b)", "allreduce(site=b); allreduce(site=a)"}},
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
    {"own-send", "a message left out", deadlock, own_send_left_out, {}, "", {}, kWithMessages},
    {"own-receive", "a receive left out", deadlock, own_receive_left_out, {}, "", {}, kWithMessages},
    {"own-tag", "a message with a wrong tag", deadlock, own_message_with_wrong_tag, {}, "", {}, kWithMessages},
    {"own-skip", "a collective of a group left out", deadlock, own_collective_left_out, {}, "", {}, kWithGroups},
    {"own-finalize", "finalize in the middle of a step", deadlock, own_finalize_in_the_middle, {}, "", {}, kSteady},
};

}  // namespace

const std::vector<Fault>& faults() {
  return kFaults;
}

bool Fault::goes_into(const Generator& generator, const Variant& variant) const {
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

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all{
      {"plain"}, {"group", true, false}, {"recorded", false, true}, {"group-recorded", true, true}};
  return all;
}

PlantedJob plant(const Fault& fault, const Variant& variant, const Generator& generator, const JobSize& size,
                 Place place) {
  place.in_group = variant.in_group;
  PlantedJob planted = plant(fault, generator, size, place);
  const auto stopped = [](const RankTrace& rank) { return rank.end.kind == EndKind::running; };
  const bool is_recording = std::any_of(planted.scenario.ranks.begin(), planted.scenario.ranks.end(), stopped);
  if (variant.recorded && !is_recording) planted.scenario = recorded(std::move(planted.scenario));
  return planted;
}

Place usual_place(const JobSize& size) {
  return {size.world / 2 + 1, size.steps / 2};
}

Scenario minimum_of(const Fault& fault, const Variant& variant) {
  const bool other = variant.recorded && !fault.recorded_minimum.empty();
  return test::script(other ? fault.recorded_minimum : fault.minimum, fault.comms);
}

}  // namespace petri::jobs
