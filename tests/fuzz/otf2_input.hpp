// An OTF2 archive of up to three locations as the fuzzer's input.
#pragma once

#include <array>
#include <string_view>

namespace petri::fuzz {

inline constexpr std::array<std::string_view, 6> kOtf2Files{"traces.otf2",  "traces.def",   "traces/0.evt",
                                                            "traces/1.evt", "traces/2.evt", "traces/0.def"};

}  // namespace petri::fuzz
