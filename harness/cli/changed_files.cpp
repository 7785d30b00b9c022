#include "harness/cli/changed_files.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "harness/cli/command.hpp"
#include "harness/launch/program_output.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShortName = 12;

// A path may hold newlines; git adds one at the end.
std::string without_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class Repository {
 public:
  explicit Repository(fs::path folder) : folder_(std::move(folder)) {
    const ProgramOutput top = git({"rev-parse", "--show-toplevel"});
    if (top.status != 0) throw EnvironmentError(fmt::format("--changed asks git: {}", without_end(top.err)));
    folder_ = without_end(top.out);
  }

  const fs::path& top() const { return folder_; }

  bool is_shallow() const { return answer({"rev-parse", "--is-shallow-repository"}) == "true"; }

  // The commit that a revision names. A name that begins with a dash never gets here as an option.
  std::optional<std::string> commit(const std::string& revision) const {
    auto name = answer({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
    // "^main" has an answer, too, and would exclude what it names.
    if (name && name->find_first_not_of("0123456789abcdef") != std::string::npos) name.reset();
    return name;
  }

  std::optional<std::string> merge_base(const std::string& commit) const {
    return answer({"merge-base", commit, "HEAD"});
  }

  // "origin/main", where the clone knows it; else a branch with a usual name.
  std::optional<std::string> default_branch() const {
    if (auto name = answer({"symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"})) return name;
    for (const char* const name : {"origin/main", "origin/master", "main", "master"})
      if (commit(name)) return name;
    return std::nullopt;
  }

  std::vector<fs::path> differing_from(const std::string& commit) const {
    // Against the work tree, so that what is staged or not yet staged is seen, too. Without renames the new name of a
    // file is listed as a file of its own.
    return paths({"diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-relative", commit, "--"});
  }

  std::vector<fs::path> untracked() const { return paths({"ls-files", "--others", "--exclude-standard", "-z"}); }

 private:
  ProgramOutput git(const std::vector<std::string>& arguments) const {
    ProgramCall call{{"git", "-C", folder_.string()},
                     // No lock that a build beside this one would meet, no question that nobody answers.
                     {{"GIT_OPTIONAL_LOCKS", "0"}, {"GIT_TERMINAL_PROMPT", "0"}, {"LC_ALL", "C"}},
                     // A git hook sets them for the repository that it runs in, relative to another folder.
                     {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}};
    call.arguments.insert(call.arguments.end(), arguments.begin(), arguments.end());
    return output_of(call);
  }

  std::optional<std::string> answer(const std::vector<std::string>& arguments) const {
    const ProgramOutput output = git(arguments);
    std::string line = without_end(output.out);
    if (output.status != 0 || line.empty()) return std::nullopt;
    return line;
  }

  std::vector<fs::path> paths(const std::vector<std::string>& arguments) const {
    const ProgramOutput output = git(arguments);
    if (output.status != 0)
      throw EnvironmentError(fmt::format("--changed asks git {}: {}", arguments[0], without_end(output.err)));
    std::vector<fs::path> found;
    for (std::size_t at = 0, end = 0; (end = output.out.find('\0', at)) != std::string::npos; at = end + 1)
      found.push_back(folder_ / output.out.substr(at, end - at));
    return found;
  }

  fs::path folder_;
};

struct Base {
  std::string commit;  // empty: there is none, every file is new
  std::string name;
};

[[noreturn]] void lacks(const std::string& what) {
  throw EnvironmentError(
      fmt::format("--changed: this clone is shallow and lacks {}: fetch more of it, by `git fetch --unshallow`, "
                  "fetch-depth: 0 (GitHub "
                  "Actions) or GIT_DEPTH: 0 (GitLab)",
                  what));
}

Base left_at(const Repository& repository, const std::string& commit, const std::string& name) {
  if (const auto base = repository.merge_base(commit))
    return {*base, fmt::format("{} (where {} was left)", base->substr(0, kShortName), name)};
  // No common ancestor, or one beyond the end of a shallow clone: the difference of the two ends shows more, not less.
  return {commit, fmt::format("{} itself: no common ancestor is known", name)};
}

Base base_of(const Repository& repository, const std::string& ref) {
  const auto commit = ref.starts_with('-') ? std::nullopt : repository.commit(ref);
  if (commit) return left_at(repository, *commit, ref);
  if (repository.is_shallow() && !ref.starts_with('-')) lacks(fmt::format("'{}'", ref));
  throw UsageError{
      fmt::format("--changed-since: git knows no revision '{}'; a branch of the server is origin/NAME", ref)};
}

Base default_base(const Repository& repository) {
  const auto head = repository.commit("HEAD");
  if (!head) return {"", "nothing: there is no commit yet"};
  if (const auto branch = repository.default_branch()) {
    Base base = left_at(repository, *repository.commit(*branch), *branch);
    if (base.commit != *head) return base;
  }
  if (const auto parent = repository.commit("HEAD^"))
    return {*parent, fmt::format("{} (the commit before HEAD)", parent->substr(0, kShortName))};
  if (repository.is_shallow()) lacks("the commit before HEAD");
  return {"", "nothing: HEAD is the first commit"};
}

}  // namespace

ChangedFiles changed_files(const fs::path& folder, const std::string& ref) {
  const Repository repository(folder);
  const Base base = ref.empty() ? default_base(repository) : base_of(repository, ref);
  if (base.commit.empty()) return {base.name, true, {}};
  ChangedFiles changed{base.name, false, repository.differing_from(base.commit)};
  const std::vector<fs::path> untracked = repository.untracked();
  changed.files.insert(changed.files.end(), untracked.begin(), untracked.end());
  return changed;
}

}  // namespace petri::cli
