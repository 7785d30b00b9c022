// Completion of requests, MPI 4.1 section 3.7.
#include "harness/record/handles.hpp"
#include "harness/record/recorder.hpp"
#include "harness/record/requests.hpp"
#include "harness/record/strict.hpp"

using namespace petri;
using namespace petri::record;

namespace {

// Names the requests of a call: one in the event itself, more in a list.
void describe(Call& call, const RequestSet& set, bool several) {
  if (!call.active()) return;
  if (several) {
    call.list(Part::requests, set.numbers(), set.size());
  } else if (set.size() == 1 && set.number(0) != kNullRequest) {
    call.slot().request = set.number(0);
  }
}

MPI_Status* status_for(const RequestSet& set, MPI_Status* theirs, MPI_Status& ours) {
  return theirs == MPI_STATUS_IGNORE && set.wants_status() ? &ours : theirs;
}

MPI_Status* statuses_for(const RequestSet& set, MPI_Status* theirs) {
  if (theirs != MPI_STATUSES_IGNORE || !set.wants_status()) return theirs;
  MPI_Status* ours = own_statuses(set.size());
  return ours != nullptr ? ours : theirs;
}

const MPI_Status* readable(const MPI_Status* statuses) {
  return statuses == MPI_STATUSES_IGNORE ? nullptr : statuses;
}

// Marks in the recorded list which requests completed: `n` of them, at `indices`.
void mark_done(Call& call, const int* indices, int n) {
  constexpr int each = kPayloadBytes / sizeof(std::uint32_t);
  const Locked locked;
  for (int k = 0; k < n; ++k) {
    const std::uint64_t number = call.number() + 1 + static_cast<std::uint64_t>(indices[k] / each);
    Slot* slot = slot_if_kept(number);
    if (slot == nullptr || slot->op != kPart) continue;
    auto& part = reinterpret_cast<PartSlot&>(*slot);
    reinterpret_cast<std::uint32_t*>(part.payload)[indices[k] % each] |= kRequestDone;
  }
}

// A test that found nothing joins the event of those before it.
int record_failed_poll(Op op, const void* site, const RequestSet& set, bool several, int result) {
  if (count_failed_poll(op, set.key())) return result;
  Call call(op, site);
  describe(call, set, several);
  remember_failed_poll(op, set.key(), call.number());
  return call.end_failed_poll(result);
}

// Tests are recorded after the call, since they do not block. `found` tells whether there was something to settle.
template <class Test, class Found, class Settle>
int poll(Op op, const void* site, RequestSet& set, bool several, const Test& test, const Found& found,
         const Settle& settle) {
  const auto begin = [&] {
    Call call(op, site);
    describe(call, set, several);
    call.begin();
  };
  const int result = before_event(begin, test);
  if (!set.any_active()) return result;
  if (result == MPI_SUCCESS && !found()) return record_failed_poll(op, site, set, several, result);
  Call call(op, site);
  describe(call, set, several);
  call.flag(found());
  call.begin();
  settle(call, result);
  return call.end(result);
}

void settle_some(Call& call, RequestSet& set, int n, const int* indices, const MPI_Status* statuses) {
  if (n == MPI_UNDEFINED) return;
  mark_done(call, indices, n);
  for (int k = 0; k < n; ++k) set.complete(indices[k], statuses != nullptr ? &statuses[k] : nullptr);
}

// Strict mode: a list with requests that are held back is as one in which those are not complete.

int test_all(RequestSet& set, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (!set.any_held_back()) return real::Testall(set.size(), requests, flag, statuses);
  *flag = 0;
  return MPI_SUCCESS;
}

int test_any(RequestSet& set, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (!set.any_held_back()) return real::Testany(set.size(), requests, index, flag, status);
  const int result = test_others(
      set, requests, [&](MPI_Request* others) { return real::Testany(set.size(), others, index, flag, status); });
  if (*index == MPI_UNDEFINED) *flag = 0;
  return result;
}

int test_some(RequestSet& set, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  if (!set.any_held_back()) return real::Testsome(set.size(), requests, done, indices, statuses);
  const int result = test_others(
      set, requests, [&](MPI_Request* others) { return real::Testsome(set.size(), others, done, indices, statuses); });
  if (*done == MPI_UNDEFINED) *done = 0;
  return result;
}

int wait_any(RequestSet& set, MPI_Request* requests, int* index, MPI_Status* status) {
  for (unsigned looks = 0; set.any_held_back(); ++looks) {
    int flag = 0;
    if (const int result = test_any(set, requests, index, &flag, status); result != MPI_SUCCESS || flag != 0)
      return result;
    nap(looks);
  }
  return real::Waitany(set.size(), requests, index, status);
}

int wait_some(RequestSet& set, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  for (unsigned looks = 0; set.any_held_back(); ++looks) {
    if (const int result = test_some(set, requests, done, indices, statuses); result != MPI_SUCCESS || *done != 0)
      return result;
    nap(looks);
  }
  return real::Waitsome(set.size(), requests, done, indices, statuses);
}

}  // namespace

PETRI_MPI(Wait)(MPI_Request* request, MPI_Status* status) {
  if (!records_here()) return real::Wait(request, status);
  RequestSet set(request, 1, PETRI_SITE);
  if (!set.any_active()) return real::Wait(request, status);
  Call call(Op::wait, PETRI_SITE);
  describe(call, set, false);
  call.begin();
  MPI_Status ours;
  MPI_Status* to = status_for(set, status, ours);
  stay_while_held_back(set);
  const int result = real::Wait(request, to);
  set.complete_replaced(request, readable(to), result == MPI_SUCCESS);
  return call.end(result);
}

PETRI_MPI(Waitall)(int count, MPI_Request requests[], MPI_Status statuses[]) {
  if (!records_here()) return real::Waitall(count, requests, statuses);
  RequestSet set(requests, count, PETRI_SITE);
  if (!set.any_active()) return real::Waitall(count, requests, statuses);
  Call call(Op::waitall, PETRI_SITE);
  describe(call, set, true);
  call.begin();
  MPI_Status* to = statuses_for(set, statuses);
  stay_while_held_back(set);
  const int result = real::Waitall(count, requests, to);
  set.complete_replaced(requests, readable(to), result == MPI_SUCCESS);
  return call.end(result);
}

PETRI_MPI(Waitany)(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  if (!records_here()) return real::Waitany(count, requests, index, status);
  RequestSet set(requests, count, PETRI_SITE);
  if (!set.any_active()) return real::Waitany(count, requests, index, status);
  Call call(Op::waitany, PETRI_SITE);
  describe(call, set, true);
  call.begin();
  MPI_Status ours;
  MPI_Status* to = status_for(set, status, ours);
  const int result = wait_any(set, requests, index, to);
  if (*index != MPI_UNDEFINED) {
    call.slot().matched = *index;
    set.complete(*index, readable(to));
  }
  return call.end(result);
}

PETRI_MPI(Waitsome)(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  if (!records_here()) return real::Waitsome(count, requests, done, indices, statuses);
  RequestSet set(requests, count, PETRI_SITE);
  if (!set.any_active()) return real::Waitsome(count, requests, done, indices, statuses);
  Call call(Op::waitsome, PETRI_SITE);
  describe(call, set, true);
  call.begin();
  MPI_Status* to = statuses_for(set, statuses);
  const int result = wait_some(set, requests, done, indices, to);
  settle_some(call, set, *done, indices, readable(to));
  return call.end(result);
}

PETRI_MPI(Test)(MPI_Request* request, int* flag, MPI_Status* status) {
  if (!records_here()) return real::Test(request, flag, status);
  RequestSet set(request, 1, PETRI_SITE);
  MPI_Status ours;
  MPI_Status* to = status_for(set, status, ours);
  return poll(
      Op::test, PETRI_SITE, set, false,
      [&] {
        if (!set.any_held_back()) return real::Test(request, flag, to);
        *flag = 0;
        return MPI_SUCCESS;
      },
      [&] { return *flag != 0; },
      [&](Call&, int result) { set.complete_replaced(request, readable(to), result == MPI_SUCCESS); });
}

PETRI_MPI(Testall)(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  if (!records_here()) return real::Testall(count, requests, flag, statuses);
  RequestSet set(requests, count, PETRI_SITE);
  MPI_Status* to = statuses_for(set, statuses);
  return poll(
      Op::testall, PETRI_SITE, set, true, [&] { return test_all(set, requests, flag, to); }, [&] { return *flag != 0; },
      [&](Call&, int result) { set.complete_replaced(requests, readable(to), result == MPI_SUCCESS); });
}

PETRI_MPI(Testany)(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  if (!records_here()) return real::Testany(count, requests, index, flag, status);
  RequestSet set(requests, count, PETRI_SITE);
  MPI_Status ours;
  MPI_Status* to = status_for(set, status, ours);
  return poll(
      Op::testany, PETRI_SITE, set, true, [&] { return test_any(set, requests, index, flag, to); },
      [&] { return *flag != 0; },
      [&](Call& call, int) {
        if (*index == MPI_UNDEFINED) return;
        call.slot().matched = *index;
        set.complete(*index, readable(to));
      });
}

PETRI_MPI(Testsome)(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  if (!records_here()) return real::Testsome(count, requests, done, indices, statuses);
  RequestSet set(requests, count, PETRI_SITE);
  MPI_Status* to = statuses_for(set, statuses);
  return poll(
      Op::testsome, PETRI_SITE, set, true, [&] { return test_some(set, requests, done, indices, to); },
      [&] { return *done != 0; }, [&](Call& call, int) { settle_some(call, set, *done, indices, readable(to)); });
}

// A test that leaves the request as it is (MPI 4.1, section 3.7.6).
PETRI_MPI(Request_get_status)(MPI_Request request, int* flag, MPI_Status* status) {
  if (!records_here()) return real::Request_get_status(request, flag, status);
  RequestSet set(&request, 1, PETRI_SITE);
  return poll(
      Op::request_get_status, PETRI_SITE, set, false,
      [&] {
        if (!set.any_held_back()) return real::Request_get_status(request, flag, status);
        *flag = 0;
        return MPI_SUCCESS;
      },
      [&] { return *flag != 0; }, [](Call&, int) {});
}

PETRI_MPI(Request_free)(MPI_Request* request) {
  if (!records_here()) return real::Request_free(request);
  RequestSet set(request, 1, PETRI_SITE);
  const RequestEntry* entry = find_request(*request);
  const bool persistent = entry != nullptr && entry->persistent;
  if (!set.any_known() && !persistent) return real::Request_free(request);
  Call call(Op::request_free, PETRI_SITE);
  if (call.active() && persistent) call.slot().request = entry->number;  // an inactive one has no number in a set
  describe(call, set, false);
  call.begin();
  const MPI_Request freed = *request;
  const int result = real::Request_free(request);
  if (result == MPI_SUCCESS && persistent) {
    const Locked locked;
    drop_request(freed);
  } else if (!persistent) {
    set.complete_replaced(request, nullptr, false);
  }
  return call.end(result);
}

PETRI_MPI(Cancel)(MPI_Request* request) {
  if (!records_here()) return real::Cancel(request);
  RequestSet set(request, 1, PETRI_SITE);
  if (!set.any_known()) return real::Cancel(request);
  Call call(Op::cancel, PETRI_SITE);
  describe(call, set, false);
  {
    const Locked locked;
    if (RequestEntry* entry = find_request(*request))
      entry->cancel = call.number() + 1;
    else
      call.flag(false);  // completed at once: nothing is left to cancel
  }
  call.begin();
  return call.end(real::Cancel(request));
}
