#include "harness/cli/command_oracle.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "harness/cli/command.hpp"
#include "harness/cli/words.hpp"
#include "harness/launch/guardian.hpp"
#include "harness/launch/interpreter.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/mpirun.hpp"
#include "harness/launch/run_folder.hpp"
#include "harness/trace/digest.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;
using reduce::Answer;
using reduce::Judgement;
using Clock = std::chrono::steady_clock;

constexpr int kSkipStatus = 125;
constexpr int kLook_ms = 20;
constexpr double kGrace_s = 1;
constexpr std::size_t kKeptOutput = 16 << 10;

// The end of what is printed into a named pipe, so that a program that prints for ever fills neither memory nor disk.
class PrintedEnd {
 public:
  explicit PrintedEnd(const fs::path& pipe) {
    if (mkfifo(pipe.c_str(), 0600) == 0) descriptor_ = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  PrintedEnd(const PrintedEnd&) = delete;
  PrintedEnd& operator=(const PrintedEnd&) = delete;
  ~PrintedEnd() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  void read() {
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = ::read(descriptor_, part.data(), part.size())) > 0;) {
      text_.append(part.data(), static_cast<std::size_t>(got));
      if (text_.size() > 2 * kKeptOutput) text_.erase(0, text_.size() - kKeptOutput);
    }
  }
  const std::string& text() const { return text_; }

 private:
  int descriptor_ = -1;
  std::string text_;
};

enum class Cause { by_itself, limit, withdrawn };
struct Ended {
  Cause cause = Cause::by_itself;
  CommandEnd end;
  double seconds = 0;
};

// Without the failure that a reproducer's header names: a program that looks for a word would find it there for ever.
void write_candidate(const Scenario& scenario, const fs::path& file) {
  if (!scenario.header.expect) return write_scenario(scenario, file);
  Scenario plain = scenario;
  plain.header.expect.reset();
  write_scenario(plain, file);
}

// One run of the program in a run folder, in which the program's own is `work`.
class Run {
 public:
  Run(const std::vector<std::string>& words, const Scenario& scenario, bool listen) {
    const fs::path folder = name_run_folder(0);
    work_ = folder / "work";
    const fs::path file = work_ / "scenario.jsonl";
    GuardedCommand command;
    command.arguments = words;
    command.arguments.push_back(file.string());
    command.output = listen ? folder / "printed" : fs::path("/dev/null");
    command.working_folder = work_;
    command.prepare = [&] {
      fs::create_directory(work_);
      write_candidate(scenario, file);
      if (listen) printed_.emplace(folder / "printed");
    };
    guardian_.emplace(command, folder);
  }

  Ended wait(double limit_s, const std::stop_token& stop) {
    const Clock::time_point begun = Clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begun).count(); };
    Cause cause = Cause::by_itself;
    std::optional<CommandEnd> end;
    while (!end) {
      look();
      end = guardian_->ended(0);
      if (cause != Cause::by_itself || end) continue;
      if (seconds() >= limit_s) cause = Cause::limit;
      if (stop.stop_requested() || interrupt_count() > 0) cause = Cause::withdrawn;
      if (cause != Cause::by_itself) guardian_->stop(kGrace_s);
    }
    if (printed_) printed_->read();
    return {cause, *end, seconds()};
  }

  const fs::path& work() const { return work_; }
  std::string printed() const { return printed_ ? printed_->text() : std::string(); }

 private:
  void look() {
    // A pipe that nobody writes to any more is always readable.
    const bool heard = printed_ && printed_->descriptor() >= 0 && !silent_;
    std::array<pollfd, 2> ready{
        {{guardian_->descriptor(), POLLIN, 0}, {heard ? printed_->descriptor() : -1, POLLIN, 0}}};
    poll(ready.data(), ready.size(), kLook_ms);
    if (ready[1].revents == 0) return;
    printed_->read();
    silent_ = (ready[1].revents & POLLIN) == 0;
  }

  bool silent_ = false;
  fs::path work_;
  std::optional<PrintedEnd> printed_;
  std::optional<Guardian> guardian_;
};

Judgement judgement_of(const Ended& ended) {
  if (ended.cause == Cause::withdrawn) return {Answer::stopped, {}};
  if (ended.cause == Cause::limit) return {Answer::unresolved, {}};
  if (ended.end.signal != 0) return {Answer::passes, {}};
  if (ended.end.status == 0) return {Answer::reproduces, {}};
  return {ended.end.status == kSkipStatus ? Answer::unresolved : Answer::passes, {}};
}

std::string text_of(const Ended& ended, double limit_s) {
  if (ended.cause == Cause::limit) return fmt::format("was ended at its limit of {} s (--timeout)", limit_s);
  if (ended.cause == Cause::withdrawn) return "was interrupted";
  if (ended.end.signal != 0)
    return fmt::format("was ended by signal {} ({})", ended.end.signal, strsignal(ended.end.signal));
  return fmt::format("ended with exit status {} after {:.2f} s", ended.end.status, ended.seconds);
}

// Told before the work, and with what is usually the matter.
void require_program(const std::string& name) {
  if (const fs::path program = find_program(name); !program.empty()) {
    if (const std::string problem = interpreter_problem(program); !problem.empty())
      throw EnvironmentError(fmt::format("--oracle: '{}' cannot be started: {}", name, problem));
    return;
  }
  std::error_code error;
  const bool is_here = fs::is_regular_file(name, error);
  const bool has_path = name.find('/') != std::string::npos;
  throw EnvironmentError(fmt::format("--oracle: no program '{}' is found{}", name,
                                     !is_here   ? ""
                                     : has_path ? ": the file may not be run (chmod +x)"
                                                : fmt::format("; did you mean ./{}?", name)));
}

}  // namespace

CommandOracle::CommandOracle(const std::string& command, double limit_s)
    : words_(split_words(command)), limit_s_(limit_s) {
  if (words_.empty()) throw UsageError{"--oracle needs model, live or a command"};
  if (const std::string found = shell_operator_in(command); !found.empty())
    throw UsageError{fmt::format(
        "--oracle: no shell reads this, and '{0}' would be an argument: name a script, or use sh -c 'LINE'; a '{0}' "
        "that is meant as text is to be quoted",
        found)};
  require_program(words_[0]);
  // The command starts in another folder, where a relative path would lead nowhere.
  std::error_code error;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const bool names_file = words_[i].find('/') != std::string::npos && (i == 0 || fs::exists(words_[i], error));
    if (names_file) words_[i] = fs::absolute(words_[i]).lexically_normal().string();
  }
}

Judgement CommandOracle::ask(const Scenario& scenario, const std::stop_token& stop) const {
  return judgement_of(Run(words_, scenario, false).wait(limit_s_, stop));
}

CommandOracle::Told CommandOracle::tell(const Scenario& scenario, const fs::path& keep) const {
  Run run(words_, scenario, true);
  const Ended ended = run.wait(limit_s_, {});
  std::error_code gone;  // it may have removed its own folder
  if (!keep.empty() && fs::exists(run.work(), gone)) fs::copy(run.work(), keep, fs::copy_options::recursive);
  return {judgement_of(ended), text_of(ended, limit_s_), run.printed()};
}

std::string CommandOracle::digest() const {
  std::string digests;
  std::error_code error;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const fs::path file = i == 0 ? find_program(words_[i]) : fs::path(words_[i]);
    if (file.is_absolute() && fs::is_regular_file(file, error) && access(file.c_str(), R_OK) == 0)
      digests += " " + digest_of_file(file);
  }
  return digests;
}

}  // namespace petri::cli
