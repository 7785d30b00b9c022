// The interpreter that a script names in its first line. Where it is missing the system says of the script itself that
// there is no such file.
#pragma once

#include <filesystem>
#include <string>

namespace petri {

// What keeps the script from being started ("its interpreter /usr/bin/python9 is not there"), also one that `env` is to
// find. Empty where nothing is wrong with the first line, or the file is no script.
std::string interpreter_problem(const std::filesystem::path& program);

}  // namespace petri
