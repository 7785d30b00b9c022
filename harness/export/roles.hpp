// Ranks that make the same calls: a program has one function for all of them. Internal to harness/export.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace petri {

template <class Body>
struct Role {
  std::vector<std::int32_t> ranks;  // ascending
  Body body;                        // what is written of the function: that of the first rank
};

// Numbered in the order of their first ranks.
template <class Body>
class Roles {
 public:
  // Ranks come in their order. `code` is what the rank does, without comments.
  void add(std::int32_t rank, const std::string& code, const Body& body) {
    const auto [number, fresh] = numbers_.try_emplace(code, all_.size());
    if (fresh) all_.push_back({{}, body});
    all_[number->second].ranks.push_back(rank);
  }

  const std::vector<Role<Body>>& all() const { return all_; }

  // The number of the one with the most ranks: the default, which needs no list of them.
  std::size_t largest() const {
    const auto most = std::max_element(all_.begin(), all_.end(),
                                       [](const auto& a, const auto& b) { return a.ranks.size() < b.ranks.size(); });
    return static_cast<std::size_t>(most - all_.begin());
  }

 private:
  std::vector<Role<Body>> all_;
  std::map<std::string, std::size_t> numbers_;  // by code
};

}  // namespace petri
