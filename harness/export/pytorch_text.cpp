#include "harness/export/pytorch_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/export/c_text.hpp"

namespace petri::pytorch {

Word type_word(ElementType type, bool reduced) {
  using enum ElementType;
  constexpr std::string_view kSigned = "torch has few unsigned types: a signed one";
  switch (type) {
    case int8:
    case char8: return {"torch.int8"};
    case uint8:
    case byte:
    case packed: return {"torch.uint8"};
    case int16: return reduced ? Word{"torch.int32", "Gloo reduces no 16-bit integers: 32 bits"} : Word{"torch.int16"};
    case uint16:
      return reduced ? Word{"torch.int32", "Gloo reduces no 16-bit integers: 32 bits"} : Word{"torch.int16", kSigned};
    case int32:
    case wchar: return {"torch.int32"};
    case uint32: return {"torch.int32", kSigned};
    case int64:
    case aint:
    case offset:
    case count: return {"torch.int64"};
    case uint64: return {"torch.int64", kSigned};
    case float8_e4m3:
    case float8_e5m2: return {"torch.uint8", "Gloo has no 8-bit floats: integers"};
    case float16: return {"torch.float16"};
    case bfloat16: return {"torch.bfloat16"};
    case float32: return {"torch.float32"};
    case float64: return {"torch.float64"};
    case complex64: return {"torch.complex64"};
    case complex128: return {"torch.complex128"};
    case boolean: return {"torch.bool"};
    case unknown: return {"torch.float32", "type not recorded: float32"};
    default: return {};
  }
}

Word reduce_word(ReduceOp op) {
  using enum ReduceOp;
  switch (op) {
    case sum: return {"SUM"};
    case prod: return {"PRODUCT"};
    case min: return {"MIN"};
    case max: return {"MAX"};
    case avg: return {"AVG"};
    case band: return {"BAND"};
    case bor: return {"BOR"};
    case bxor: return {"BXOR"};
    case land: return {"MIN", "torch has no logical and: the minimum"};
    case lor: return {"MAX", "torch has no logical or: the maximum"};
    case user: return {"SUM", "an operation of the user's own: sum"};
    case unknown: return {"SUM", "operation not recorded: sum"};
    default: return {};
  }
}

std::string group_name(const Scenario& scenario, std::int32_t comm) {
  return comm == 0 ? "None" : c::comm_name(scenario, comm);
}

std::string rank_list(const std::vector<std::int32_t>& ranks) {
  constexpr std::size_t kShort = 8;
  const std::int32_t step = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
  bool regular = step > 0;
  for (std::size_t i = 1; i < ranks.size(); ++i) regular = regular && ranks[i] - ranks[i - 1] == step;
  if (ranks.size() <= kShort || !regular) return fmt::format("[{}]", fmt::join(ranks, ", "));
  return step == 1 ? fmt::format("range({}, {})", ranks.front(), ranks.back() + 1)
                   : fmt::format("range({}, {}, {})", ranks.front(), ranks.back() + 1, step);
}

std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : c::comment_text(text)) out += c == '"' || c == '\'' ? '_' : c;
  return out + '"';
}

}  // namespace petri::pytorch
