#include "harness/cli/export_formats.hpp"

#include <array>
#include <ostream>

#include "harness/export/c_program.hpp"

namespace petri::cli {
namespace {

void write_c(const ExportRequest& request, std::ostream& out) {
  const Diagnosis& diagnosis = request.diagnosis;
  out << c_program(request.scenario, {request.source, std::string(name_of(diagnosis.verdict)), diagnosis.signature});
}

constexpr std::array kFormats{
    ExportFormat{"c", "a C program that fails in the same way; needs MPI", ExportOutput::text, write_c},
};

}  // namespace

std::span<const ExportFormat> export_formats() {
  return kFormats;
}

}  // namespace petri::cli
