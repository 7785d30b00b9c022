#include "harness/export/c_helpers.hpp"

#include <string_view>
#include <vector>

namespace petri::c {
namespace {

constexpr std::string_view kRoom = R"(/* Zeroed room for some elements. Never freed: a pending call may still use it. */
static void *room(size_t count, MPI_Datatype type) {
  MPI_Aint lower, extent;
  void *memory;
  MPI_Type_get_extent(type, &lower, &extent);
  memory = calloc(count * (size_t)extent + 1, 1);
  if (memory == NULL) {
    fprintf(stderr, "out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return memory;
}
)";

constexpr std::string_view kGrown = R"(/* The same for calls that block: one piece for each direction, used again. */
static void *grown(int side, size_t count, MPI_Datatype type) {
  static void *memory[2];
  static size_t bytes[2];
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  if (memory[side] == NULL || bytes[side] < count * (size_t)extent) {
    free(memory[side]);
    memory[side] = room(count, type);
    bytes[side] = count * (size_t)extent;
  }
  return memory[side];
}
)";

constexpr std::string_view kOut = R"(static void *out(size_t count, MPI_Datatype type) {
  return grown(0, count, type);
}
)";

constexpr std::string_view kIn = R"(static void *in(size_t count, MPI_Datatype type) {
  return grown(1, count, type);
}
)";

constexpr std::string_view kLarge = R"(/* A type of more elements than an int counts. */
static MPI_Datatype large(long long count, MPI_Datatype type) {
  const long long per_chunk = 1LL << 30;
  MPI_Aint lower, extent, places[2];
  MPI_Datatype types[2], whole;
  int lengths[2];
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_contiguous((int)per_chunk, type, &types[0]);
  types[1] = type;
  lengths[0] = (int)(count / per_chunk);
  lengths[1] = (int)(count % per_chunk);
  places[0] = 0;
  places[1] = (MPI_Aint)(count / per_chunk * per_chunk) * extent;
  MPI_Type_create_struct(2, lengths, places, types, &whole);
  MPI_Type_commit(&whole);
  return whole;
}
)";

constexpr std::string_view kSizeOf = R"(static size_t size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return (size_t)size;
}
)";

constexpr std::string_view kSubgroup = R"(static MPI_Group subgroup(MPI_Comm comm, int size, const int *ranks) {
  MPI_Group all, chosen;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, size, ranks, &chosen);
  return chosen;
}
)";

constexpr std::string_view kMadeOf = R"(/* A communicator made by its members alone, or none for the others. */
static MPI_Comm made_of(int size, const int *ranks, int tag) {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank, i;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < size; ++i)
    if (ranks[i] == rank)
      MPI_Comm_create_group(MPI_COMM_WORLD, subgroup(MPI_COMM_WORLD, size, ranks), tag, &comm);
  return comm;
}
)";

constexpr std::string_view kBetween = R"(/* The same between two groups. */
static MPI_Comm between(int size, const int *ranks, int remote_size, const int *remote, int tag) {
  MPI_Comm comm = MPI_COMM_NULL;
  const MPI_Comm one = made_of(size, ranks, tag), other = made_of(remote_size, remote, tag);
  if (one != MPI_COMM_NULL) MPI_Intercomm_create(one, 0, MPI_COMM_WORLD, remote[0], tag, &comm);
  if (other != MPI_COMM_NULL) MPI_Intercomm_create(other, 0, MPI_COMM_WORLD, ranks[0], tag, &comm);
  return comm;
}
)";

constexpr std::string_view kThere =
    R"(/* What was there when the job opened it without making it must be there now; its content is not known. */
static const char *there(const char *path) {
  FILE *file = fopen(path, "ab");
  if (file != NULL) fclose(file);
  return path;
}
)";

constexpr std::string_view kUserOperation =
    R"(/* What the job's own operation did was not recorded: this one keeps what it is given. */
static void keep(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)in;
  (void)inout;
  (void)count;
  (void)type;
}
static MPI_Op user_operation;
)";

constexpr std::string_view kPause = R"(static void pause_s(double seconds) {
  struct timespec time;
  time.tv_sec = (time_t)seconds;
  time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
  nanosleep(&time, NULL);
}
)";

constexpr std::string_view kCompute = R"(static void compute_s(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
  }
}
)";

constexpr std::string_view kStay = R"(/* The record ends while the rank is running: what it would do next is unknown. */
static void stay(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "rank %d has left its last recorded call, and stays\n", rank);
  for (;;) pause();
}
)";

constexpr std::string_view kTell = R"(/* Threads of a rank: one tells that a call is done, another awaits that. */
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told_changed = PTHREAD_COND_INITIALIZER;
static void tell(int call) {
  pthread_mutex_lock(&told_lock);
  told[call] = 1;
  pthread_cond_broadcast(&told_changed);
  pthread_mutex_unlock(&told_lock);
}
)";

constexpr std::string_view kAwait = R"(static void await(int call) {
  pthread_mutex_lock(&told_lock);
  while (!told[call]) pthread_cond_wait(&told_changed, &told_lock);
  pthread_mutex_unlock(&told_lock);
}
)";

struct Row {
  Helper helper;
  std::string_view text;
  std::set<Helper> uses;
};

// In the order of the enumeration.
const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {Helper::room, kRoom, {}},
      {Helper::grown, kGrown, {Helper::room}},
      {Helper::out, kOut, {Helper::room, Helper::grown}},
      {Helper::in, kIn, {Helper::room, Helper::grown}},
      {Helper::large, kLarge, {}},
      {Helper::size_of, kSizeOf, {}},
      {Helper::subgroup, kSubgroup, {}},
      {Helper::made_of, kMadeOf, {Helper::subgroup}},
      {Helper::between, kBetween, {Helper::subgroup, Helper::made_of}},
      {Helper::there, kThere, {}},
      {Helper::user_operation, kUserOperation, {}},
      {Helper::pause_s, kPause, {}},
      {Helper::compute_s, kCompute, {}},
      {Helper::stay, kStay, {}},
      {Helper::tell, kTell, {}},
      {Helper::await, kAwait, {Helper::tell}},
  };
  return all;
}

}  // namespace

std::string helper_functions(const std::set<Helper>& wanted) {
  std::set<Helper> all = wanted;
  for (const Helper helper : wanted) {
    const auto& uses = rows().at(static_cast<std::size_t>(helper)).uses;
    all.insert(uses.begin(), uses.end());
  }
  std::string out;
  for (const Row& row : rows())
    if (all.count(row.helper) != 0) out += std::string(row.text) + '\n';
  return out;
}

}  // namespace petri::c
