// Chakra execution traces of jobs that never were, byte by byte (format: harness/import/chakra_file.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace petri::test {

inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number > 127; number >>= 7) bytes += static_cast<char>(number | 128);
  return bytes + static_cast<char>(number);
}

inline std::string number_field(int field, std::uint64_t number) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(number);
}

inline std::string bytes_field(int field, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(bytes.size()) + bytes;
}

inline std::string framed(const std::string& message) {
  return varint(message.size()) + message;
}

// A node from before attributes (eg_def.proto), whose fields behind the type are numbers.
inline std::string graph_node(std::uint64_t id, std::uint64_t type, const std::vector<std::uint64_t>& parents,
                              const std::vector<std::pair<int, std::uint64_t>>& fields) {
  std::string message = number_field(1, id) + bytes_field(2, "node") + number_field(3, type);
  for (const std::uint64_t parent : parents) message += number_field(4, parent);
  for (const auto& [field, value] : fields) message += number_field(field, value);
  return framed(message);
}

class ChakraBytes {
 public:
  // In release 0.0.4 attributes are the first field; later ones have a version there.
  explicit ChakraBytes(const std::string& version = "0.0.4", const std::string& attributes = "")
      : bytes_(framed((version.empty() ? "" : bytes_field(1, version)) + attributes)) {}

  static std::string attribute(const std::string& name, std::int64_t number, int field = 9) {
    return bytes_field(1, name) + number_field(field, static_cast<std::uint64_t>(number));
  }
  static std::string text(const std::string& name, const std::string& value) {
    return bytes_field(1, name) + bytes_field(29, value);
  }

  struct Node {
    std::uint64_t id = 0;
    std::uint64_t type = 7;
    std::vector<std::string> attributes = {};
    std::vector<std::uint64_t> data_deps = {}, ctrl_deps = {};
    std::string name = "node", input_values = {};
    bool packed = true;
  };

  ChakraBytes& add(const Node& node) {
    std::string message = number_field(1, node.id) + bytes_field(2, node.name) + number_field(3, node.type);
    message += deps(4, node.ctrl_deps, node.packed) + deps(5, node.data_deps, node.packed);
    if (!node.input_values.empty()) message += bytes_field(8, bytes_field(1, node.input_values));
    for (const std::string& attribute : node.attributes) message += bytes_field(10, attribute);
    bytes_ += framed(message);
    return *this;
  }

  // A collective of a kind (CollectiveCommType) and of so many bytes.
  ChakraBytes& collective(std::uint64_t id, int kind, std::int64_t bytes, const std::string& group = "",
                          const std::vector<std::uint64_t>& data_deps = {}) {
    Node node{id, 7, {attribute("comm_type", kind), attribute("comm_size", bytes)}, data_deps, {}};
    if (!group.empty()) node.attributes.push_back(text("pg_name", group));
    return add(node);
  }
  ChakraBytes& message(std::uint64_t id, bool send, int from, int to, std::int64_t bytes, int tag) {
    return add({id,
                send ? 5U : 6U,
                {attribute("comm_src", from, 11), attribute("comm_dst", to, 11), attribute("comm_size", bytes, 13),
                 attribute("comm_tag", tag, 7)},
                {},
                {}});
  }

  const std::string& bytes() const { return bytes_; }

 private:
  static std::string deps(int field, const std::vector<std::uint64_t>& ids, bool packed) {
    std::string bytes;
    for (const std::uint64_t id : ids) bytes += packed ? varint(id) : number_field(field, id);
    return ids.empty() || !packed ? bytes : bytes_field(field, bytes);
  }

  std::string bytes_;
};

}  // namespace petri::test
