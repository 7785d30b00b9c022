#include "harness/record/comm_objects.hpp"

namespace petri::record {

CommObjects windows, files;

}  // namespace petri::record
