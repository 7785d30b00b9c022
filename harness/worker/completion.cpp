// Waits and tests (MPI 4.1, section 3.7).
#include <array>

#include "harness/worker/perform.hpp"

namespace petri {
namespace {

// The handles of the requests that a call names, taken out for the call and put back after it.
class Handles {
 public:
  Handles(Replayer& replayer, const Event& event) : replayer_(replayer) {
    numbers_ = event.extras.requests();
    if (numbers_.empty() && event.request != kNoRequest) numbers_ = {event.request};
    for (const std::uint32_t number : numbers_) handles_.push_back(replayer.request(number));
  }
  ~Handles() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (handles_[i] == MPI_REQUEST_NULL) {
        replayer_.forget(numbers_[i]);
      } else {
        replayer_.request(numbers_[i]) = handles_[i];
      }
    }
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  int size() const { return static_cast<int>(handles_.size()); }
  MPI_Request* data() { return handles_.data(); }
  MPI_Request* only() {
    if (handles_.empty()) handles_.push_back(MPI_REQUEST_NULL);
    return handles_.data();
  }

 private:
  Replayer& replayer_;
  std::vector<std::uint32_t> numbers_;
  std::vector<MPI_Request> handles_;
};

void perform_wait(Replayer& replayer, const Event& event) {
  Handles handles(replayer, event);
  MPI_Wait(handles.only(), MPI_STATUS_IGNORE);
}

void perform_waitall(Replayer& replayer, const Event& event) {
  Handles handles(replayer, event);
  MPI_Waitall(handles.size(), handles.data(), MPI_STATUSES_IGNORE);
}

void perform_waitany(Replayer& replayer, const Event& event) {
  Handles handles(replayer, event);
  int index = 0;
  MPI_Waitany(handles.size(), handles.data(), &index, MPI_STATUS_IGNORE);
}

void perform_waitsome(Replayer& replayer, const Event& event) {
  Handles handles(replayer, event);
  int done = 0;
  std::vector<int> indices(static_cast<std::size_t>(handles.size()));
  MPI_Waitsome(handles.size(), handles.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
}

void perform_test(Replayer& replayer, const Event& event) {
  Handles handles(replayer, event);
  poll_as_recorded(replayer, event, [&] {
    int flag = 0;
    MPI_Test(handles.only(), &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  });
}

void perform_testall(Replayer& replayer, const Event& event) {
  Handles handles(replayer, event);
  poll_as_recorded(replayer, event, [&] {
    int flag = 0;
    MPI_Testall(handles.size(), handles.data(), &flag, MPI_STATUSES_IGNORE);
    return flag != 0;
  });
}

void perform_testany(Replayer& replayer, const Event& event) {
  Handles handles(replayer, event);
  poll_as_recorded(replayer, event, [&] {
    int index = 0;
    int flag = 0;
    MPI_Testany(handles.size(), handles.data(), &index, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  });
}

void perform_testsome(Replayer& replayer, const Event& event) {
  Handles handles(replayer, event);
  std::vector<int> indices(static_cast<std::size_t>(handles.size()));
  poll_as_recorded(replayer, event, [&] {
    int done = 0;
    MPI_Testsome(handles.size(), handles.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
    return done != 0;  // also MPI_UNDEFINED: nothing is active
  });
}

void perform_get_status(Replayer& replayer, const Event& event) {
  poll_as_recorded(replayer, event, [&] {
    int flag = 0;
    MPI_Request_get_status(replayer.request(event.request), &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  });
}

void perform_request_free(Replayer& replayer, const Event& event) {
  // The transfer goes on: its buffer stays with the number, under which no request is open any more.
  if (replayer.request(event.request) != MPI_REQUEST_NULL) MPI_Request_free(&replayer.request(event.request));
}

void perform_cancel(Replayer& replayer, const Event& event) {
  if (event.flag == 0) return;  // it came too late, and did nothing; here it might come in time
  if (replayer.request(event.request) != MPI_REQUEST_NULL) MPI_Cancel(&replayer.request(event.request));
}

constexpr std::array kTable{
    PerformerRow{Op::wait, perform_wait},
    PerformerRow{Op::waitall, perform_waitall},
    PerformerRow{Op::waitany, perform_waitany},
    PerformerRow{Op::waitsome, perform_waitsome},
    PerformerRow{Op::test, perform_test},
    PerformerRow{Op::testall, perform_testall},
    PerformerRow{Op::testany, perform_testany},
    PerformerRow{Op::testsome, perform_testsome},
    PerformerRow{Op::request_get_status, perform_get_status},
    PerformerRow{Op::request_free, perform_request_free},
    PerformerRow{Op::cancel, perform_cancel},
};

}  // namespace

std::span<const PerformerRow> completion_table() {
  return kTable;
}

}  // namespace petri
