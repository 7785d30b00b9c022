#include "tests/record/recorded.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>

#include "harness/import/recording.hpp"
#include "harness/trace/write.hpp"
#include "tests/support/library_files.hpp"

namespace petri::test {
namespace {

void remove_text(std::string& from, const std::string& text) {
  if (const auto at = from.find(text); at != std::string::npos) from.erase(at, text.size());
}

}  // namespace

RecordFolder::RecordFolder() {
  std::string name = std::filesystem::temp_directory_path() / "petri-record-test-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

RecordFolder::~RecordFolder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

std::string command_for(const RecordFolder& folder, int ranks, const std::string& program,
                        const std::string& environment, const std::string& executable) {
  std::ostringstream command;
  // Open MPI 5.0 connects spawned processes with their parents by TCP, and its default way of looking for a route finds
  // none from a host to itself.
  command << "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_reachable=weighted "
          << library_files_in(folder.path().string()) << " PETRI_RECORD_DIR='" << folder.path().string()
          << "' PETRI_TEST_FILES='" << folder.path().string() << "' " << environment << " LD_PRELOAD='"
          << PETRI_RECORD_LIBRARY << "' timeout -k 2 30 '" << PETRI_MPIEXEC << "' --oversubscribe -n " << ranks << " '"
          << executable << "' " << program << " > '" << (folder.path() / "output").string() << "' 2>&1";
  return command.str();
}

const Scenario& record(int ranks, const char* program, const char* environment) {
  static std::map<std::string, Scenario> recorded;
  const std::string key = std::to_string(ranks) + " " + program + " " + environment;
  const auto known = recorded.find(key);
  if (known != recorded.end()) return known->second;
  const RecordFolder folder;
  // The program's own exit status is part of what some tests record.
  [[maybe_unused]] const int status = std::system(command_for(folder, ranks, program, environment).c_str());
  return recorded.emplace(key, import_recording(folder.path())).first->second;
}

Scenario record_program(const std::string& executable, int ranks, const std::string& program,
                        const std::string& environment) {
  const RecordFolder folder;
  [[maybe_unused]] const int status = std::system(command_for(folder, ranks, program, environment, executable).c_str());
  return import_recording(folder.path());
}

std::vector<std::string> events_of(Scenario scenario, int rank) {
  for (RankTrace& trace : scenario.ranks) {
    trace.times.clear();
    for (Event& event : trace.events) event.site = kNoSymbol;
  }
  std::stringstream text;
  write_scenario(scenario, text);
  const std::string mine = "{\"rank\":" + std::to_string(rank) + ",\"op\":";
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (line.find(mine) != 0) continue;
    remove_text(line, ",\"state\":\"completed\"");
    line = "{" + line.substr(mine.size() - 5);
    if (line != R"({"op":"init"})" && line != R"({"op":"finalize"})") lines.push_back(line);
  }
  return lines;
}

}  // namespace petri::test
