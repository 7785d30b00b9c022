#include "reducers/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri::reduce {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kJournalVersion = 1;
constexpr std::array<std::string_view, 3> kAnswers{"reproduces", "passes", "unresolved"};

std::string header_line(const JournalIdentity& identity) {
  const Json json{{"petri_journal", kJournalVersion},
                  {"input", identity.input},
                  {"oracle", identity.oracle},
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
  Reader(std::string file, const JournalIdentity& identity) : file_(std::move(file)), identity_(identity) {}

  // Returns the length of the part that is whole.
  std::size_t read(std::string_view text, Verdicts& known) {
    std::size_t whole = 0;
    for (std::size_t end = 0; (end = text.find('\n', whole)) != std::string_view::npos; whole = end + 1) {
      ++line_;
      const Json json = Json::parse(text.substr(whole, end - whole), nullptr, false);
      if (!json.is_object()) broken("expected a JSON object");
      if (line_ == 1) {
        check_header(json);
      } else {
        known.insert_or_assign(text_at(json, "candidate"), verdict(json));
      }
    }
    return whole;
  }

 private:
  [[noreturn]] void broken(const std::string& reason) const { throw InputError(file_, line_, 0, reason); }

  void check_header(const Json& json) const {
    const auto version = json.find("petri_journal");
    if (version == json.end()) broken("this is no journal of petri shrink");
    if (*version != kJournalVersion) broken(fmt::format("expected journal version {}", kJournalVersion));
    const auto differs = [&](const char* what, const std::string& theirs, const std::string& ours) {
      if (theirs == ours) return;
      broken(fmt::format("this journal belongs to another {} ('{}', now '{}'); name another file or remove it", what,
                         theirs, ours));
    };
    differs("input", text_at(json, "input"), identity_.input);
    differs("oracle", text_at(json, "oracle"), identity_.oracle);
    differs("seed", json.value("seed", Json(nullptr)).dump(), std::to_string(identity_.seed));
  }

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
  const JournalIdentity& identity_;
  std::size_t line_ = 0;
};

}  // namespace

class Journal::File {
 public:
  File(const std::filesystem::path& path, int flags)
      : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail();
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor_); }

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  [[noreturn]] void fail() const { throw std::system_error(errno, std::generic_category(), path_.string()); }

  std::filesystem::path path_;
  int descriptor_;
};

Journal::Journal(std::unique_ptr<File> file) : file_(std::move(file)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;
Journal::~Journal() = default;

Journal Journal::begin(const std::filesystem::path& file, const JournalIdentity& identity) {
  Journal journal(std::make_unique<File>(file, O_WRONLY | O_CREAT | O_TRUNC));
  journal.file_->write(header_line(identity));
  return journal;
}

Journal Journal::resume(const std::filesystem::path& file, const JournalIdentity& identity, Verdicts& known) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return begin(file, identity);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t whole = Reader(file.string(), identity).read(text, known);
  if (whole == 0) {
    // Killed while its first line was written; anything else that has no line is not ours to overwrite.
    if (!header_line(identity).starts_with(text))
      throw InputError(file.string(), 1, 0, "this is no journal of petri shrink");
    return begin(file, identity);
  }
  std::filesystem::resize_file(file, whole);
  return Journal(std::make_unique<File>(file, O_WRONLY | O_APPEND));
}

void Journal::append(const std::string& fingerprint, const Judgement& judgement) {
  file_->write(verdict_line(fingerprint, judgement));
}

}  // namespace petri::reduce
