// What people read on standard output and standard error, and what standard output is connected to.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace petri::cli {

// Colour is for terminals only, and for nobody who asked not to have it (NO_COLOR, TERM=dumb).
bool stdout_takes_colour();

// Columns of the terminal, or of COLUMNS, or 100 where there is neither.
std::size_t width_of(int descriptor);
std::size_t stdout_width();

// A terminal on which a line can be written anew.
bool rewrites_lines(int descriptor);

// Writes text of several lines, made printable: names in it come from an input that may be hostile.
void say_text(std::FILE* to, std::string_view text);

// Before anything is opened: a standard stream that the caller has closed stays unusable, instead of being the name of
// the first file that is opened.
void keep_standard_streams_apart();

// At the end: why not all that was said on standard output got there; empty where it did, or where its reader has gone.
std::string loss_on_stdout();

template <class... Arguments>
void say(std::FILE* to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  say_text(to, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace petri::cli
