// What a rank holds while it is replayed: handles by their scenario names, and the buffers of open requests. Its
// threads use it at once; what it hands out stays where it is.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/worker/payload.hpp"
#include "harness/worker/window.hpp"

namespace petri {

class Holdings {
 public:
  explicit Holdings(std::size_t comms) : comms_(comms, MPI_COMM_NULL) { comms_.at(0) = MPI_COMM_WORLD; }

  // By index in Scenario::comms. Where nobody named what a call makes, its handle goes to the one for kNoComm.
  MPI_Comm& comm(std::int32_t index) { return index < 0 ? discarded_ : comms_.at(static_cast<std::size_t>(index)); }

  // A request by its number; MPI_REQUEST_NULL where it is not open. Buffers of an open request live as long as it does.
  MPI_Request& request(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    return requests_[number].handle;
  }
  // Where the bytes lie from now on.
  void* keep(std::uint32_t number, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    return requests_[number].buffers.emplace_back(std::move(bytes)).data();
  }
  void forget(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    requests_.erase(number);
  }

  // By the scenario's names.
  Window& window(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return windows_[name];
  }
  MPI_File& file(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return files_.try_emplace(name, MPI_FILE_NULL).first->second;
  }
  // Of the split collective that is under way on a file.
  Bytes& split_buffer(const std::string& file) {
    const std::lock_guard lock(mutex_);
    return split_buffers_[file];
  }

  MPI_Message& message(std::int64_t number) {
    const std::lock_guard lock(mutex_);
    return messages_.try_emplace(number, MPI_MESSAGE_NULL).first->second;
  }

 private:
  struct Open {
    MPI_Request handle = MPI_REQUEST_NULL;
    std::vector<Bytes> buffers;
  };
  std::mutex mutex_;  // of the tables; each handle is one thread's at a time, as in the program
  std::vector<MPI_Comm> comms_;
  MPI_Comm discarded_ = MPI_COMM_NULL;
  std::unordered_map<std::uint32_t, Open> requests_;
  std::unordered_map<std::int64_t, MPI_Message> messages_;
  std::unordered_map<std::string, Window> windows_;
  std::unordered_map<std::string, MPI_File> files_;
  std::unordered_map<std::string, Bytes> split_buffers_;
};

}  // namespace petri
