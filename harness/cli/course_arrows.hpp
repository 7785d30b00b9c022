// Arrows between the calls of a course that met. Internal to it.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/cli/course_meetings.hpp"
#include "harness/export/course.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli::course {

// By the key of a nonblocking call: the call of the same rank that completed it.
using Completions = std::unordered_map<std::uint64_t, std::uint32_t>;

// Makes arrows of meetings, and spans such that none points backwards: who is met begins when the other is left, or
// with it. A message leads to the call that completed its receive, where the receive was begun before the send.
void draw_arrows(const Scenario& scenario, const Meetings& meetings, const Completions& completed, Course& course);

}  // namespace petri::cli::course
