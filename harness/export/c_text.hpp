// Names and texts of generated C. Internal to harness/export.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "harness/worker/plan/files.hpp"
#include "harness/worker/plan/windows.hpp"

namespace petri::c {

// Text for the inside of a comment: printable ASCII that cannot end or open one, splice lines or make a trigraph.
std::string comment_text(std::string_view text);

// "comm_2_dp0", or MPI_COMM_WORLD for the world.
std::string comm_name(const Scenario& scenario, std::int32_t comm);

// "win_1_halo" and "file_1_log", numbered in the order of the names.
std::string window_name(const std::map<std::string, WindowPlan>& windows, const std::string& name);
std::string file_name(const std::map<std::string, FilePlan>& files, const std::string& name);

// A C literal of the path, in the current folder, at which a file is opened.
std::string path_literal(const std::map<std::string, FilePlan>& files, const std::string& name);

// "MPI_MODE_RDWR" for rdwr.
std::string mode_name(const std::string& word);

// The MPI constant; MPI has no 8- and 16-bit floats, so integers of their size stand for these.
std::string_view type_name(ElementType type);
std::string_view reduce_name(ReduceOp op);

// "MPI_Allreduce" for allreduce.
std::string function_name(Op op);

std::string join(const std::vector<std::string>& parts, std::string_view between);
std::string join(const std::vector<std::int64_t>& numbers);

}  // namespace petri::c
