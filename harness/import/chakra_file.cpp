#include "harness/import/chakra_file.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

using google::protobuf::io::CodedInputStream;

constexpr std::uint32_t kMostMessageBytes = std::uint32_t{256} << 20;
constexpr std::uint32_t kMostTextBytes = std::uint32_t{1} << 20;

// A tag is a field's number and the kind of its value (protobuf's encoding, "wire types").
constexpr std::uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;
constexpr std::uint32_t tag_of(std::uint32_t field, std::uint32_t kind) {
  return field << 3 | kind;
}

// et_def.proto.
namespace node_field {
constexpr std::uint32_t id = 1, name = 2, type = 3, ctrl_deps = 4, data_deps = 5, start = 6, inputs = 8, attr = 10;
}
namespace attribute_field {
constexpr std::uint32_t name = 1, int32 = 7, int64 = 9, uint32 = 11, uint64 = 13, sint32 = 15, sint64 = 17,
                        fixed32 = 19, fixed64 = 21, sfixed32 = 23, sfixed64 = 25, boolean = 27, text = 29, last = 32;
}
// eg_def.proto: those from before attributes.
namespace graph_field {
constexpr std::uint32_t id = 1, name = 2, type = 3, parent = 4, comm_type = 13, involved_dim = 14, communicator = 15,
                        comm_src = 16, comm_dst = 17, comm_size = 18, comm_tag = 19, last = 20;
}
constexpr std::uint32_t kInputValuesField = 1;
constexpr std::uint32_t kLastMetadataField = 2;

bool skip(CodedInputStream& in, std::uint32_t tag) {
  std::uint64_t wide = 0;
  std::uint32_t narrow = 0;
  switch (tag & 7) {
    case kVarint: return in.ReadVarint64(&wide);
    case kFixed64: return in.ReadLittleEndian64(&wide);
    case kBytes: return in.ReadVarint32(&narrow) && narrow <= kMostMessageBytes && in.Skip(static_cast<int>(narrow));
    case kFixed32: return in.ReadLittleEndian32(&narrow);
    default: return false;
  }
}

// One of more than kMostTextBytes is skipped.
bool read_text(CodedInputStream& in, std::string& text) {
  std::uint32_t size = 0;
  if (!in.ReadVarint32(&size) || size > kMostMessageBytes) return false;
  if (size > kMostTextBytes) return in.Skip(static_cast<int>(size));
  return in.ReadString(&text, static_cast<int>(size));
}

// `read(tag)` for each field of the message that follows with its length.
template <class Read>
bool read_message(CodedInputStream& in, const Read& read) {
  std::uint32_t size = 0;
  if (!in.ReadVarint32(&size) || size > kMostMessageBytes) return false;
  const CodedInputStream::Limit limit = in.PushLimit(static_cast<int>(size));
  while (const std::uint32_t tag = in.ReadTag())
    if (tag >> 3 == 0 || !read(tag)) return false;
  if (in.BytesUntilLimit() != 0) return false;
  in.PopLimit(limit);
  return true;
}

struct Attribute {
  std::string name, text;
  std::optional<std::int64_t> number;
};

bool read_attribute_field(CodedInputStream& in, std::uint32_t tag, Attribute& attribute) {
  std::uint64_t wide = 0;
  std::uint32_t narrow = 0;
  switch (tag) {
    case tag_of(attribute_field::name, kBytes): return read_text(in, attribute.name);
    case tag_of(attribute_field::text, kBytes): return read_text(in, attribute.text);
    case tag_of(attribute_field::int32, kVarint):
    case tag_of(attribute_field::int64, kVarint):
    case tag_of(attribute_field::uint32, kVarint):
    case tag_of(attribute_field::uint64, kVarint):
    case tag_of(attribute_field::boolean, kVarint):
      if (!in.ReadVarint64(&wide)) return false;
      attribute.number = static_cast<std::int64_t>(wide);
      return true;
    case tag_of(attribute_field::sint32, kVarint):
    case tag_of(attribute_field::sint64, kVarint):  // the sign is the lowest bit
      if (!in.ReadVarint64(&wide)) return false;
      attribute.number = static_cast<std::int64_t>((wide >> 1) ^ (~(wide & 1) + 1));
      return true;
    case tag_of(attribute_field::fixed32, kFixed32):
    case tag_of(attribute_field::sfixed32, kFixed32):
      if (!in.ReadLittleEndian32(&narrow)) return false;
      attribute.number =
          tag >> 3 == attribute_field::fixed32 ? std::int64_t{narrow} : std::int64_t{static_cast<std::int32_t>(narrow)};
      return true;
    case tag_of(attribute_field::fixed64, kFixed64):
    case tag_of(attribute_field::sfixed64, kFixed64):
      if (!in.ReadLittleEndian64(&wide)) return false;
      attribute.number = static_cast<std::int64_t>(wide);
      return true;
    default: return tag >> 3 <= attribute_field::last && skip(in, tag);
  }
}

bool read_attribute(CodedInputStream& in, Attribute& attribute) {
  return read_message(in, [&](std::uint32_t tag) { return read_attribute_field(in, tag, attribute); });
}

void take_attribute(Attribute&& attribute, ChakraNode& node) {
  const std::pair<std::string_view, std::optional<std::int64_t>*> numbers[] = {
      {"comm_type", &node.comm_type}, {"comm_size", &node.comm_size}, {"comm_src", &node.comm_src},
      {"comm_dst", &node.comm_dst},   {"comm_tag", &node.comm_tag},   {"root_rank", &node.root},
      {"comm_root", &node.root},      {"is_cpu_op", &node.is_cpu_op},
  };
  for (const auto& [name, number] : numbers)
    if (attribute.name == name) *number = attribute.number;
  if (attribute.name == "pg_name" || attribute.name == "comm_group")
    node.pg_name = attribute.number ? fmt::format("{}", *attribute.number) : std::move(attribute.text);
}

// Packed, as proto3 writes lists of numbers, or one by one.
bool read_deps(CodedInputStream& in, std::uint32_t tag, std::vector<std::uint64_t>& deps) {
  std::uint64_t id = 0;
  if ((tag & 7) == kVarint) {
    if (!in.ReadVarint64(&id)) return false;
    deps.push_back(id);
    return true;
  }
  std::uint32_t size = 0;
  if (!in.ReadVarint32(&size) || size > kMostMessageBytes) return false;
  const CodedInputStream::Limit limit = in.PushLimit(static_cast<int>(size));
  while (in.BytesUntilLimit() > 0) {
    if (!in.ReadVarint64(&id)) return false;
    deps.push_back(id);
  }
  in.PopLimit(limit);
  return true;
}

bool read_node_field(CodedInputStream& in, std::uint32_t tag, ChakraNode& node) {
  switch (tag) {
    case tag_of(node_field::id, kVarint): return in.ReadVarint64(&node.id);
    case tag_of(node_field::name, kBytes): return read_text(in, node.name);
    case tag_of(node_field::type, kVarint): return in.ReadVarint64(&node.type);
    case tag_of(node_field::start, kVarint): return in.ReadVarint64(&node.start_micros);
    case tag_of(node_field::ctrl_deps, kVarint):
    case tag_of(node_field::ctrl_deps, kBytes): return read_deps(in, tag, node.ctrl_deps);
    case tag_of(node_field::data_deps, kVarint):
    case tag_of(node_field::data_deps, kBytes): return read_deps(in, tag, node.data_deps);
    case tag_of(node_field::inputs, kBytes):
      if (node.name.find("process_group:init") == std::string::npos) return skip(in, tag);
      return read_message(in, [&](std::uint32_t part) {
        return part == tag_of(kInputValuesField, kBytes) ? read_text(in, node.input_values) : skip(in, part);
      });
    case tag_of(node_field::attr, kBytes): {
      Attribute attribute;
      if (!read_attribute(in, attribute)) return false;
      take_attribute(std::move(attribute), node);
      return true;
    }
    default: return skip(in, tag);
  }
}

// Its types have one number less each, its kinds of collectives other ones.
bool take_graph_number(std::uint32_t field, std::uint64_t value, ChakraNode& node) {
  constexpr std::array<std::int64_t, 5> kKinds{-1, 0, 6, 2, 7};  // as CollectiveCommType of et_def.proto
  const auto number = static_cast<std::int64_t>(value);
  switch (field) {
    case graph_field::id: node.id = value; break;
    case graph_field::type: node.type = value == 0 ? 0 : value + 1; break;
    case graph_field::comm_type: node.comm_type = value < kKinds.size() ? kKinds[value] : -1; break;
    case graph_field::communicator: node.pg_name = fmt::format("{}", value); break;
    case graph_field::comm_src: node.comm_src = number; break;
    case graph_field::comm_dst: node.comm_dst = number; break;
    case graph_field::comm_size: node.comm_size = number; break;
    case graph_field::comm_tag: node.comm_tag = number; break;
    default: break;
  }
  return true;
}

bool read_graph_field(CodedInputStream& in, std::uint32_t tag, ChakraNode& node) {
  const std::uint32_t field = tag >> 3;
  if (tag == tag_of(graph_field::name, kBytes)) return read_text(in, node.name);
  if (field == graph_field::parent && ((tag & 7) == kVarint || (tag & 7) == kBytes))
    return read_deps(in, tag, node.data_deps);
  if (tag == tag_of(graph_field::involved_dim, kBytes)) return skip(in, tag);
  std::uint64_t value = 0;
  return (tag & 7) == kVarint && field != graph_field::name && field <= graph_field::last && in.ReadVarint64(&value) &&
         take_graph_number(field, value, node);
}

enum class Beginning { metadata, node, graph_node };

// The first message is metadata, or a node, which begins with its number: then the fields of the nodes that are there
// tell whether they have attributes.
Beginning beginning_of(std::string_view head) {
  google::protobuf::io::ArrayInputStream array(head.data(), static_cast<int>(head.size()));
  CodedInputStream in(&array);
  Beginning found = Beginning::metadata;
  bool first = true;
  const auto look = [&](std::uint32_t tag) {
    const std::uint32_t field = tag >> 3, kind = tag & 7;
    if (std::exchange(first, false)) {
      if (tag != tag_of(graph_field::id, kVarint)) return false;
      found = Beginning::graph_node;
    }
    if (field >= node_field::inputs && field <= node_field::attr && kind == kBytes) found = Beginning::node;
    return found == Beginning::graph_node && skip(in, tag);
  };
  while (read_message(in, look)) {
  }
  return found;
}

bool is_printable(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
}

// An attribute; or in later releases, as the first field, a version. Says whether it is one of these.
bool take_metadata(const std::string& bytes, bool first, ChakraMetadata& metadata) {
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  Attribute attribute;
  bool read = true;
  while (const std::uint32_t tag = in.ReadTag()) read = read && read_attribute_field(in, tag, attribute);
  read = read && static_cast<std::size_t>(in.CurrentPosition()) == bytes.size() && is_printable(attribute.name);
  if (!read) return first && is_printable(bytes);
  if (attribute.name == "rank") metadata.rank = attribute.number;
  if (attribute.name == "start_ts" || attribute.name == "pid") metadata.profiled = true;
  return true;
}

// `known` counts the fields that were what they should be.
bool read_metadata_field(CodedInputStream& in, std::uint32_t tag, ChakraMetadata& metadata, int& known) {
  if (tag >> 3 > kLastMetadataField || (tag & 7) != kBytes) return false;
  std::string bytes;
  if (!read_text(in, bytes)) return false;
  if (!take_metadata(bytes, tag >> 3 == 1, metadata)) return bytes.empty();  // empty: too long to look at
  ++known;
  return true;
}

bool is_node_tag(std::uint32_t tag) {
  constexpr std::array<std::uint32_t, 12> kKinds{99,      kVarint, kBytes, kVarint, kBytes, kBytes,
                                                 kVarint, kVarint, kBytes, kBytes,  kBytes, kBytes};
  const std::uint32_t field = tag >> 3, kind = tag & 7;
  return field < kKinds.size() && (kind == kKinds[field] || (kind == kVarint && (field == 4 || field == 5)));
}

// Whether a failure is for lack of bytes: within the message that was begun there are none.
bool ran_out(CodedInputStream& in) {
  const void* data = nullptr;
  int size = 0;
  return in.BytesUntilLimit() != 0 && !in.GetDirectBufferPointer(&data, &size);
}

// Exceptions do not pass through the library: they wait here.
class Bytes : public google::protobuf::io::CopyingInputStream {
 public:
  explicit Bytes(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  int Read(void* buffer, int size) override {
    try {
      const std::size_t count = stream_->read(static_cast<char*>(buffer), static_cast<std::size_t>(size));
      read_ += count;
      return static_cast<int>(count);
    } catch (...) {
      problem_ = std::current_exception();
      return -1;
    }
  }
  void rethrow() const {
    if (problem_ != nullptr) std::rethrow_exception(problem_);
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::exception_ptr problem_;
  std::uint64_t read_ = 0;
};

}  // namespace

struct ChakraFile::Input {
  explicit Input(std::unique_ptr<ByteStream> stream) : bytes(std::move(stream)), chunks(&bytes, 1 << 16) {}
  Bytes bytes;
  google::protobuf::io::CopyingInputStreamAdaptor chunks;
};

ChakraFile::ChakraFile(const TraceFile& file) : input_(std::make_unique<Input>(file.open())), name_(file.name) {
  const Beginning beginning = beginning_of(file.head);
  has_attributes_ = beginning != Beginning::graph_node;
  if (beginning != Beginning::metadata) return;
  CodedInputStream in(&input_->chunks);
  int known = 0;
  const bool read = read_message(in, [&](std::uint32_t tag) { return read_metadata_field(in, tag, metadata_, known); });
  input_->bytes.rethrow();
  if (read) return;
  if (!ran_out(in)) throw InputError(name_, 0, 0, "the first message is no metadata of a Chakra trace");
  cut_ = true;
}

ChakraFile::~ChakraFile() = default;

bool ChakraFile::next(ChakraNode& node) {
  if (cut_) return false;
  const void* data = nullptr;
  int size = 0;
  while (size == 0) {
    if (!input_->chunks.Next(&data, &size)) {
      input_->bytes.rethrow();
      return false;
    }
  }
  input_->chunks.BackUp(size);
  const std::int64_t begin = input_->chunks.ByteCount();
  node = {};
  CodedInputStream in(&input_->chunks);
  const auto read_field = has_attributes_ ? read_node_field : read_graph_field;
  if (read_message(in, [&](std::uint32_t tag) { return read_field(in, tag, node); })) return true;
  input_->bytes.rethrow();
  if (!ran_out(in)) throw InputError(name_, 0, 0, fmt::format("at byte {}: a message of a node was expected", begin));
  cut_ = true;
  return false;
}

namespace {

bool looks_like_node(CodedInputStream& in, bool has_attributes) {
  constexpr std::uint64_t kLastType = 7;
  ChakraNode node;
  const auto read_field = has_attributes ? read_node_field : read_graph_field;
  const bool whole = read_message(in, [&](std::uint32_t tag) { return read_field(in, tag, node); });
  return (whole || ran_out(in)) && is_printable(node.name) && node.type > 0 && node.type <= kLastType;
}

}  // namespace

bool looks_like_chakra(std::string_view head) {
  // A stream rather than an array: what is beyond its end is then told from what is beyond a message's.
  google::protobuf::io::ArrayInputStream array(head.data(), static_cast<int>(head.size()));
  CodedInputStream in(&array);
  if (const Beginning beginning = beginning_of(head); beginning != Beginning::metadata)
    return looks_like_node(in, beginning == Beginning::node);
  ChakraMetadata metadata;
  int known = 0;
  const bool read = !head.empty() &&
                    read_message(in, [&](std::uint32_t tag) { return read_metadata_field(in, tag, metadata, known); });
  if (!read) return known > 0 && ran_out(in);
  if (static_cast<std::size_t>(in.CurrentPosition()) == head.size()) return known > 0;
  ChakraNode node;
  int fields = 0;
  const bool whole = read_message(in, [&](std::uint32_t tag) {
    if (!is_node_tag(tag) || !read_node_field(in, tag, node)) return false;
    ++fields;
    return true;
  });
  constexpr std::uint64_t kLastType = 32;
  return (whole || ran_out(in)) && node.type < kLastType && (known > 0 || fields > 2);
}

}  // namespace petri
