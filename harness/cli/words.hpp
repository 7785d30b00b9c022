// A command line cut into words as a POSIX shell quotes them, without anything that a shell expands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petri::cli {

// Words are separated by blanks; '…' keeps everything, "…" everything but \" \\ \$ \` , a backslash the next character
// (POSIX.1-2017, Shell Command Language, section 2.2). Throws UsageError for a quote or backslash without its end.
std::vector<std::string> split_words(std::string_view command);

// What a shell would take for its own in such a line, the first of it: "|", "&&", "2>", … Empty where there is none.
// Quoted or behind a backslash they are text (POSIX.1-2017, Shell Command Language, section 2.3).
std::string shell_operator_in(std::string_view command);

// The word as a POSIX shell reads it back, quoted only where that is needed.
std::string quoted_word(std::string_view word);

}  // namespace petri::cli
