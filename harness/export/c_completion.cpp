// Starting requests, waiting for them and testing them (MPI 4.1, sections 3.7 and 3.9).
#include <fmt/format.h>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"

namespace petri::c {

void RankWriter::write_start(const Event& event) {
  std::vector<std::uint32_t> started = event.extras.requests();
  if (event.op == Op::start) started = {event.request};
  for (const std::uint32_t number : started)
    if (const auto buffered = bsend_requests_.find(number); buffered != bsend_requests_.end())
      bsend_bytes_ += buffered->second;
  if (event.op == Op::start) return put(fmt::format("MPI_Start({});", request_of(event)));
  with_requests(
      event, [&](std::size_t size, const std::string& set) { put(fmt::format("MPI_Startall({}, {});", size, set)); });
}

void RankWriter::write_wait(const Event& event) {
  if (event.op == Op::wait) {
    const std::string handle = event.request != kNoRequest || event.extras.requests().size() != 1
                                   ? request_of(event)
                                   : "&" + request(event.extras.requests().front());
    return put(fmt::format("MPI_Wait({}, MPI_STATUS_IGNORE);", handle));
  }
  with_requests(event, [&](std::size_t size, const std::string& set) {
    if (event.op == Op::waitall) return put(fmt::format("MPI_Waitall({}, {}, MPI_STATUSES_IGNORE);", size, set));
    body_->scalars.insert("index");
    if (event.op == Op::waitany) return put(fmt::format("MPI_Waitany({}, {}, &index, MPI_STATUS_IGNORE);", size, set));
    put("{");
    put(fmt::format("  int indices[{}];", size));
    put(fmt::format("  MPI_Waitsome({}, {}, &index, indices, MPI_STATUSES_IGNORE);", size, set));
    put("}");
  });
}

void RankWriter::write_test(const Event& event) {
  const bool loop = polls_until_success(event);
  const std::string name = function_name(event.op);
  if (event.op == Op::test || event.op == Op::request_get_status) {
    body_->scalars.insert("flag");
    std::string handle = request_of(event);
    if (event.op == Op::request_get_status) handle.erase(0, 1);  // by value
    return put_loop(loop, "!flag", fmt::format("{}({}, &flag, MPI_STATUS_IGNORE);", name, handle));
  }
  with_requests(event, [&](std::size_t size, const std::string& set) {
    if (event.op == Op::testsome) {
      body_->scalars.insert("index");
      put("{");
      put(fmt::format("  int indices[{}];", size));
      indent_ += "  ";
      put_loop(loop, "index == 0", fmt::format("{}({}, {}, &index, indices, MPI_STATUSES_IGNORE);", name, size, set));
      indent_.resize(indent_.size() - 2);
      return put("}");
    }
    body_->scalars.insert("flag");
    if (event.op == Op::testall)
      return put_loop(loop, "!flag", fmt::format("{}({}, {}, &flag, MPI_STATUSES_IGNORE);", name, size, set));
    body_->scalars.insert("index");
    put_loop(loop, "!flag", fmt::format("{}({}, {}, &index, &flag, MPI_STATUS_IGNORE);", name, size, set));
  });
}

void RankWriter::write_request(const Event& event) {
  put(fmt::format("{}({});", function_name(event.op), request_of(event)));
}

}  // namespace petri::c
