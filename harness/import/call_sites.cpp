#include "harness/import/call_sites.hpp"

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <filesystem>

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

  std::string name(std::uint64_t address) const {
    // The return address belongs to what comes after the call.
    Dwfl_Line* line = module_ != nullptr ? dwfl_module_getsrc(module_, address - 1) : nullptr;
    int number = 0;
    const char* file = line != nullptr ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
    if (file == nullptr) return fmt::format("{}+{:#x}", short_name_, address);
    return fmt::format("{}:{}", below_current(file), number);
  }

 private:
  std::string short_name_;
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
};

CallSites::CallSites() = default;
CallSites::~CallSites() = default;

std::string CallSites::name(const std::string& module_path, std::uint64_t address) {
  auto& module = modules_[module_path];
  if (!module) module = std::make_unique<Module>(module_path);
  return module->name(address);
}

}  // namespace petri
