// Names of code addresses by debug information: "file:line", or "module+0xoffset" where there is none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace petri {

class CallSites {
 public:
  CallSites();
  ~CallSites();
  CallSites(const CallSites&) = delete;
  CallSites& operator=(const CallSites&) = delete;

  // The call of `operation` (MPI's name in lower case, without the prefix) that returns to `address`, an address of the
  // module's own (without load bias). Source files below the current folder are named relative to it. Never throws for
  // a module that is not there or is no ELF file.
  std::string name(const std::string& module_path, std::uint64_t address, std::string_view operation);

 private:
  class Module;
  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace petri
