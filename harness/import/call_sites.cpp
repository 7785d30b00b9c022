#include "harness/import/call_sites.hpp"

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <filesystem>

#include "harness/import/fortran_line.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

// Offline use: files are named, nothing is looked up in a process.
const Dwfl_Callbacks kCallbacks{
    .find_elf = nullptr,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

std::string below_current(const std::string& path) {
  std::error_code none;
  const fs::path current = fs::current_path(none);
  const fs::path relative = fs::path(path).lexically_normal().lexically_relative(current);
  if (none || relative.empty() || *relative.begin() == "..") return path;
  return relative.string();
}

// Where the source was when it was compiled.
std::string source(Dwfl_Line* line, const char* file) {
  const char* folder = dwfl_line_comp_dir(line);
  return folder != nullptr ? (fs::path(folder) / file).string() : file;
}

}  // namespace

class CallSites::Module {
 public:
  explicit Module(const std::string& path)
      : short_name_(fs::path(path).filename().string()), dwfl_(dwfl_begin(&kCallbacks)) {
    if (dwfl_ == nullptr) return;
    dwfl_report_begin(dwfl_);
    module_ = dwfl_report_elf(dwfl_, path.c_str(), path.c_str(), -1, 0, true);
    dwfl_report_end(dwfl_, nullptr, nullptr);
  }
  ~Module() {
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::string name(std::uint64_t address, std::string_view operation) {
    // The return address belongs to what comes after the call.
    const std::uint64_t call = address - 1;
    Dwfl_Line* line = module_ != nullptr ? dwfl_module_getsrc(module_, call) : nullptr;
    int number = 0;
    const char* file = line != nullptr ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
    if (file == nullptr) return fmt::format("{}+{:#x}", short_name_, address);
    Dwarf_Addr bias = 0;
    if (Dwarf_Die* unit = dwfl_module_addrdie(module_, call, &bias))
      number = fortran_.line_of_call(*unit, call - bias, source(line, file), number, operation);
    return fmt::format("{}:{}", below_current(file), number);
  }

 private:
  std::string short_name_;
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  FortranLines fortran_;
};

CallSites::CallSites() = default;
CallSites::~CallSites() = default;

std::string CallSites::name(const std::string& module_path, std::uint64_t address, std::string_view operation) {
  auto& module = modules_[module_path];
  if (!module) module = std::make_unique<Module>(module_path);
  return module->name(address, operation);
}

}  // namespace petri
