#include "harness/import/chakra.hpp"
#include "harness/import/flight_recorder.hpp"
#include "harness/import/foreign.hpp"
#include "harness/import/kineto.hpp"
#include "harness/import/nccl_log.hpp"
#include "harness/import/nccl_ras.hpp"
#include "harness/import/otf2_archive.hpp"
#include "harness/import/pytorch_et.hpp"
#include "harness/import/smpi_trace.hpp"

namespace petri {

const std::vector<ForeignFormat>& foreign_formats() {
  static const std::vector<ForeignFormat> formats{
      {"PyTorch Flight Recorder", is_flight_dump, read_flight_dumps, true, true},
      {"OTF2 archives (Score-P, TAU, EZTrace)", recognizes_otf2, read_otf2},
      {"Kineto traces (PyTorch's profiler)", is_kineto_trace, read_kineto_traces, true, true},
      {"PyTorch execution traces", is_pytorch_et, read_pytorch_ets, true, true},
      {"Chakra execution traces", is_chakra_trace, read_chakra_traces, true, true},
      {"SimGrid SMPI time-independent traces", recognizes_smpi, read_smpi, false, true},
      {"NCCL and RCCL RAS reports", is_ras_report, read_ras_reports},
      {"NCCL and RCCL logs", is_nccl_log, read_nccl_log},
  };
  return formats;
}

}  // namespace petri
