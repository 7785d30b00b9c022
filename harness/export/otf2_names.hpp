// The definitions of an OTF2 archive as its events come to need them. Internal to harness/export.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

class Otf2Names {
 public:
  Otf2Names();

  OTF2_StringRef text(std::string_view text);
  OTF2_RegionRef region(const Scenario& scenario, const Event& event);
  OTF2_AttributeRef attribute(std::string_view key, OTF2_Type type);
  OTF2_RmaWinRef window(const std::string& name, std::int32_t comm);
  static OTF2_CommRef comm(std::int32_t index) { return static_cast<OTF2_CommRef>(index); }

  struct Location {
    std::uint64_t reference = 0, events = 0;
    std::int32_t rank = 0, thread = 0;
  };
  // Everything, in the order in which later definitions need earlier ones. False where the library refuses.
  bool write(OTF2_GlobalDefWriter* writer, const Scenario& scenario, const std::vector<Location>& locations,
             std::uint64_t last_tick);
  // "petri.NAME" of a location; written with the rest.
  void fact(std::uint64_t location, std::string_view name, std::string_view value);

 private:
  void write_machine(const Scenario& scenario, const std::vector<Location>& locations);
  void write_groups(const Scenario& scenario);
  void check(OTF2_ErrorCode code) { good_ = good_ && code == OTF2_SUCCESS; }

  struct Region {
    OTF2_StringRef name = 0, description = 0;
    OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION;
    OTF2_Paradigm paradigm = OTF2_PARADIGM_MPI;
  };
  struct Fact {
    std::uint64_t location = 0;
    OTF2_StringRef name = 0, value = 0;
  };

  std::unordered_map<std::string, OTF2_StringRef> text_index_;
  std::vector<std::string> texts_;
  std::map<std::pair<Op, bool>, OTF2_RegionRef> region_index_;
  std::vector<Region> regions_;
  std::map<std::string, OTF2_AttributeRef, std::less<>> attribute_index_;
  std::vector<std::pair<OTF2_StringRef, OTF2_Type>> attributes_;
  std::map<std::string, OTF2_RmaWinRef> window_index_;
  std::vector<std::pair<OTF2_StringRef, std::int32_t>> windows_;
  std::vector<Fact> facts_;
  OTF2_GlobalDefWriter* writer_ = nullptr;
  bool good_ = true;
};

}  // namespace petri
