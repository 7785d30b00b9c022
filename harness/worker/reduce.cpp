#include "harness/worker/reduce.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/trace/digest.hpp"
#include "harness/worker/plan/reductions.hpp"
#include "kernels/cpu/openmpi_ops.hpp"
#include "kernels/mpi/openmpi_call.hpp"
#include "kernels/mpi/openmpi_settings.hpp"
#include "kernels/mpi/reproducible.hpp"
#include "kernels/order/libraries.hpp"
#include "kernels/order/openmpi_names.hpp"
#include "kernels/order/openmpi_parameters.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;
namespace openmpi = order::openmpi;
using Bytes = std::vector<std::byte>;
using DigestText = std::array<char, 64>;  // ends with a 0; empty: this rank has no result

constexpr int kEnvironment = 3;
constexpr useconds_t kIdleLook_us = 5000;
constexpr std::string_view kOpenMpi = "openmpi-";

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

// "openmpi-4.1/reduce:5" in its parts.
struct LibraryOrder {
  std::string series;
  openmpi::Invocation how;
};
std::optional<LibraryOrder> library_order(const std::string& name) {
  const auto slash = name.find('/');
  if (!name.starts_with(kOpenMpi) || slash == std::string::npos) return std::nullopt;
  const auto how = openmpi::invocation_named(std::string_view(name).substr(slash + 1));
  if (!how) return std::nullopt;
  const auto series = order::series_of(std::string_view(name).substr(kOpenMpi.size(), slash - kOpenMpi.size()));
  if (!series) return std::nullopt;
  return LibraryOrder{std::string(*series), *how};
}

// Which of two zeros a min or max keeps, and what it makes of NaN, depends on the vectors that it works through.
bool has_usual_vectors(ElementType type) {
  return kernels::openmpi_vector_bytes(type, mpi::vector_support()) == kernels::openmpi_vector_bytes(type);
}

// Why the library that runs cannot make the call, or not as its order is defined; the same on all ranks.
std::string reason_to_refuse(const ReductionCall& call, ReduceOp op) {
  if (call.order == kReproducibleCall) return {};
  const auto wanted = library_order(call.order);
  if (!wanted) return "it is no order of Open MPI's";
  if (mpi::library_series() != wanted->series) {
    const std::string version = library_version();
    return "the library here is " + version.substr(0, version.find_first_of(",\n"));
  }
  const openmpi::Invocation in_force = mpi::invocation_in_force(wanted->how.collective);
  if (openmpi::parameters_of(in_force) != openmpi::parameters_of(wanted->how))
    return "the library's parameters, as they are in force here, choose another algorithm";
  if ((op == ReduceOp::min || op == ReduceOp::max) && !has_usual_vectors(call.type))
    return "the library works through other vectors here than those of AVX";
  return {};
}

template <class T>
Bytes reproducibly(const Bytes& own, MPI_Comm comm) {
  Bytes result(own.size());
  const std::size_t count = own.size() / sizeof(T);
  reproducible_allreduce(std::span(reinterpret_cast<const T*>(own.data()), count),
                         std::span(reinterpret_cast<T*>(result.data()), count), comm);
  return result;
}

// The ranks of one communicator, the first ones of the job.
class Ranks {
 public:
  Ranks(const ReductionJob& job, const fs::path& folder, MPI_Comm comm, ReductionReportWriter* report)
      : job_(job), folder_(folder), comm_(comm), report_(report) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
  }

  void make(std::size_t number) {
    const ReductionCall& call = job_.calls[number];
    const std::string refusal = reason_to_refuse(call, job_.op);
    if (!refusal.empty()) {
      if (report_ != nullptr) report_->refused(number, refusal);
      return;
    }
    const Bytes own = contribution(call.type);
    for (std::size_t run = 0; run < job_.runs; ++run) {
      const std::vector<std::string> digests = kept(result_of(call, own));
      if (report_ != nullptr) report_->run(number, digests);
    }
  }

 private:
  Bytes contribution(ElementType type) const {
    const fs::path file = contributions_file(folder_, ranks_, type);
    Bytes own(job_.count * size_of(type));
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(own.size()) * rank_);
    if (!in.read(reinterpret_cast<char*>(own.data()), static_cast<std::streamsize>(own.size())))
      throw std::runtime_error("cannot read " + file.string());
    return own;
  }

  // The whole vector; empty where this rank does not have it.
  Bytes result_of(const ReductionCall& call, const Bytes& own) const {
    if (call.order == kReproducibleCall)
      return call.type == ElementType::float32 ? reproducibly<float>(own, comm_) : reproducibly<double>(own, comm_);
    const openmpi::Invocation how = library_order(call.order)->how;
    mpi::Piece piece = mpi::reduced_by_library(how, call.type, job_.op, own, comm_);
    const bool blocks = how.collective == openmpi::Collective::reduce_scatter ||
                        how.collective == openmpi::Collective::reduce_scatter_block;
    return blocks ? gathered(piece, size_of(call.type)) : std::move(piece.bytes);
  }

  // The blocks of all ranks, on rank 0.
  Bytes gathered(const mpi::Piece& piece, std::size_t size) const {
    Bytes whole(rank_ == 0 ? job_.count * size : 0);
    std::vector<int> counts, starts;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      const order::Block block = order::block_of(job_.count, ranks_, rank);
      counts.push_back(static_cast<int>(block.count * size));
      starts.push_back(static_cast<int>(block.first * size));
    }
    MPI_Gatherv(piece.bytes.data(), static_cast<int>(piece.bytes.size()), MPI_BYTE, whole.data(), counts.data(),
                starts.data(), MPI_BYTE, 0, comm_);
    return whole;
  }

  // Each distinct result goes to one file. Returns the digests of the ranks that have one.
  std::vector<std::string> kept(const Bytes& result) {
    DigestText own{};
    if (!result.empty()) {
      const std::string digest = digest_of(std::span<const std::byte>(result));
      digest.copy(own.data(), own.size() - 1);
    }
    std::vector<DigestText> all(static_cast<std::size_t>(ranks_));
    MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_CHAR, all.data(), static_cast<int>(own.size()),
                  MPI_CHAR, comm_);
    const auto first = std::find(all.begin(), all.end(), own);
    if (!result.empty() && first - all.begin() == rank_) write(own.data(), result);
    std::vector<std::string> digests;
    for (const DigestText& digest : all)
      if (digest[0] != 0) digests.emplace_back(digest.data());
    MPI_Barrier(comm_);  // what is told is there
    return digests;
  }

  void write(const std::string& digest, const Bytes& result) {
    if (!written_.insert(digest).second) return;
    const fs::path file = result_file(folder_, digest), draft = file.string() + "-" + std::to_string(rank_);
    std::ofstream out(draft, std::ios::binary);
    out.write(reinterpret_cast<const char*>(result.data()), static_cast<std::streamsize>(result.size()));
    out.close();
    if (!out) throw std::runtime_error("cannot write " + draft.string());
    fs::rename(draft, file);
  }

  const ReductionJob& job_;
  const fs::path& folder_;
  MPI_Comm comm_;
  ReductionReportWriter* report_;  // rank 0 has it
  int rank_ = 0, ranks_ = 0;
  std::set<std::string> written_;
};

// Ranks that have nothing left to do leave the processors to the others.
void wait_without_spinning() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) usleep(kIdleLook_us);
  }
}

void make_all(const ReductionJob& job, const fs::path& folder) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::optional<ReductionReportWriter> report;
  if (rank == 0) report.emplace(folder).library(library_version());
  // From the largest on: who is not in a communicator is in none of those that follow.
  std::map<std::int32_t, MPI_Comm, std::greater<>> comms;
  for (const ReductionCall& call : job.calls) comms[call.ranks] = MPI_COMM_NULL;
  for (auto& [size, comm] : comms) MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &comm);
  for (auto& [size, comm] : comms) {
    if (comm == MPI_COMM_NULL) continue;
    Ranks ranks(job, folder, comm, report ? &*report : nullptr);
    for (std::size_t call = 0; call < job.calls.size(); ++call)
      if (job.calls[call].ranks == size) ranks.make(call);
    MPI_Comm_free(&comm);
  }
  wait_without_spinning();
}

}  // namespace

int make_reductions(const fs::path& folder, int* argc, char*** argv) {
  int provided = 0;
  MPI_Init(argc, argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  try {
    make_all(read_reductions(folder), folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "petri-worker: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, kEnvironment);
    std::abort();
  }
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}

}  // namespace petri
