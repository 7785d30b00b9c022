// The opcodes of pickles, by the names of CPython's Lib/pickle.py and Lib/pickletools.py. Internal to harness/import.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace petri::pickle_opcode {

inline constexpr std::uint8_t kLatestProtocol = 5;

// clang-format off
enum Opcode : std::uint8_t {
  // protocol 0, whose operands are lines of text
  kMark = '(', kStop = '.', kPop = '0', kDup = '2', kFloat = 'F', kInt = 'I', kLong = 'L', kNone = 'N', kString = 'S',
  kUnicode = 'V', kAppend = 'a', kDict = 'd', kGet = 'g', kList = 'l', kPut = 'p', kSetitem = 's', kTuple = 't',
  // protocol 1
  kPopMark = '1', kBinint = 'J', kBinint1 = 'K', kBinint2 = 'M', kBinstring = 'T', kShortBinstring = 'U',
  kBinunicode = 'X', kEmptyList = ']', kEmptyDict = '}', kEmptyTuple = ')', kAppends = 'e', kSetitems = 'u',
  kBinget = 'h', kLongBinget = 'j', kBinput = 'q', kLongBinput = 'r', kBinfloat = 'G',
  // protocol 2
  kProto = 0x80, kTuple1 = 0x85, kTuple2 = 0x86, kTuple3 = 0x87, kNewtrue = 0x88, kNewfalse = 0x89, kLong1 = 0x8a,
  kLong4 = 0x8b,
  // protocol 3
  kBinbytes = 'B', kShortBinbytes = 'C',
  // protocol 4
  kShortBinunicode = 0x8c, kBinunicode8 = 0x8d, kBinbytes8 = 0x8e, kEmptySet = 0x8f, kAdditems = 0x90,
  kFrozenset = 0x91, kMemoize = 0x94, kFrame = 0x95,
  // protocol 5
  kBytearray8 = 0x96,
};

inline constexpr std::array<std::pair<std::uint8_t, std::string_view>, 15> kRefused{{
    {'P', "PERSID"}, {'Q', "BINPERSID"}, {'R', "REDUCE"}, {'b', "BUILD"}, {'c', "GLOBAL"}, {'i', "INST"}, {'o', "OBJ"},
    {0x81, "NEWOBJ"}, {0x82, "EXT1"}, {0x83, "EXT2"}, {0x84, "EXT4"}, {0x92, "NEWOBJ_EX"}, {0x93, "STACK_GLOBAL"},
    {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"},
}};
// clang-format on

}  // namespace petri::pickle_opcode
