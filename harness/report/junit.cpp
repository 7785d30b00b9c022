#include "harness/report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <system_error>

#include "harness/report/text.hpp"

namespace petri {
namespace {

using Result = JunitCase::Result;

std::size_t count(const std::vector<JunitCase>& cases, Result result) {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const JunitCase& c) { return c.result == result; }));
}

double seconds(const std::vector<JunitCase>& cases) {
  double sum = 0;
  for (const JunitCase& c : cases) sum += c.seconds;
  return sum;
}

void put(pugi::xml_node node, const char* attribute, const std::string& value) {
  node.append_attribute(attribute) = printable(value).c_str();
}

void put_totals(pugi::xml_node node, const std::vector<JunitCase>& cases) {
  node.append_attribute("tests") = static_cast<unsigned long long>(cases.size());
  node.append_attribute("failures") = static_cast<unsigned long long>(count(cases, Result::failed));
  node.append_attribute("errors") = static_cast<unsigned long long>(count(cases, Result::error));
  node.append_attribute("skipped") = static_cast<unsigned long long>(count(cases, Result::skipped));
  put(node, "time", fmt::format("{:.3f}", seconds(cases)));
}

void put_case(pugi::xml_node suite, const JunitCase& test) {
  pugi::xml_node node = suite.append_child("testcase");
  put(node, "name", test.name);
  put(node, "classname", test.classname);
  put(node, "time", fmt::format("{:.3f}", test.seconds));
  if (test.result != Result::passed) {
    const char* const kind = test.result == Result::failed  ? "failure"
                             : test.result == Result::error ? "error"
                                                            : "skipped";
    pugi::xml_node why = node.append_child(kind);
    put(why, "message", test.message);
    if (!test.detail.empty()) why.text() = printable(test.detail).c_str();
  }
  if (!test.output.empty()) node.append_child("system-out").text() = printable(test.output).c_str();
}

}  // namespace

std::string render_junit(const std::vector<JunitSuite>& suites) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  std::vector<JunitCase> all;
  for (const JunitSuite& suite : suites) all.insert(all.end(), suite.cases.begin(), suite.cases.end());
  put_totals(root, all);
  for (const JunitSuite& suite : suites) {
    pugi::xml_node node = root.append_child("testsuite");
    put(node, "name", suite.name);
    put_totals(node, suite.cases);
    for (const JunitCase& test : suite.cases) put_case(node, test);
  }
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

void write_junit(const std::vector<JunitSuite>& suites, const std::filesystem::path& file) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << render_junit(suites);
  out.close();
  if (!out) throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), file.string());
}

}  // namespace petri
