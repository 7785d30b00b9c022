#include "harness/launch/preload.hpp"

#include <cstdlib>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr const char* kCut = " :$";

}  // namespace

bool is_cut_in_preload(const std::filesystem::path& library) {
  return library.string().find_first_of(kCut) != std::string::npos;
}

Preload::Preload(const std::filesystem::path& library, const std::filesystem::path& run_folder, bool elsewhere)
    : library_(library) {
  if (!is_cut_in_preload(library_)) return;
  const std::string cut = "the recorder lies in " + library_.parent_path().string() +
                          ", a path that the dynamic linker cuts in two (it has a space, colon or dollar sign)";
  if (elsewhere)
    throw EnvironmentError(cut + ", and ranks on other hosts do not see a link on this one: install petri elsewhere");
  if (is_cut_in_preload(run_folder))
    throw EnvironmentError(cut + ", and so would be a link in " + run_folder.parent_path().string() +
                           ": set TMPDIR to another folder");
  link_ = run_folder / "petri_recorder.so";
}

std::string Preload::list() const {
  const std::string first = (link_.empty() ? library_ : link_).string();
  const char* others = std::getenv("LD_PRELOAD");
  return others != nullptr && *others != '\0' ? first + ":" + others : first;
}

void Preload::make_link() const {
  if (!link_.empty()) std::filesystem::create_symlink(library_, link_);
}

}  // namespace petri
