#include "harness/launch/run_folder.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

bool has_room(const char* place, std::uint64_t room) {
  struct statvfs state {};
  return statvfs(place, &state) == 0 && static_cast<std::uint64_t>(state.f_bavail) * state.f_frsize >= room;
}

}  // namespace

std::filesystem::path make_run_folder(std::uint64_t room) {
  std::vector<std::string> places;
  if (has_room("/dev/shm", room)) places.emplace_back("/dev/shm");
  if (const char* set = std::getenv("TMPDIR"); set != nullptr && *set != '\0') places.emplace_back(set);
  places.emplace_back("/tmp");

  for (const std::string& place : places) {
    std::string name = place + "/petri-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) return name;
  }
  throw EnvironmentError(std::string("cannot make a folder for the run in ") + places.back() + ": " +
                         std::strerror(errno) + "; set TMPDIR to a folder that can be written");
}

}  // namespace petri
