#include "harness/export/otf2_archive.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "harness/export/otf2_clock.hpp"
#include "harness/export/otf2_lane.hpp"
#include "harness/export/otf2_names.hpp"
#include "harness/trace/whole_file.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kEventChunk = 1 << 20, kDefinitionChunk = 4 << 20;  // the library's own proposal

// The library's last words, instead of on standard error.
std::string last_error;

OTF2_ErrorCode note_error(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char* format,
                          va_list arguments) {
  char text[512] = "";
  if (format != nullptr) std::vsnprintf(text, sizeof text, format, arguments);
  last_error = OTF2_Error_GetDescription(code);
  if (text[0] != '\0') last_error += std::string(": ") + text;
  return code;
}

[[noreturn]] void fail(const fs::path& folder) {
  throw EnvironmentError(fmt::format("cannot write the OTF2 archive {}: {}", folder.string(),
                                     last_error.empty() ? "the OTF2 library gives no reason" : last_error));
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

// A folder beside its place, removed unless it was put there.
class DraftFolder {
 public:
  // Links are followed: what they lead to is made, and they stay.
  explicit DraftFolder(const fs::path& place) : place_(without_slash(place)) {
    place_ = fs::absolute(place_of(place_).file);
    std::error_code ignored;
    if (fs::exists(place_, ignored) && !(fs::is_directory(place_, ignored) && fs::is_empty(place_, ignored)))
      throw EnvironmentError(
          fmt::format("cannot write the OTF2 archive {}: it is there already, and not empty", place.string()));
    std::string name = (place_.parent_path() / ("." + place_.filename().string() + ".petri-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), place.string());
    draft_ = name;
  }
  ~DraftFolder() {
    std::error_code ignored;
    if (!draft_.empty()) fs::remove_all(draft_, ignored);
  }
  DraftFolder(const DraftFolder&) = delete;
  DraftFolder& operator=(const DraftFolder&) = delete;

  const fs::path& path() const { return draft_; }
  void put() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    fs::permissions(draft_, static_cast<fs::perms>(0777 & ~mask));
    fs::rename(draft_, place_);
    draft_.clear();
  }

 private:
  static fs::path without_slash(const fs::path& path) { return path.filename().empty() ? path.parent_path() : path; }

  fs::path place_, draft_;
};

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};

class ArchiveWriter {
 public:
  ArchiveWriter(const Scenario& scenario, const Otf2Options& options, const fs::path& place)
      : scenario_(scenario), times_(call_times(scenario, options.blocked)), place_(place) {
    for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) add_locations(rank);
  }

  void write(const fs::path& folder) {
    last_error.clear();
    OTF2_Error_RegisterCallback(note_error, nullptr);
    archive_.reset(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk, kDefinitionChunk,
                                     OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    if (archive_ == nullptr) fail(place_);
    static const OTF2_FlushCallbacks callbacks{flush, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_.get(), &callbacks, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
    check(OTF2_Archive_SetCreator(archive_.get(), "petri"));
    check(OTF2_Archive_SetDescription(archive_.get(), scenario_.header.job.c_str()));
    write_events();
    write_definitions();
    check(OTF2_Archive_Close(archive_.release()));
  }

 private:
  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) fail(place_);
  }

  // The main thread of rank r is location r; others follow behind all of those.
  void add_locations(std::size_t rank) {
    std::map<std::int32_t, std::vector<std::uint32_t>> threads{{0, {}}};
    const auto& events = scenario_.ranks[rank].events;
    for (std::size_t i = 0; i < events.size(); ++i)
      threads[events[i].extras.thread().value_or(0)].push_back(static_cast<std::uint32_t>(i));
    has_threads_.push_back(threads.size() > 1);
    for (auto& [thread, calls] : threads) {
      const std::uint64_t reference = thread == 0 ? rank : scenario_.ranks.size() + others_++;
      lanes_.push_back({{reference, 0, static_cast<std::int32_t>(rank), thread}, std::move(calls)});
    }
  }

  void write_events() {
    check(OTF2_Archive_OpenEvtFiles(archive_.get()));
    std::unique_ptr<Otf2Requested> requested;
    std::int32_t of_rank = -1;
    for (auto& [location, calls] : lanes_) {
      if (std::exchange(of_rank, location.rank) != location.rank)
        requested = std::make_unique<Otf2Requested>(scenario_, location.rank);
      OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_.get(), location.reference);
      if (writer == nullptr) fail(place_);
      const auto rank = static_cast<std::size_t>(location.rank);
      Otf2Lane lane(scenario_, times_.spans[rank], names_, *requested, location.rank, has_threads_[rank], writer);
      for (const std::uint32_t index : calls) lane.write(index);
      if (!lane.good()) fail(place_);
      check(OTF2_EvtWriter_GetNumberOfEvents(writer, &location.events));
      check(OTF2_Archive_CloseEvtWriter(archive_.get(), writer));
      if (!lane.not_reached().empty()) names_.fact(location.reference, "not_reached", lane.not_reached());
    }
    check(OTF2_Archive_CloseEvtFiles(archive_.get()));
    check(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (const auto& [location, calls] : lanes_) {
      OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive_.get(), location.reference);
      if (writer == nullptr) fail(place_);
      check(OTF2_Archive_CloseDefWriter(archive_.get(), writer));
    }
    check(OTF2_Archive_CloseDefFiles(archive_.get()));
  }

  void write_definitions() {
    for (const auto& [location, calls] : lanes_)
      if (location.thread == 0) add_end(location);
    const auto fact = [&](const std::string& name, const std::string& value) {
      if (!value.empty()) names_.fact(0, name, value);
    };
    fact("job", scenario_.header.job);
    fact("backend", scenario_.header.backend);
    fact("times", times_.recorded ? "recorded" : "");
    fact("time_origin", times_.recorded ? fmt::format("{}", times_.origin) : "");
    for (std::size_t i = 0; i < scenario_.comms.size(); ++i)
      fact(fmt::format("comm_backend {}", i), scenario_.comms[i].backend);
    OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive_.get());
    if (writer == nullptr) fail(place_);
    std::vector<Otf2Names::Location> locations;
    for (const auto& [location, calls] : lanes_) locations.push_back(location);
    if (!names_.write(writer, scenario_, locations, times_.last)) fail(place_);
    check(OTF2_Archive_CloseGlobalDefWriter(archive_.get(), writer));
  }

  void add_end(const Otf2Names::Location& location) {
    const std::vector<std::string>& hosts = scenario_.header.hosts;
    if (!hosts.empty()) names_.fact(location.reference, "host", hosts[static_cast<std::size_t>(location.rank)]);
    const RankEnd& end = scenario_.ranks[static_cast<std::size_t>(location.rank)].end;
    if (!end.stated) return;
    names_.fact(location.reference, "end", name_of(end.kind));
    const auto number = [&](const char* name, std::int64_t value) {
      if (value != 0) names_.fact(location.reference, name, std::to_string(value));
    };
    number("status", end.status);
    number("signal", end.signal);
    number("dropped", static_cast<std::int64_t>(end.dropped));
    std::string joined;
    for (const auto& [comm, position] : end.joined) joined += fmt::format("{} {}\n", position, comm);
    if (!joined.empty()) names_.fact(location.reference, "joined", joined);
  }

  const Scenario& scenario_;
  CallTimes times_;
  const fs::path& place_;
  std::vector<std::pair<Otf2Names::Location, std::vector<std::uint32_t>>> lanes_;
  std::vector<bool> has_threads_;  // by rank: more than the main one
  std::uint64_t others_ = 0;
  Otf2Names names_;
  std::unique_ptr<OTF2_Archive, CloseArchive> archive_;
};

}  // namespace

void write_otf2_archive(const Scenario& scenario, const fs::path& folder, const Otf2Options& options) {
  ArchiveWriter writer(scenario, options, folder);
  DraftFolder draft(folder);
  writer.write(draft.path());
  draft.put();
}

}  // namespace petri
