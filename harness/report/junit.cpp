#include "harness/report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <pugixml.hpp>
#include <sstream>

#include "harness/trace/printable.hpp"

namespace petri {
namespace {

constexpr std::size_t kMostDetail = 256 * 1024;  // what a replay printed may be long; viewers load a report as a whole

void put(pugi::xml_node node, const char* attribute, const std::string& value) {
  // A newline in an attribute reads back as a space: XML 1.0, section 3.3.3.
  node.append_attribute(attribute) = printable_line(value).c_str();
}

void put_count(pugi::xml_node node, const char* attribute, std::size_t number) {
  node.append_attribute(attribute) = static_cast<unsigned long long>(number);
}

void put_totals(pugi::xml_node node, const std::vector<CheckCase>& checks) {
  put_count(node, "tests", checks.size());
  put_count(node, "failures", count(checks, CheckState::missed));
  put_count(node, "errors", count(checks, CheckState::unreadable) + count(checks, CheckState::inconclusive));
  const double seconds = std::accumulate(checks.begin(), checks.end(), 0.0,
                                         [](double sum, const CheckCase& check) { return sum + check.seconds; });
  put(node, "time", fmt::format("{:.3f}", seconds));
}

// The folder as a class of that package: viewers group by the part before the last dot.
std::string class_of(const CheckCase& check) {
  const std::size_t slash = check.reproducer.file.rfind('/');
  if (slash == std::string::npos || slash == 0) return "petri";
  std::string name = check.reproducer.file.substr(0, slash);
  std::replace(name.begin(), name.end(), '/', '.');
  name.erase(0, name.find_first_not_of('.'));
  return name.empty() ? "petri" : name;
}

const char* element_of(CheckState state) {
  switch (state) {
    case CheckState::missed: return "failure";
    case CheckState::unreadable:
    case CheckState::inconclusive: return "error";
    case CheckState::met:
    case CheckState::skipped: break;
  }
  return "skipped";
}

void put_case(pugi::xml_node suite, const CheckCase& check) {
  pugi::xml_node node = suite.append_child("testcase");
  put(node, "name", name_of(check));
  put(node, "classname", class_of(check));
  put(node, "time", fmt::format("{:.3f}", check.seconds));
  if (check.state == CheckState::met) return;
  pugi::xml_node why = node.append_child(element_of(check.state));
  put(why, "message", check.text);
  // GitLab shows the element's text alone and leaves out the message wherever there is both.
  const std::string story = check.state == CheckState::skipped ? check.text : explain(check, kMostDetail);
  why.text() = printable(story).c_str();
}

}  // namespace

std::string render_junit(const std::vector<CheckCase>& checks, const Properties& properties) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  put_totals(root, checks);
  pugi::xml_node suite = root.append_child("testsuite");
  suite.append_attribute("name") = "petri check";
  put_totals(suite, checks);
  put_count(suite, "skipped", count(checks, CheckState::skipped));
  if (!properties.empty()) {
    pugi::xml_node list = suite.append_child("properties");
    for (const auto& [name, value] : properties) {
      pugi::xml_node property = list.append_child("property");
      put(property, "name", name);
      put(property, "value", value);
    }
  }
  for (const CheckCase& check : checks) put_case(suite, check);
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace petri
