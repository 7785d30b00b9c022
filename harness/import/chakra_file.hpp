// The messages of one Chakra execution trace: length-delimited protobuf, metadata first, then a node each.
//
// Sources: mlcommons/chakra schema/protobuf/et_def.proto (fields, of releases 0.0.4 and later) and
// src/third_party/utils/protolib.py (the file). Before attributes came, as execution graphs, nodes had a field for each
// fact and other numbers of types, and no metadata stood in front (eg_def/eg_def.proto): they are read as if they were
// of today. Only the fields that are named in the reader are looked at; others are skipped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/trace_files.hpp"

namespace petri {

// et_def.proto, enum NodeType.
inline constexpr std::uint64_t kChakraSend = 5, kChakraRecv = 6, kChakraCollective = 7;

struct ChakraNode {
  std::uint64_t id = 0, type = 0;
  std::uint64_t start_micros = 0;  // 0: not told
  std::string name;
  std::string input_values;                         // of the node that lists groups only
  std::vector<std::uint64_t> ctrl_deps, data_deps;  // ids of nodes that come before
  // Attributes, by their names.
  std::optional<std::int64_t> comm_type, comm_size, comm_src, comm_dst, comm_tag, root, is_cpu_op;
  std::string pg_name;  // or comm_group
};

struct ChakraMetadata {
  std::optional<std::int64_t> rank;
  bool profiled = false;  // converted from a profiler's trace, which has a process and times
};

// Whether the first bytes of a file are its beginning.
bool looks_like_chakra(std::string_view head);

class ChakraFile {
 public:
  explicit ChakraFile(const TraceFile& file);
  ~ChakraFile();
  ChakraFile(const ChakraFile&) = delete;
  ChakraFile& operator=(const ChakraFile&) = delete;

  const ChakraMetadata& metadata() const { return metadata_; }

  // False at the end, or where the file breaks off. Throws InputError, with the byte, for what is no such message.
  bool next(ChakraNode& node);
  bool cut() const { return cut_; }

 private:
  struct Input;
  std::unique_ptr<Input> input_;
  std::string name_;
  ChakraMetadata metadata_;
  bool has_attributes_ = true;
  bool cut_ = false;
};

}  // namespace petri
