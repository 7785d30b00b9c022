#include "harness/record/meetings.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "harness/record/handles.hpp"
#include "harness/record/recorder.hpp"

namespace petri::record {

// One position of one venue, as far as this rank has heard.
struct Meeting {
  std::uint64_t venue;
  std::int32_t position;
  std::uint32_t op;    // of the first that came
  std::int32_t size;   // 0: this rank has not joined it
  std::int32_t there;  // members that have said so, this rank included
  bool differs;
  MPI_Request* told;  // one for each other member
  struct Word {
    std::uint64_t venue;
    std::int32_t position;
    std::uint32_t op;
  } word;  // what it was told
  Meeting* next;
};

namespace {

constexpr int kTag = 0;
constexpr unsigned kYields = 200;
constexpr useconds_t kNap_us = 100;

using Word = Meeting::Word;

MPI_Comm board;
bool is_open;
Meeting* meetings;  // those that are not over, or not left

// Forms with and without info join.
std::uint32_t kind_of_meeting(Op op) {
  if (op == Op::comm_dup_with_info) op = Op::comm_dup;
  if (op == Op::comm_idup_with_info) op = Op::comm_idup;
  return static_cast<std::uint32_t>(op);
}

Meeting* meeting_of(const Word& word) {
  for (Meeting* meeting = meetings; meeting != nullptr; meeting = meeting->next)
    if (meeting->venue == word.venue && meeting->position == word.position) return meeting;
  auto* meeting = static_cast<Meeting*>(std::calloc(1, sizeof(Meeting)));
  if (meeting == nullptr) return nullptr;
  meeting->venue = word.venue;
  meeting->position = word.position;
  meeting->op = word.op;
  meeting->next = meetings;
  return meetings = meeting;
}

Meeting* hear(const Word& word) {
  Meeting* meeting = meeting_of(word);
  if (meeting == nullptr) return nullptr;
  meeting->differs = meeting->differs || meeting->op != word.op;
  ++meeting->there;
  return meeting;
}

void hear_all() {
  for (;;) {
    int waiting = 0;
    MPI_Status status;
    if (real::Iprobe(MPI_ANY_SOURCE, kTag, board, &waiting, &status) != MPI_SUCCESS || waiting == 0) return;
    Word word;
    real::Recv(&word, sizeof word, handles.byte, status.MPI_SOURCE, kTag, board, MPI_STATUS_IGNORE);
    hear(word);
  }
}

void tell(Meeting& meeting, const Venue& venue) {
  const auto room = static_cast<std::size_t>(venue.size) * sizeof(MPI_Request);
  meeting.told = static_cast<MPI_Request*>(std::malloc(room));
  if (meeting.told == nullptr) return;
  int me = 0;
  real::Comm_rank(board, &me);
  for (std::int32_t i = 0; i < venue.size; ++i) {
    meeting.told[i] = handles.no_request;
    if (venue.members[i] == me) continue;
    real::Isend(&meeting.word, sizeof meeting.word, handles.byte, venue.members[i], kTag, board, &meeting.told[i]);
  }
}

}  // namespace

std::uint64_t mixed(std::uint64_t name, std::uint64_t value) {
  name = (name ^ value) * 0x9e3779b97f4a7c15ull;
  return name ^ (name >> 29);
}

Venue make_venue(std::uint64_t name, int* members, std::int32_t size) {
  return {members != nullptr ? name : 0, members, size};
}

Venue venue_within(const Venue& venue, char kind, std::int32_t ordinal) {
  if (venue.name == 0) return {};
  const auto bytes = static_cast<std::size_t>(venue.size) * sizeof(int);
  auto* members = static_cast<int*>(std::malloc(bytes));
  if (members != nullptr) std::memcpy(members, venue.members, bytes);
  const std::uint64_t of_kind = mixed(venue.name, static_cast<unsigned char>(kind));
  return make_venue(mixed(of_kind, static_cast<std::uint64_t>(ordinal)), members, venue.size);
}

void drop_venue(Venue& venue) {
  std::free(venue.members);
  venue = {};
}

void open_board() {
  if (state.strict) is_open = real::Comm_dup(handles.world, &board) == MPI_SUCCESS;
}

Meeting* join_meeting(const Venue& venue, std::int32_t position, Op op) {
  if (!is_open || venue.name == 0) return nullptr;
  const Locked locked;
  const Word word{venue.name, position, kind_of_meeting(op)};
  Meeting* meeting = hear(word);
  if (meeting == nullptr) return nullptr;
  meeting->size = venue.size;
  meeting->word = word;
  tell(*meeting, venue);
  return meeting;
}

bool is_over(const Meeting* meeting) {
  if (meeting == nullptr) return true;
  const Locked locked;
  hear_all();
  return meeting->there == meeting->size && !meeting->differs;
}

void leave_meeting(Meeting* meeting) {
  if (meeting == nullptr) return;
  const Locked locked;
  // Small messages are on their way at once.
  if (meeting->told != nullptr) real::Waitall(meeting->size, meeting->told, MPI_STATUSES_IGNORE);
  Meeting** place = &meetings;
  while (*place != meeting) place = &(*place)->next;
  *place = meeting->next;
  std::free(meeting->told);
  std::free(meeting);
}

void meet_at(const Venue& venue, std::int32_t position, Op op) {
  Meeting* meeting = join_meeting(venue, position, op);
  for (unsigned looks = 0; !is_over(meeting); ++looks) nap(looks);
  leave_meeting(meeting);
}

void nap(unsigned looks) {
  if (looks < kYields)
    ::sched_yield();
  else
    ::usleep(kNap_us);
}

}  // namespace petri::record
