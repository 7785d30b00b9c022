#include "kernels/mpi/kept.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "kernels/mpi/reproducible.hpp"

namespace petri::mpi {
namespace {

struct Kept {
  std::mutex mutex;  // threads may call on communicators of their own
  int channel_key = MPI_KEYVAL_INVALID, end_key = MPI_KEYVAL_INVALID;
  std::vector<MPI_Comm> users;  // those with a channel, in the order of its making, which is the same on all ranks
  std::vector<MPI_Datatype> datatypes;
  std::vector<MPI_Op> operations;
};

Kept& kept() {
  static Kept all;
  return all;
}

int delete_channel(MPI_Comm user, int /*key*/, void* channel, void* /*extra*/) {
  {
    const std::lock_guard lock(kept().mutex);
    std::erase(kept().users, user);
  }
  delete static_cast<Channel*>(channel);
  return MPI_SUCCESS;
}

int give_all_back(MPI_Comm /*self*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  Kept& all = kept();
  for (const MPI_Comm user : std::vector(all.users)) MPI_Comm_delete_attr(user, all.channel_key);
  for (MPI_Datatype& type : all.datatypes) MPI_Type_free(&type);
  for (MPI_Op& operation : all.operations) MPI_Op_free(&operation);
  MPI_Comm_free_keyval(&all.channel_key);
  MPI_Comm_free_keyval(&all.end_key);
  return MPI_SUCCESS;
}

// With the mutex held.
void set_up(Kept& all) {
  if (all.channel_key != MPI_KEYVAL_INVALID) return;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, give_all_back, &all.end_key, nullptr));
  check(MPI_Comm_set_attr(MPI_COMM_SELF, all.end_key, nullptr));
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_channel, &all.channel_key, nullptr));
}

int channel_key() {
  const std::lock_guard lock(kept().mutex);
  set_up(kept());
  return kept().channel_key;
}

bool has_one_group(MPI_Comm comm) {
  int between = 1;
  if (comm != MPI_COMM_NULL) check(MPI_Comm_test_inter(comm, &between));
  return between == 0;
}

}  // namespace

void check(int code) {
  if (code != MPI_SUCCESS) throw MpiError(code);
}

Channel& Channel::of(MPI_Comm user) {
  if (!has_one_group(user)) throw MpiError(MPI_ERR_COMM);
  const int key = channel_key();
  void* found = nullptr;
  int exists = 0;
  check(MPI_Comm_get_attr(user, key, &found, &exists));
  if (exists != 0) return *static_cast<Channel*>(found);
  auto channel = std::make_unique<Channel>(user);
  check(MPI_Comm_set_attr(user, key, channel.get()));
  const std::lock_guard lock(kept().mutex);
  kept().users.push_back(user);
  return *channel.release();
}

Channel::Channel(MPI_Comm user) {
  // Not MPI_Comm_dup, which would copy the user's attributes.
  MPI_Group group = MPI_GROUP_NULL;
  check(MPI_Comm_group(user, &group));
  const int code = MPI_Comm_create(user, group, &comm_);
  MPI_Group_free(&group);
  check(code);
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  check(MPI_Comm_rank(comm_, &rank_));
  check(MPI_Comm_size(comm_, &size_));
}

Channel::~Channel() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

std::byte* Channel::memory(std::size_t bytes) {
  if (bytes > capacity_) {
    memory_.reset();
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    capacity_ = bytes;
  }
  return memory_.get();
}

MPI_Datatype kept_words(int words) {
  const std::lock_guard lock(kept().mutex);
  set_up(kept());
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(words, MPI_UINT64_T, &type));
  kept().datatypes.push_back(type);
  check(MPI_Type_commit(&kept().datatypes.back()));
  return type;
}

MPI_Op kept_operation(MPI_User_function* function) {
  const std::lock_guard lock(kept().mutex);
  set_up(kept());
  MPI_Op operation = MPI_OP_NULL;
  check(MPI_Op_create(function, 1, &operation));
  kept().operations.push_back(operation);
  return operation;
}

}  // namespace petri::mpi
