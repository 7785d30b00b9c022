// The words of arguments that are lists of words or one of them, as in "noprecede,nosucceed".
#pragma once

#include <array>
#include <string_view>

namespace petri {

inline constexpr std::array<std::string_view, 2> kLockWords{"shared", "exclusive"};
// MPI 4.1, section 12.5.5: of win_fence, win_post, win_start, win_lock and win_lock_all.
inline constexpr std::array<std::string_view, 5> kAssertionWords{"nocheck", "nostore", "noput", "noprecede",
                                                                 "nosucceed"};
// MPI 4.1, section 14.2.1: MPI_MODE_… of file_open.
inline constexpr std::array<std::string_view, 9> kModeWords{
    "rdonly", "wronly", "rdwr", "create", "excl", "delete_on_close", "unique_open", "sequential", "append"};

}  // namespace petri
