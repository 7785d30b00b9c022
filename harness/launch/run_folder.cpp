#include "harness/launch/run_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
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

std::filesystem::path name_run_folder(std::uint64_t room) {
  std::vector<std::string> places;
  if (has_room("/dev/shm", room)) places.emplace_back("/dev/shm");
  if (const char* set = std::getenv("TMPDIR"); set != nullptr && *set != '\0') places.emplace_back(set);
  places.emplace_back("/tmp");

  std::random_device random;  // 64 bits: nobody else's, and nobody can guess it
  for (const std::string& place : places) {
    if (access(place.c_str(), W_OK | X_OK) != 0) continue;
    // With the process's number: whoever finds such a folder sees whose it is.
    return fmt::format("{}/petri-{}-{:08x}{:08x}", place, getpid(), random(), random());
  }
  throw EnvironmentError(std::string("cannot make a folder for the run in ") + places.back() + ": " +
                         std::strerror(errno) + "; set TMPDIR to a folder that can be written");
}

std::filesystem::path make_run_folder(std::uint64_t room) {
  std::filesystem::path folder = name_run_folder(room);
  if (mkdir(folder.c_str(), 0700) == 0) return folder;
  throw EnvironmentError(folder.string() + ": " + std::strerror(errno));
}

}  // namespace petri
