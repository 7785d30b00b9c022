// One rank's events as statements of a programming language: what is the same in all languages. Each language derives
// its own writer, which knows its calls. Internal to harness/export.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "harness/export/common_beginning.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// What all ranks of a program share.
struct SharedCase {
  const Scenario& scenario;
  std::string source;  // for errors
  LeftOut left_out;
};

// The statements of a function with their comments, and without them: ranks with equal code share a function.
struct Statements {
  std::string text = {}, code = {};
};

// What a call states for one of its sides: that side's own count and type, else those of both.
struct StatedAmount {
  std::int64_t count = kUnknownCount;
  ElementType type = ElementType::unknown;
};
StatedAmount stated_to_send(const Event& event);
StatedAmount stated_to_receive(const Event& event);

inline constexpr std::string_view kUnknownCountNote = "count not recorded: 1";

// Throws InputError for what a program of its language cannot express, with the rank and the event.
class StatementWriter {
 public:
  double seconds() const { return seconds_; }  // of the rank's sleeps and computations together

 protected:
  // A comment behind a statement.
  struct Comment {
    std::string_view before, after;
  };

  StatementWriter(const SharedCase& shared, std::int32_t rank, Comment comment, std::string indent);
  ~StatementWriter() = default;
  StatementWriter(const StatementWriter&) = delete;
  StatementWriter& operator=(const StatementWriter&) = delete;

  // Statements that every language has a word for. `stay` never goes on; `leave` and `raise` end the process without
  // finalize; `abort` ends the job. event_ tells whether a call asks for it, or the record ends so.
  virtual std::string finish() = 0;
  virtual std::string stay() = 0;
  virtual std::string leave(int status) = 0;
  virtual std::string abort(int status) = 0;
  virtual std::string raise(int signal) = 0;
  virtual std::string pause(Op op, double seconds) = 0;  // a sleep or a computation
  virtual void write_event(const Event& event) = 0;

  // All events in their order, and the end of the record.
  void write_events();
  // The same in steps, for a language in which more stands between them.
  void begin(const Event& event);
  void perform(const Event& event);
  void write_end();

  void write_world(const Event& event);
  void write_pause(const Event& event);

  // Statements go to here_. The first one of an event carries its comment: its site and step, what was recorded of it,
  // and the notes that are taken until then.
  void put(const std::string& statement);
  void note(std::string_view remark);  // nothing for an empty one
  [[noreturn]] void reject(const std::string& reason) const;

  // Arguments. Those on a communicator whose members are not known are rejected.
  std::size_t size(const Event& event) const;
  std::int32_t member(const Event& event, std::int32_t rank, const char* what) const;  // that rank, if it is one
  std::int32_t root(const Event& event);                                               // of the group
  std::int64_t count_or_one(std::int64_t count);
  void require_count(std::int64_t count) const;  // one that a memory may hold, so that no product overflows

  const Scenario& scenario_;
  const RankTrace& trace_;
  std::int32_t rank_;
  const Event* event_ = nullptr;  // the one that is written; none behind the last
  Statements* here_ = nullptr;    // the function that is written; set by the language's writer
  std::string indent_;
  // In the order of their texts, whatever the order in which a compiler evaluates the arguments of a call.
  std::set<std::string> notes_;
  bool finalized_ = false;
  bool left_ = false;  // nothing more of the rank is reached

 private:
  std::string comment(std::string_view text) const;
  std::string comment_of_event() const;

  const SharedCase& shared_;
  Comment comment_;
  bool commented_ = false;
  double seconds_ = 0;
};

}  // namespace petri
