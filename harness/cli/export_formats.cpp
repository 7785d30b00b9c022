#include "harness/cli/export_formats.hpp"

#include <array>
#include <ostream>

#include "harness/export/c_program.hpp"
#include "harness/export/otf2_archive.hpp"
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

void write_otf2(const ExportRequest& request, const std::filesystem::path& folder) {
  write_otf2_archive(request.scenario, folder, {request.diagnosis.blocked});
}

constexpr std::array kFormats{
    ExportFormat{"c", "a C program that fails in the same way; needs MPI", ExportOutput::text, write_c},
    ExportFormat{"pytorch", "a Python script that fails in the same way; needs PyTorch, with Gloo or NCCL",
                 ExportOutput::text, write_pytorch},
    ExportFormat{"otf2", "a folder with an OTF2 archive, for Vampir, Scalasca, Cube, otf2-print", ExportOutput::folder,
                 nullptr, write_otf2},
};

}  // namespace

std::span<const ExportFormat> export_formats() {
  return kFormats;
}

}  // namespace petri::cli
