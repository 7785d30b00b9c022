#include "harness/launch/run_job.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "harness/launch/captured_output.hpp"
#include "harness/launch/elsewhere.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/mpirun.hpp"
#include "harness/launch/preload.hpp"
#include "harness/launch/run_folder.hpp"
#include "harness/launch/stall_watch.hpp"
#include "harness/trace/record_layout.hpp"

namespace petri {
namespace {

constexpr int kLook_ms = 20;      // between two looks at the counters
constexpr int kIdleLook_ms = 50;  // the same while nothing moves for long
constexpr double kIdleAfter_s = 3;
// A launcher ends its job when a rank dies, and then tells by which signal; srun does so only when it is told to.
constexpr double kLauncherEnds_s = 10;
// A launcher that has ranks where no signal of this host reaches them must get to end them: srun asks its controller.
constexpr double kElsewhereGrace_s = 10;
constexpr double kEndWait_s = 20;  // for a stopped job to be gone
constexpr int kRoomForRanks = 32;  // full rings that a memory file system should hold to be chosen

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::filesystem::path recording_of(const JobOptions& options, const std::filesystem::path& folder) {
  return options.recording.empty() ? folder / "recording" : options.recording;
}

// The job's command with the recorder in its environment and the launcher's files in the run folder.
GuardedCommand command_for(const JobOptions& options, const std::filesystem::path& folder) {
  const std::filesystem::path recording = recording_of(options, folder);
  GuardedCommand command = options.command;
  auto& environment = command.environment;
  const Preload preload(options.recorder, folder, may_leave_this_host(command.arguments));
  if (!options.recorder.empty()) environment.emplace_back("LD_PRELOAD", preload.list());
  environment.emplace_back("PETRI_RECORD_DIR", recording.string());
  if (options.strict) environment.emplace_back("PETRI_STRICT", "1");
  if (options.digests) environment.emplace_back("PETRI_RECORD_DIGESTS", "1");
  if (options.buffers) environment.emplace_back("PETRI_RECORD_BUFFERS", "1");
  if (options.ring_mib) environment.emplace_back("PETRI_RECORD_RING", std::to_string(*options.ring_mib));
  keep_launcher_files_in(folder, command);
  if (options.capture_output) command.output = folder / "output";
  if (options.prepare) options.prepare(folder, command);
  command.prepare = [recording, preload, files = std::move(command.prepare)] {
    std::filesystem::create_directories(recording);
    preload.make_link();
    if (files) files();
  };
  if (!options.recorder.empty()) forward_environment(command);
  return command;
}

class JobRun {
 public:
  JobRun(const JobOptions& options, const GuardedCommand& command, const std::filesystem::path& folder)
      : options_(options),
        recording_(recording_of(options, folder)),
        guardian_(command, folder),
        output_(folder / "output"),
        records_(recording_),
        watch_(options.timeout_s),
        started_(now_s()) {}

  JobResult run() {
    while (!decide()) {
      if (end_is_known()) {
        result_.seconds = now_s() - started_;
        note_whose_end_it_is();
        note_first_death();
        harvest();
        break;
      }
    }
    if (result_.end != JobResult::End::by_itself) stop();
    if (options_.capture_output) result_.output = output_.end();
    if (options_.collect) options_.collect(guardian_.folder());
    return std::move(result_);
  }

 private:
  bool end_is_known() {
    if (options_.capture_output) output_.trim();
    const double quiet = watch_.since_progress(now_s());
    records_.wait(guardian_.descriptor(), quiet > kIdleAfter_s ? kIdleLook_ms : kLook_ms);
    const std::optional<CommandEnd> end = guardian_.ended(0);
    if (end) result_.command = *end;
    return end.has_value();
  }

  // A signal for all processes of a host or a terminal may end the launcher before petri has looked for its own.
  void note_whose_end_it_is() {
    const bool ended_badly = result_.command.status != 0 || result_.command.signal != 0;
    if (!ended_badly || interrupt_signal() == 0) return;
    result_.end = JobResult::End::interrupted;
    result_.interrupted_by = interrupt_signal();
  }

  // True when petri has decided to stop the job; `result_.end` says why.
  bool decide() {
    const double now = now_s();
    if (interrupt_signal() != 0 || options_.stop.stop_requested()) return decided(JobResult::End::interrupted, now);
    if (options_.limit_s && now - started_ > *options_.limit_s) return decided(JobResult::End::timed_out, now);
    const Progress progress = records_.look();
    end_a_launcher_that_stays(progress, now);
    const StallWatch::Action action = watch_.next(progress, now);
    if (watch_.progressed_in_last_look()) marked_ = false;
    if (!marked_ && !watch_.progressed_in_last_look()) {
      records_.mark_processor_time();
      marked_ = true;
    }
    if (action == StallWatch::Action::time_out) return decided(JobResult::End::timed_out, now);
    return action == StallWatch::Action::test && is_stalled(progress, now) && decided(JobResult::End::stalled, now_s());
  }

  void end_a_launcher_that_stays(const Progress& progress, double now) {
    if (!options_.launcher_grace_s || result_.launcher_stayed || !progress.all_gone()) return;
    if (!all_gone_since_) all_gone_since_ = now;
    if (now - *all_gone_since_ < *options_.launcher_grace_s) return;
    result_.launcher_stayed = true;
    guardian_.stop(0);
  }

  bool is_stalled(const Progress& progress, double now) {
    const double quiet = watch_.since_progress(now);
    if (quiet < kMaxStarved_s && records_.starved_since_mark()) {
      watch_.ask_again(now);
      return false;
    }
    const double asked = now_s();
    const Proof proof = ask_for_proof();
    if (!proof.stalled) {
      watch_.not_proved(now_s(), now_s() - asked);
      return false;
    }
    records_.wait(-1, 0);
    if (quiet < kLauncherEnds_s && records_.silent_death()) {
      watch_.ask_again(now);
      return false;
    }
    if (proof.needs_time() && quiet < kConfirmPolls_s) {
      watch_.proved_but_for_time();
      return false;
    }
    // The positions were read while the job ran: they are one picture only if nobody moved meanwhile.
    if (!records_.look().same_place(progress)) return false;
    result_.proof = proof;
    return true;
  }

  Proof ask_for_proof() {
    if (!options_.prove) return {};
    const double asked = now_s();
    const Proof proof = options_.prove(recording_);
    ++result_.tests;
    result_.testing_s += now_s() - asked;
    return proof;
  }

  bool decided(JobResult::End end, double now) {
    result_.end = end;
    result_.interrupted_by = interrupt_signal();
    result_.seconds = now - started_;
    result_.quiet_s = watch_.since_progress(now);
    note_first_death();
    harvest();
    return true;
  }

  void harvest() {
    records_.look();
    result_.recorded = !records_.empty();
    if (result_.recorded && options_.harvest) options_.harvest(recording_);
  }

  void note_first_death() {
    records_.look();
    records_.wait(-1, 0);
    const std::optional<std::int32_t> rank = records_.first_silent_death();
    if (!rank) return;
    const CommandEnd end = result_.launcher_stayed ? CommandEnd{} : result_.command;  // stopped: nothing is known
    const bool by_signal = end.signal != 0 || end.status > 128;
    result_.first_death = RankDeath{*rank,
                                    end.signal != 0 ? end.signal
                                    : by_signal     ? end.status - 128
                                                    : 0,
                                    by_signal ? 0 : end.status};
  }

  void stop() {
    const bool elsewhere = records_.reach_beyond(guardian_.pid()) || may_leave_this_host(options_.command.arguments);
    guardian_.stop(elsewhere ? std::max(options_.stop_grace_s, kElsewhereGrace_s) : options_.stop_grace_s);
    const double limit = now_s() + kEndWait_s;
    while (now_s() < limit) {
      if (const std::optional<CommandEnd> end = guardian_.ended(kLook_ms)) {
        result_.command = *end;
        return;
      }
      if (interrupt_count() > 1) guardian_.stop(0);
    }
  }

  const JobOptions& options_;
  std::filesystem::path recording_;
  Guardian guardian_;
  CapturedOutput output_;
  JobRecords records_;
  StallWatch watch_;
  double started_;
  bool marked_ = false;
  std::optional<double> all_gone_since_;
  JobResult result_;
};

}  // namespace

JobResult run_job(const JobOptions& options) {
  const std::uint64_t ring = options.ring_mib.value_or(record::kDefaultRingMiB) << 20;
  const std::filesystem::path folder = name_run_folder(ring * kRoomForRanks + options.room);
  return JobRun(options, command_for(options, folder), folder).run();
}

void apply_first_death(const JobResult& result, Scenario& recorded) {
  if (!result.first_death) return;
  const auto rank = static_cast<std::size_t>(result.first_death->rank);
  if (rank >= recorded.ranks.size()) return;
  RankEnd& end = recorded.ranks[rank].end;
  end.kind = result.first_death->signal != 0 || result.first_death->status == 0 ? EndKind::signal : EndKind::exited;
  end.signal = result.first_death->signal;
  end.status = result.first_death->status;
  end.stated = true;
}

}  // namespace petri
