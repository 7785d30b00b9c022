// The files in a folder and below it, in the order of their names.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/import/trace_files.hpp"

namespace petri {

// Regular files, and links to them; hidden files and folders are passed over. What else is there is told in the notes:
// folders that cannot be read, links to folders, which may lead anywhere and are not followed, links that lead nowhere,
// pipes and devices. Throws InputError for a folder that itself cannot be read, and for one of more than
// kMostTraceFiles files.
std::vector<std::filesystem::path> files_in_folder(const std::filesystem::path& folder, std::vector<FileNote>& notes);

}  // namespace petri
