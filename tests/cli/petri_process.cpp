#include "tests/cli/petri_process.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "harness/launch/guardian.hpp"
#include "harness/launch/run_folder.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Scratch::Scratch() {
  std::string pattern = (fs::temp_directory_path() / "petri_cli_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

fs::path Scratch::write(const std::string& name, const std::string& text) const {
  fs::create_directories((folder_ / name).parent_path());
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return folder_ / name;
}

std::string Scratch::read(const std::string& name) const {
  return text_of(folder_ / name);
}

Ran Scratch::petri(const std::vector<std::string>& args, double limit_s) const {
  std::vector<std::string> words{PETRI_PROGRAM};
  words.insert(words.end(), args.begin(), args.end());
  return this->run(words, limit_s);
}

Ran Scratch::run(const std::vector<std::string>& words, double limit_s) const {
  const fs::path run = make_run_folder(0);
  // The shell only separates the two streams; all else comes to it as arguments.
  std::vector<std::string> command{"/bin/sh", "-c", "out=$1; shift; exec \"$@\" >\"$out/out\" 2>\"$out/err\"", "sh",
                                   run};
  command.insert(command.end(), words.begin(), words.end());
  Guardian guardian({std::move(command), {}, false, {}, folder_}, run);
  Ran result;
  std::optional<CommandEnd> end;
  for (double waited = 0; !end && waited < limit_s; waited += 0.05) end = guardian.ended(50);
  if (end) result.status = end->signal != 0 ? 128 + end->signal : end->status;
  result.out = text_of(run / "out");
  result.err = text_of(run / "err");
  return result;
}

std::string without_seconds(const std::string& text) {
  static const std::regex seconds("[0-9]+\\.[0-9]+ s\\b");
  return std::regex_replace(text, seconds, "#.## s");
}

std::string extra_barrier() {
  std::ostringstream out;
  out << R"({"petri":1,"job":"loop","world":8,"backend":"mpi","observed":{"verdict":"deadlock"}})" << '\n';
  int events = 0;
  for (int rank = 0; rank < 8; ++rank) {
    for (int step = 0; step < 6; ++step) {
      const auto call = [&](const std::string& what) {
        out << R"({"rank":)" << rank << "," << what << R"(,"step":)" << step << "}\n";
        ++events;
      };
      call(R"("op":"allreduce","count":1000,"dtype":"float32","reduce":"sum")");
      if (rank == 5 && step == 2) call(R"("op":"barrier")");
    }
  }
  out << R"({"end":true,"events":)" << events << "}\n";
  return out.str();
}

std::string types_behind_an_abort(const std::string& type_of_rank_1) {
  return R"({"petri":1,"world":2,"backend":"mpi",)"
         R"("expect":{"verdict":"mismatch","signature":"mismatch: allreduce@0 dtype","absent":true}}
{"rank":0,"op":"allreduce","count":1,"dtype":"int32","reduce":"sum"}
{"rank":0,"op":"abort"}
{"rank":1,"op":"allreduce","count":1,"dtype":")" +
         type_of_rank_1 + R"(","reduce":"sum"}
{"end":true,"events":3}
)";
}

std::string golden(const std::string& name, const std::string& text) {
  const fs::path file = fs::path(PETRI_GOLDEN) / name;
  if (std::getenv("PETRI_UPDATE_GOLDEN") != nullptr) std::ofstream(file, std::ios::binary) << without_seconds(text);
  return text_of(file);
}

}  // namespace petri::cli::testing
