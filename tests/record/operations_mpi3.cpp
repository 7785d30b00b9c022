#include "tests/record/operations.hpp"

namespace petri::test {

std::span<const Program> mpi4_programs() {
  return {};
}

}  // namespace petri::test
