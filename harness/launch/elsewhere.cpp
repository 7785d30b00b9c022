#include "harness/launch/elsewhere.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "harness/launch/mpirun.hpp"

namespace petri {
namespace {

constexpr std::array<std::string_view, 3> kHostLists{"-H", "-host", "--host"};
constexpr std::array<std::string_view, 6> kHostFiles{"-hostfile",     "--hostfile",        "-machinefile",
                                                     "--machinefile", "-default-hostfile", "--default-hostfile"};
constexpr std::array<std::string_view, 2> kNodeLists{"-w", "--nodelist"};  // of srun

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void add(std::vector<std::string>& hosts, const std::string& host) {
  if (!host.empty() && std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
}

// "node1:4,node2" without the slots.
void add_list(std::vector<std::string>& hosts, const std::string& list) {
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) add(hosts, entry.substr(0, entry.find(':')));
}

// The first word of each line, as of "node1 slots=4". False where the file cannot be read.
bool add_file(std::vector<std::string>& hosts, const std::string& name) {
  std::ifstream file(name);
  if (!file) return false;
  for (std::string line; std::getline(file, line);) {
    std::string host;
    std::istringstream(line.substr(0, line.find('#'))) >> host;
    add(hosts, host);
  }
  return true;
}

struct Named {
  std::vector<std::string> hosts;
  bool complete = true;  // every host file could be read
};

Named read_hosts(const std::vector<std::string>& arguments) {
  Named named;
  const bool slurm = is_srun(arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (slurm && argument.starts_with("--nodelist=")) add(named.hosts, argument.substr(argument.find('=') + 1));
    if (i + 1 == arguments.size()) break;
    if (slurm ? is_one_of(kNodeLists, argument) : false) add(named.hosts, arguments[i + 1]);
    if (!slurm && is_one_of(kHostLists, argument)) add_list(named.hosts, arguments[i + 1]);
    if (!slurm && is_one_of(kHostFiles, argument)) named.complete &= add_file(named.hosts, arguments[i + 1]);
  }
  if (const std::string file = setting("PBS_NODEFILE"); !file.empty()) add_file(named.hosts, file);
  return named;
}

std::string this_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// PRRTE's launcher lies in the PATH or beside mpirun.
bool is_open_mpi_5() {
  if (!find_program("prterun").empty()) return true;
  std::error_code none;
  const std::filesystem::path mpirun = std::filesystem::canonical(find_program("mpirun"), none);
  return !mpirun.empty() && std::filesystem::exists(mpirun.parent_path() / "prterun", none);
}

// Names that the job needs and that no launcher knows of.
std::vector<std::string> names_to_forward(const GuardedCommand& command) {
  std::vector<std::string> names;
  const auto take = [&](const std::string& name) {
    if (name == "LD_PRELOAD" || name.starts_with("PETRI_")) add(names, name);
  };
  for (const auto& [name, value] : command.environment) take(name);
  for (char** entry = environ; *entry != nullptr; ++entry)
    take(std::string(*entry).substr(0, std::string_view(*entry).find('=')));
  return names;
}

std::string joined(const std::vector<std::string>& names, const std::string& delimiter) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : delimiter) + name;
  return list;
}

// Open MPI's list of variables, "NAME;NAME=VALUE". Version 4.1 refuses to start when the list is set and the command
// line has -x too (orte/mca/schizo/ompi), but takes a second, internal list beside -x. Version 5.0 knows the first list
// only, and takes it beside -x (PRRTE, src/mca/schizo/ompi). A list of the user's own is made longer.
void forward_through_open_mpi(const std::vector<std::string>& names, GuardedCommand& command) {
  constexpr const char* kList = "OMPI_MCA_mca_base_env_list";
  constexpr const char* kInternalList = "OMPI_MCA_mca_base_env_list_internal";
  const std::string chosen = setting("OMPI_MCA_mca_base_env_list_delimiter");
  const std::string delimiter = chosen.empty() ? ";" : chosen;
  auto& arguments = command.arguments;
  const auto option = std::find(arguments.begin(), arguments.end(), "mca_base_env_list");
  if (option != arguments.end() && option + 1 != arguments.end()) {
    *(option + 1) += delimiter + joined(names, delimiter);
  } else if (const std::string set = setting(kList); !set.empty()) {
    command.environment.emplace_back(kList, set + delimiter + joined(names, delimiter));
  } else if (is_open_mpi_5()) {
    command.environment.emplace_back(kList, joined(names, ";"));
  } else {
    const std::string before = setting(kInternalList);
    command.environment.emplace_back(kInternalList, (before.empty() ? "" : before + ";") + joined(names, ";"));
  }
}

// srun hands everything on, unless SLURM_EXPORT_ENV lists what (srun(1), --export).
void forward_through_slurm(const std::vector<std::string>& names, GuardedCommand& command) {
  const std::string set = setting("SLURM_EXPORT_ENV");
  if (set.empty() || set.find("ALL") != std::string::npos) return;
  const bool nothing = set == "NONE" || set == "NIL";
  command.environment.emplace_back("SLURM_EXPORT_ENV", (nothing ? "" : set + ",") + joined(names, ","));
}

}  // namespace

std::vector<std::string> named_hosts(const std::vector<std::string>& arguments) {
  return read_hosts(arguments).hosts;
}

bool is_this_host(const std::string& name) {
  if (name == "localhost" || name.starts_with("127.")) return true;
  const std::string here = this_host();
  return name == here || name.substr(0, name.find('.')) == here.substr(0, here.find('.'));
}

bool is_srun(const std::vector<std::string>& arguments) {
  return !arguments.empty() && std::filesystem::path(arguments.front()).filename() == "srun";
}

bool may_leave_this_host(const std::vector<std::string>& arguments) {
  const std::string nodes = setting("SLURM_NNODES");
  if (is_srun(arguments)) return nodes != "1" || !is_this_host(setting("SLURMD_NODENAME"));
  if (!nodes.empty() && nodes != "1") return true;
  const Named named = read_hosts(arguments);
  return !named.complete || !std::all_of(named.hosts.begin(), named.hosts.end(), is_this_host);
}

void forward_environment(GuardedCommand& command) {
  const std::vector<std::string> names = names_to_forward(command);
  if (names.empty()) return;
  forward_through_open_mpi(names, command);
  forward_through_slurm(names, command);
}

}  // namespace petri
