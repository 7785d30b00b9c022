// What a record says is usual: which call comes directly after which, over all its ranks. It decides where numbers do
// not: of two ranks that do different things at one place, the one that does what nobody does anywhere else began it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "harness/diagnose/kin.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::diagnosis {

class Precedents {
 public:
  // Counts nothing before the first question: most diagnoses ask none. `scenario` must outlive this.
  explicit Precedents(const Scenario& scenario) : scenario_(scenario) {}

  // One side does `one`, the other `other`, each after a like call; the lists hold the calls of all ranks that do so.
  // Has what `one` does no precedent in all the record, and what `other` does several?
  bool lacks_precedent(const std::vector<EventRef>& one, const std::vector<EventRef>& other) const;

  // The same, and `one` left the usual way: a loop that ends lacks precedents, too, so the calls of `one` must be made
  // in other places as well (was_made_before), or be followed by the usual one, unless that may be one too many.
  bool is_odd(const std::vector<EventRef>& one, const std::vector<EventRef>& other) const;

  // Two ranks made the same calls until the one did `odd` and the other `usual`. Does the record have several places in
  // which `usual` follows more of these calls than it has anywhere before a call like `odd`? It is the longest context
  // that tells what comes next.
  bool is_less_usual(EventRef odd, EventRef usual) const;

  // Do ranks on neither side make calls like that of `one`, or did those on a side before? What these do later may only
  // follow what they differ in.
  bool was_made_before(const std::vector<EventRef>& one, const std::vector<EventRef>& other) const;

  // What the rest of the record says of calls that come after like ones: how often such a call comes there elsewhere,
  // and how often another. Nothing is counted where a call begins a rank.
  struct Following {
    std::size_t alike = 0, others = 0;
    bool is_usual() const { return alike >= 2; }
    bool is_unheard_of() const { return alike == 0 && others >= 2; }
  };
  Following following(const std::vector<EventRef>& calls) const;

  // The same operation with the same sizes, from the same call site, on communicators of one size.
  bool are_alike(EventRef one, EventRef other) const;

  // What the other groups of a kind did in this run, which must outlive this.
  const Kin& kin(const model::Run& run) const;

  // What `rank` did, at or before `last`, directly after a call like the one that comes before `usual`. Nothing where
  // it has not made as many of these: then it stands in another place.
  std::optional<EventRef> instead_of(EventRef usual, std::int32_t rank, std::uint32_t last) const;

 private:
  using Token = std::uint64_t;  // a hash of what makes two calls alike
  Token token(const Event& event) const;
  Token token_before(EventRef ref) const;
  Token start_of(std::int32_t rank) const;
  // How many of the calls before `call` also stand before another call like it, at the two places where it is most;
  // at most kLongestContext. `other` is no such place. What both of these ranks did is one place.
  std::array<std::size_t, 2> contexts(EventRef call, EventRef other) const;
  void count() const;
  // How often it is counted at other places than the `here` that are asked about.
  std::size_t elsewhere(const std::unordered_map<Token, std::uint32_t>& counts, Token wanted, std::size_t here) const;

  const Scenario& scenario_;
  mutable std::optional<Kin> kin_;
  mutable const model::Run* kin_of_ = nullptr;
  mutable bool counted_ = false;
  mutable std::unordered_map<Token, std::uint32_t> calls_, pairs_;
};

}  // namespace petri::diagnosis
