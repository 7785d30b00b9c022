// The event records of one thread of a scenario. Internal to harness/export.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/export/otf2_clock.hpp"
#include "harness/export/otf2_names.hpp"
#include "harness/trace/event_fields.hpp"

namespace petri {

// Which event began a request of a rank, and over which communicator its windows were made.
class Otf2Requested {
 public:
  Otf2Requested(const Scenario& scenario, std::int32_t rank);
  const Event* find(std::uint32_t request) const;

 private:
  std::unordered_map<std::uint32_t, const Event*> begun_;
};

class Otf2Lane {
 public:
  // `numbered`: events get their local sequence numbers, which tell the order between threads.
  Otf2Lane(const Scenario& scenario, const std::vector<CallSpan>& spans, Otf2Names& names,
           const Otf2Requested& requested, std::int32_t rank, bool numbered, OTF2_EvtWriter* writer);
  ~Otf2Lane();
  Otf2Lane(const Otf2Lane&) = delete;
  Otf2Lane& operator=(const Otf2Lane&) = delete;

  // Events come in their order.
  void write(std::uint32_t index);
  bool good() const { return good_; }  // the library has taken everything
  const std::string& not_reached() const { return not_reached_; }

 private:
  struct Side {
    std::int32_t peer = kUnset, tag = kUnset;
    std::uint64_t bytes = 0;
  };

  void put_attributes(std::uint32_t index, const CallSpan& span);
  void put_begin(const Event& event, const CallSpan& span);
  void put_end(const Event& event, const CallSpan& span);
  void put_completions(const Event& event, std::uint64_t time);
  void put_completion(std::uint32_t request, std::uint64_t time);
  void put_window(const Event& event, const CallSpan& span);
  void add_not_reached(std::uint32_t index);
  void each_argument(std::uint32_t index, EventState implied,
                     const std::function<void(std::string_view, const FieldValue&)>& visit) const;

  static Side sends(const Event& event);
  static Side receives(const Event& event);
  bool is_peer(const Event& event, std::int32_t peer) const;
  OTF2_CollectiveRoot root_of(const Event& event) const;
  void check(OTF2_ErrorCode code) { good_ = good_ && code == OTF2_SUCCESS; }

  const Scenario& scenario_;
  const std::vector<CallSpan>& spans_;
  Otf2Names& names_;
  const Otf2Requested& requested_;
  std::int32_t rank_;
  bool numbered_;
  OTF2_EvtWriter* writer_;
  OTF2_AttributeList* attributes_;
  std::string not_reached_;
  bool good_ = true;
};

}  // namespace petri
