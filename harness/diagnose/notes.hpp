// What is worth knowing beside the findings: other orders of kernels, losses, leaks, what was not recorded.
#pragma once

#include <cstdint>

#include "harness/diagnose/diagnose.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// Adds them to a diagnosis that is otherwise complete; where they say that something was not looked at, its certainty
// says so, too. At most `orders` orders of kernels are looked at.
void add_notes(const Scenario& scenario, const DiagnoseOptions& options, const model::Run& run, std::uint64_t orders,
               Diagnosis& result);

}  // namespace petri::diagnosis
