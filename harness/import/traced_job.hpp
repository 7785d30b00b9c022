// What traces of single ranks say together: one scenario of all ranks, for formats in which each rank's file names its
// groups by itself.
//
// Two groups are one communicator where name and members are equal: ranks may give one name to different groups. Lists
// of members that a format cuts are completed by what other ranks say, or by the size of the group.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/import/foreign.hpp"
#include "harness/trace/extras_pool.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// As far as one rank tells.
struct TracedGroup {
  std::string name;  // empty: not told
  std::string description, backend;
  std::vector<std::int32_t> ranks;  // global ranks in group order: all of them, or the first ones
  std::int32_t last = -1;           // the last one, where those between are left out
  std::int32_t size = 0;            // 0: not told
  bool whole = false;               // `ranks` are all of them
  bool everyone = false;            // the whole world
};

// How a send or receive was launched.
enum class TracedLaunch : std::uint8_t {
  unknown,
  alone,   // by itself
  closes,  // no call: the sends and receives before it, up to a collective or another one of these, were one launch
};

struct TracedCall {
  Event event;                  // comm: index in TracedRank::groups; peer as told, see peer_is_global
  std::int64_t group_seq = -1;  // number of the call among the collectives of its group, equal on all members
  double time = std::numeric_limits<double>::quiet_NaN();  // seconds on the rank's clock
  TracedLaunch launch = TracedLaunch::unknown;
  bool peer_is_global = false;
  bool counts_all = false;  // an all-to-all's or reduce_scatter's count is of all members' parts together
};

// One file.
struct TracedRank {
  std::string file, leaf;
  std::int32_t rank = -1;  // -1: not told
  std::int32_t world = 0;  // 0: not told
  std::vector<TracedGroup> groups;
  std::vector<TracedCall> calls;  // in program order
  bool cut = false;
  bool whole_run = false;  // the trace shows the job from its beginning to its end
};

// The rank that a file's name tells: "rank.3.et", "rank_3.json", "et-rank3", "trace.3.et"; -1 where it tells none.
std::int32_t rank_in_name(std::string_view leaf);

class TracedJob {
 public:
  // In the order of the files. Throws InputError for more ranks than kMaxWorld.
  void add(TracedRank traced);

  // All of them. Throws InputError where it is not told whose a file is, and for a rank that calls on a group of which
  // it is no member.
  Scenario finish(ImportNotes& notes);

 private:
  struct Part {
    std::string file, leaf;
    std::int32_t rank = -1;
    std::vector<TracedCall> calls;  // comm: index in groups_
    bool cut = false, whole_run = false;
    std::unordered_map<std::int32_t, std::int64_t> begins = {};  // by communicator without numbers: the first position
  };
  // Where calls stand among those of their communicator, by their numbers: a launch of several calls has one number.
  struct Positions {
    bool told = true;                                            // every call has a number
    bool uneven = false;                                         // not all of its all-to-alls are even,
    bool unmeasured = false;                                     // and of some it is not told who sends how much
    std::vector<std::pair<std::int64_t, std::int64_t>> numbers;  // ascending, each with the position of its first call
  };
  struct Stand {
    std::int64_t first = -1, next = 0;     // positions of the rank's calls there
    std::int64_t number = -1, within = 0;  // of its last launch
  };
  using Standing = std::unordered_map<std::int32_t, Stand>;  // by communicator

  std::int32_t group_number(const TracedGroup& group);
  void name_ranks(ImportNotes& notes);
  void join_parts(ImportNotes& notes);
  void complete_groups(ImportNotes& notes);
  bool complete_by_others(TracedGroup& group) const;
  std::vector<std::vector<std::int32_t>> users() const;
  static bool complete_by_users(TracedGroup& group, const std::vector<std::int32_t>& users);
  void make_comms(Scenario& scenario);
  void find_positions(ImportNotes& notes);
  void count_launches(const Part& part, std::vector<std::unordered_map<std::int64_t, std::int64_t>>& most);
  void find_windows(ImportNotes& notes);
  std::map<std::int32_t, std::int64_t> begins_of(const Part& part) const;
  void leave_out_messages(const Scenario& scenario, ImportNotes& notes);
  void place_part(const Part& part, Scenario& scenario);
  void stand(const TracedCall& call, const Part& part, Event& event, Standing& standing) const;
  void end_rank(const Part& part, RankTrace& trace, const Standing& standing, const Scenario& scenario) const;
  Event settled(const TracedCall& call, const Part& part, const Scenario& scenario) const;

  std::vector<TracedGroup> groups_;
  std::map<std::string, std::int32_t> numbers_;  // of groups_, by what is told of them
  std::vector<std::int32_t> comms_;              // by group: index in Scenario::comms, or kNoComm
  std::vector<Positions> positions_;             // by communicator
  std::vector<Part> parts_;
  ExtrasPool extras_;
  std::int32_t world_ = 0;
  std::uint64_t guessed_launches_ = 0;
};

}  // namespace petri
