#include "harness/cli/export_formats.hpp"

#include <fmt/format.h>

#include <array>
#include <ostream>

#include "harness/cli/course.hpp"
#include "harness/export/c_program.hpp"
#include "harness/export/nccl_program.hpp"
#include "harness/export/otf2_archive.hpp"
#include "harness/export/perfetto_trace.hpp"
#include "harness/export/pytorch_program.hpp"
#include "harness/trace/counted.hpp"

namespace petri::cli {
namespace {

template <std::string (*program)(const Scenario&, const ProgramOptions&)>
void write_program(const ExportRequest& request, std::ostream& out) {
  const Diagnosis& diagnosis = request.diagnosis;
  out << program(request.scenario, {request.source, std::string(name_of(diagnosis.verdict)), diagnosis.signature});
}

void write_otf2(const ExportRequest& request, const std::filesystem::path& folder) {
  write_otf2_archive(request.scenario, folder, {request.diagnosis.blocked});
}

void write_perfetto_trace(const ExportRequest& request, std::ostream& out) {
  const Scenario& scenario = request.scenario;
  const std::string title =
      fmt::format("{}: {}, {}", scenario.header.job.empty() ? "case" : scenario.header.job,
                  counted(static_cast<std::uint64_t>(scenario.world()), "rank"), name_of(request.diagnosis.verdict));
  write_perfetto(scenario, course_of(scenario, request.diagnosis), {title}, out);
}

constexpr std::array kFormats{
    ExportFormat{"c", "a C program that fails in the same way; needs MPI", ExportOutput::text,
                 write_program<c_program>},
    ExportFormat{"pytorch", "a Python script that fails in the same way; needs PyTorch, with Gloo or NCCL",
                 ExportOutput::text, write_program<pytorch_program>},
    ExportFormat{"nccl", "a C++ program that fails in the same way; needs CUDA and NCCL, and a device for each rank",
                 ExportOutput::text, write_program<nccl_program>},
    ExportFormat{"perfetto", "a trace of the ranks' calls for ui.perfetto.dev, with what met what",
                 ExportOutput::binary, write_perfetto_trace},
    ExportFormat{"otf2", "a folder with an OTF2 archive, for Vampir, Scalasca, Cube, otf2-print", ExportOutput::folder,
                 nullptr, write_otf2},
};

}  // namespace

std::span<const ExportFormat> export_formats() {
  return kFormats;
}

}  // namespace petri::cli
