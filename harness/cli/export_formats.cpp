#include "harness/cli/export_formats.hpp"

#include <array>
#include <ostream>

#include "harness/export/c_program.hpp"
#include "harness/export/pytorch_program.hpp"

namespace petri::cli {
namespace {

void write_c(const ExportRequest& request, std::ostream& out) {
  const Diagnosis& diagnosis = request.diagnosis;
  out << c_program(request.scenario, {request.source, std::string(name_of(diagnosis.verdict)), diagnosis.signature});
}

void write_pytorch(const ExportRequest& request, std::ostream& out) {
  const Diagnosis& diagnosis = request.diagnosis;
  out << pytorch_program(request.scenario,
                         {request.source, std::string(name_of(diagnosis.verdict)), diagnosis.signature});
}

constexpr std::array kFormats{
    ExportFormat{"c", "a C program that fails in the same way; needs MPI", ExportOutput::text, write_c},
    ExportFormat{"pytorch", "a Python script that fails in the same way; needs PyTorch, with Gloo or NCCL",
                 ExportOutput::text, write_pytorch},
};

}  // namespace

std::span<const ExportFormat> export_formats() {
  return kFormats;
}

}  // namespace petri::cli
