// What the tests of exported programs ask, whatever the language.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "harness/trace/error.hpp"

namespace petri::test {

// Why `write` refuses to write a program; empty where it does not.
template <class Write>
std::string refusal_of(const Write& write) {
  try {
    write();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

inline std::string golden(const std::string& name) {
  std::ifstream in(PETRI_TEST_DATA "/golden/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace petri::test
