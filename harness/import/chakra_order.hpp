// The order of nodes that depend on each other. Internal to the reader of Chakra traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace petri {

class ChakraOrder {
 public:
  enum class Kept : std::uint8_t { all, data, part };  // which dependencies hold in an order

  // In the order of the file. Memory: 24 bytes a node, and 8 a dependency.
  void add(std::uint64_t id, const std::vector<std::uint64_t>& data, const std::vector<std::uint64_t>& control);

  // Nodes, by their places in the file, in an order in which each comes behind what it depends on, with lower ids
  // first. Where control and data dependencies form a circle together, as in traces of which a control dependency is
  // the caller, data dependencies count alone, as they do for simulators; where they do by themselves, what is on the
  // circle or behind it comes last. Dependencies on what is not in the file count for nothing.
  std::vector<std::uint32_t> order(Kept& kept) const;

 private:
  struct Edges {
    std::vector<std::uint64_t> deps;
    std::vector<std::size_t> ends;  // by node: where its dependencies end in deps
    bool ascends = true;            // all have lower ids
    void add(std::uint64_t id, const std::vector<std::uint64_t>& more);
  };

  std::optional<std::uint32_t> find(const std::vector<std::uint32_t>& by_id, std::uint64_t id) const;
  // Nodes that never become ready are left out.
  std::vector<std::uint32_t> ready_ones(const std::vector<std::uint32_t>& by_id, bool with_control) const;

  std::vector<std::uint64_t> ids_;
  Edges data_, control_;
};

}  // namespace petri
