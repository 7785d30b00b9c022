#include "reducers/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri::reduce {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kJournalVersion = 2;
constexpr std::string_view kFirstWords = R"({"petri_journal":)";
// By Answer; a question that was withdrawn has no line.
constexpr std::array<std::string_view, 3> kAnswers{"reproduces", "passes", "unresolved"};

std::string header_line(const JournalIdentity& identity) {
  const Json json{{"petri_journal", kJournalVersion},
                  {"input", identity.input},
                  {"oracle", identity.oracle},
                  {"programs", identity.programs},
                  {"seed", identity.seed}};
  return json.dump() + '\n';
}

std::string verdict_line(const std::string& fingerprint, const Judgement& judgement) {
  Json json{{"candidate", fingerprint}, {"answer", kAnswers.at(static_cast<std::size_t>(judgement.answer))}};
  if (!judgement.other.empty()) json["other"] = judgement.other;
  return json.dump() + '\n';
}

std::string text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Verdicts of a journal's text, line by line.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  // Returns the length of the part that is whole: 0 where not even the first line is.
  std::size_t read(std::string_view text, Verdicts& known) {
    std::size_t whole = 0;
    for (std::size_t end = 0; (end = text.find('\n', whole)) != std::string_view::npos; whole = end + 1) {
      ++line_;
      const Json json = Json::parse(text.substr(whole, end - whole), nullptr, false);
      if (!json.is_object()) broken("expected a JSON object");
      if (line_ == 1) {
        if (!json.contains("petri_journal")) broken("this is no journal of petri shrink");
        header_ = json;
        if (header_["petri_journal"] != kJournalVersion) return end + 1;
      } else {
        known.insert_or_assign(text_at(json, "candidate"), verdict(json));
      }
    }
    return whole;
  }

  // In what the journal is not the one of this identity; empty where it is.
  std::string difference(const JournalIdentity& identity) const {
    if (header_["petri_journal"] != kJournalVersion) return fmt::format("expected journal version {}", kJournalVersion);
    const auto differs = [&](const char* what, const std::string& theirs, const std::string& ours) {
      if (theirs == ours) return std::string();
      return fmt::format("this journal belongs to another {} ('{}', now '{}'); name another file or remove it", what,
                         theirs, ours);
    };
    for (const auto& [what, key, ours] :
         {std::tuple{"input", "input", identity.input}, std::tuple{"oracle", "oracle", identity.oracle},
          std::tuple{"program of petri or of the oracle", "programs", identity.programs}}) {
      if (std::string text = differs(what, text_at(header_, key), ours); !text.empty()) return text;
    }
    return differs("seed", header_.value("seed", Json(nullptr)).dump(), std::to_string(identity.seed));
  }

 private:
  [[noreturn]] void broken(const std::string& reason) const { throw InputError(file_, line_, 0, reason); }

  Judgement verdict(const Json& json) const {
    const std::string answer = text_at(json, "answer");
    for (std::size_t i = 0; i < kAnswers.size(); ++i) {
      if (kAnswers[i] == answer && !text_at(json, "candidate").empty()) {
        return {static_cast<Answer>(i), text_at(json, "other")};
      }
    }
    broken("expected a candidate and an answer: reproduces, passes or unresolved");
  }

  std::string file_;
  Json header_;
  std::size_t line_ = 0;
};

}  // namespace

class Journal::File {
 public:
  // Takes the file for this process alone, until it ends in whatever way.
  explicit File(const std::filesystem::path& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) cannot(std::strerror(errno));
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    // A file system that knows no locks does without.
    if (fcntl(descriptor_, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN)) return;
    ::close(descriptor_);
    cannot("another petri shrink is writing it");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor_); }

  std::string read() const {
    std::string text;
    std::array<char, 1 << 16> part{};
    for (ssize_t got = 0; (got = ::read(descriptor_, part.data(), part.size())) != 0;) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) cannot(std::strerror(errno));
      text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

  void keep(std::size_t length) {
    length_ = length;
    if (ftruncate(descriptor_, static_cast<off_t>(length)) != 0) cannot(std::strerror(errno));
  }

  void append(std::string_view line) {
    if (error_ != 0) return;
    std::size_t done = 0;
    while (done < line.size()) {
      const ssize_t written =
          ::pwrite(descriptor_, line.data() + done, line.size() - done, static_cast<off_t>(length_ + done));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        const int reason = written < 0 ? errno : ENOSPC;
        take_back();
        error_ = reason;
        return;
      }
      done += static_cast<std::size_t>(written);
    }
    length_ += line.size();
  }

  bool begun() const { return length_ > 0; }
  int error() const { return error_.load(); }
  void remove() const { ::unlink(path_.c_str()); }

 private:
  // What is torn off at the end is cut off by whoever resumes, if it cannot be here.
  void take_back() const {
    if (ftruncate(descriptor_, static_cast<off_t>(length_)) == 0 && length_ == 0) remove();
  }

  [[noreturn]] void cannot(const char* reason) const {
    throw EnvironmentError(fmt::format("the journal {} cannot be used: {}", path_.string(), reason));
  }

  std::filesystem::path path_;
  int descriptor_;
  std::size_t length_ = 0;
  std::atomic<int> error_{0};
};

Journal::Journal(std::unique_ptr<File> file) : file_(std::move(file)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;
Journal::~Journal() = default;

Journal Journal::open(const std::filesystem::path& file, const JournalIdentity& identity, Existing existing,
                      Verdicts& known) {
  auto opened = std::make_unique<File>(file);
  const std::string header = header_line(identity);
  std::size_t whole = 0;
  if (existing != Existing::replace) {
    const std::string text = opened->read();
    Reader reader(file.string());
    whole = reader.read(text, known);
    // Killed while its first line was written; anything else that has no line is not ours to overwrite.
    if (whole == 0 && kFirstWords.compare(0, text.size(), text, 0, kFirstWords.size()) != 0)
      throw InputError(file.string(), 1, 0, "this is no journal of petri shrink");
    const std::string difference = whole == 0 ? std::string() : reader.difference(identity);
    if (!difference.empty() && existing == Existing::resume) throw InputError(file.string(), 1, 0, difference);
    if (!difference.empty()) {
      known.clear();
      whole = 0;
    }
  }
  opened->keep(whole);
  if (whole == 0) opened->append(header);
  return Journal(std::move(opened));
}

void Journal::append(const std::string& fingerprint, const Judgement& judgement) {
  file_->append(verdict_line(fingerprint, judgement));
}

std::string Journal::failure() const {
  return file_->error() == 0 ? std::string() : std::strerror(file_->error());
}

bool Journal::begun() const {
  return file_->begun();
}

void Journal::remove() {
  file_->remove();
}

}  // namespace petri::reduce
