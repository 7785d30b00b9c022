// Messages and probes (MPI 4.1, chapter 3).
#include <fmt/format.h>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"

namespace petri::c {
namespace {

constexpr std::uint64_t kLargestElement = 32;   // bytes of one element of any type
constexpr std::uint64_t kBsendOverhead = 1024;  // more than MPI_BSEND_OVERHEAD

}  // namespace

void RankWriter::write_send(const Event& event) {
  if (event.op == Op::psend_init) return write_partitioned_init(event);
  const Amount what = sent(event, true);
  std::string call =
      fmt::format("{}({}, {}, {}, {}, {}, {}", function_name(event.op), room("out", event, what), what.count_text,
                  what.type_text, peer(event.peer, "peer"), tag(event.tag), comm_of(event));
  if (form_of(event.op) != OpForm::blocking) call += ", " + request_of(event);
  if (info(event.op).family == "bsend") {
    const std::uint64_t bytes = static_cast<std::uint64_t>(what.count) * kLargestElement + kBsendOverhead;
    (event.op == Op::bsend_init ? bsend_requests_[event.request] : bsend_bytes_) += bytes;
  }
  put(call + ");");
}

void RankWriter::write_recv(const Event& event) {
  if (event.op == Op::precv_init) return write_partitioned_init(event);
  const Amount what = received(event, true);
  const std::string last = form_of(event.op) == OpForm::blocking ? "MPI_STATUS_IGNORE" : request_of(event);
  const std::string buffer =
      fmt::format("{}({}, {}, {}", function_name(event.op), room("in", event, what), what.count_text, what.type_text);
  if (info(event.op).family == "mrecv") return put(fmt::format("{}, {}, {});", buffer, message_of(event), last));
  put(fmt::format("{}, {}, {}, {}, {});", buffer, peer(event.peer, "peer"), tag(event.tag), comm_of(event), last));
}

void RankWriter::write_sendrecv(const Event& event) {
  const bool blocking = form_of(event.op) == OpForm::blocking;
  if (!blocking) program_.needs_mpi_4 = true;
  const std::string last = blocking ? "MPI_STATUS_IGNORE" : request_of(event);
  const EventExtras& extras = event.extras;
  const auto side = [](std::int32_t own, std::int32_t both) { return own != kUnset ? own : both; };
  const std::string to = peer(side(extras.sendpeer(), event.peer), "peer to send to");
  const std::string from = peer(side(extras.recvpeer(), event.peer), "peer to receive from");
  const std::string send_tag = tag(side(extras.sendtag(), event.tag));
  const std::string recv_tag = tag(side(extras.recvtag(), event.tag));
  const Amount out = sent(event, true);
  if (info(event.op).family == "sendrecv_replace")
    return put(fmt::format("{}({}, {}, {}, {}, {}, {}, {}, {}, {});", function_name(event.op), room("out", event, out),
                           out.count_text, out.type_text, to, send_tag, from, recv_tag, comm_of(event), last));
  const bool same = extras.recvcount() == kUnknownCount && extras.recvtype() == ElementType::unknown;
  const Amount in = same ? out : received(event, true);
  put(fmt::format("{}({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});", function_name(event.op),
                  room("out", event, out), out.count_text, out.type_text, to, send_tag, room("in", event, in),
                  in.count_text, in.type_text, from, recv_tag, comm_of(event), last));
}

void RankWriter::write_probe(const Event& event) {
  const std::string where = fmt::format("{}, {}, {}", peer(event.peer, "peer"), tag(event.tag), comm_of(event));
  const bool matched = info(event.op).family == "mprobe";
  const std::string message = matched ? message_of(event) + ", " : "";
  if (form_of(event.op) == OpForm::blocking)
    return put(fmt::format("{}({}, {}MPI_STATUS_IGNORE);", function_name(event.op), where, message));
  body_->scalars.insert("flag");
  put_loop(polls_until_success(event), "!flag",
           fmt::format("{}({}, &flag, {}MPI_STATUS_IGNORE);", function_name(event.op), where, message));
}

}  // namespace petri::c
