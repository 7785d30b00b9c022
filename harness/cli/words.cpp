#include "harness/cli/words.hpp"

#include <algorithm>
#include <utility>

#include "harness/cli/command.hpp"

namespace petri::cli {
namespace {

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kOperators = "|&;<>";
constexpr std::string_view kEscapedInQuotes = "\"\\$`";

class Splitter {
 public:
  explicit Splitter(std::string_view command) : rest_(command) {}

  std::vector<std::string> run() {
    while (skip_blanks()) words_.push_back(word());
    return std::move(words_);
  }

  const std::string& first_operator() const { return operator_; }

 private:
  bool skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    return !rest_.empty();
  }

  char next() {
    if (rest_.empty()) throw UsageError{"a quote or backslash in the command has no end"};
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string word() {
    std::string text;
    while (!rest_.empty() && kBlanks.find(rest_.front()) == std::string_view::npos) {
      if (operator_.empty() && kOperators.find(rest_.front()) != std::string_view::npos) note_operator(text);
      const char c = next();
      if (c == '\'') {
        for (char quoted = 0; (quoted = next()) != '\'';) text += quoted;
      } else if (c == '"') {
        in_double_quotes(text);
      } else {
        text += c == '\\' ? next() : c;
      }
    }
    return text;
  }

  // With the number in front of it that says what is redirected.
  void note_operator(const std::string& before) {
    const bool numbered = before.find_first_not_of("0123456789") == std::string::npos && rest_.front() != '|';
    if (numbered) operator_ = before;
    operator_ += rest_.substr(0, rest_.find_first_not_of(kOperators));
  }

  void in_double_quotes(std::string& text) {
    for (char quoted = 0; (quoted = next()) != '"';) {
      const bool escapes =
          quoted == '\\' && !rest_.empty() && kEscapedInQuotes.find(rest_.front()) != std::string_view::npos;
      text += escapes ? next() : quoted;
    }
  }

  std::string_view rest_;
  std::vector<std::string> words_;
  std::string operator_;
};

}  // namespace

std::vector<std::string> split_words(std::string_view command) {
  return Splitter(command).run();
}

std::string shell_operator_in(std::string_view command) {
  Splitter splitter(command);
  splitter.run();
  return splitter.first_operator();
}

std::string quoted_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + '\'';
}

}  // namespace petri::cli
