// What the fuzzers of importers of single ranks' traces begin with.
#pragma once

#include <filesystem>

namespace petri::fuzz {

// FOLDER/{import_chakra,import_pytorch_et,import_kineto}, anew.
void make_trace_seeds(const std::filesystem::path& folder);

}  // namespace petri::fuzz
