// Collective file operations (MPI 4.1, chapter 14), on files in the current folder.
#include <fmt/format.h>

#include <algorithm>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"
#include "harness/worker/plan/words.hpp"

namespace petri::c {

std::string RankWriter::file_of(const Event& event) const {
  if (event.extras.file().empty()) reject("names no file");
  return file_name(program_.files, event.extras.file());
}

void RankWriter::write_open(const Event& event) {
  std::vector<std::string> words = words_of(event.extras.mode());
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (words.empty()) {
    note("access mode not recorded");
    words = {"create", "rdwr"};
  }
  std::string path = path_literal(program_.files, event.extras.file());
  if (!has("create")) {
    program_.helpers.insert(Helper::there);
    path = fmt::format("there({})", path);
  }
  if (!has("delete_on_close")) words.emplace_back("delete_on_close");
  std::transform(words.begin(), words.end(), words.begin(), mode_name);
  put(fmt::format("MPI_File_open({}, {}, {}, MPI_INFO_NULL, &{});", comm_of(event), path, join(words, " | "),
                  file_of(event)));
}

// A read or write by any of MPI's calls: at the file pointer or at an offset; blocking, with a request, or split in two
// (section 14.4.5): a file has one split collective under way at a time, whose buffer stays until its end.
void RankWriter::write_transfer(const Event& event) {
  const std::string_view family = info(event.op).family;
  const auto has = [&](std::string_view part) { return family.find(part) != std::string_view::npos; };
  const std::string file = file_of(event), split = file + "_split", function = function_name(event.op);
  if (has("_begin") || has("_end")) program_.split_files.insert(event.extras.file());
  if (has("_end")) return put(fmt::format("{}({}, {}, MPI_STATUS_IGNORE);", function, file, split));
  const Amount what = amount({event.count, event.dtype}, true);
  const std::string offset = has("_at_") ? fmt::format(", {}", event.extras.disp().value_or(0)) : "";
  const std::string elements = fmt::format("{}, {}", what.count_text, what.type_text);
  if (has("_begin")) {
    program_.helpers.insert(Helper::room);
    put(fmt::format("{} = room({});", split, elements));
    return put(fmt::format("{}({}{}, {}, {});", function, file, offset, split, elements));
  }
  put(fmt::format("{}({}{}, {}, {}, {});", function, file, offset, room(has("_read") ? "in" : "out", event, what),
                  elements, form_of(event.op) == OpForm::nonblocking ? request_of(event) : "MPI_STATUS_IGNORE"));
}

void RankWriter::write_file(const Event& event) {
  const std::string file = file_of(event), function = function_name(event.op);
  const std::int64_t offset = event.extras.disp().value_or(0);
  switch (event.op) {
    case Op::file_open: return write_open(event);
    case Op::file_close: return put(fmt::format("MPI_File_close(&{});", file));
    case Op::file_set_view:  // offsets are recorded in bytes
      return put(fmt::format("{}({}, {}, MPI_BYTE, MPI_BYTE, \"native\", MPI_INFO_NULL);", function, file, offset));
    case Op::file_set_size:
    case Op::file_preallocate: {
      const std::int64_t size = event.extras.disp() ? offset : std::max<std::int64_t>(event.count, 0);
      return put(fmt::format("{}({}, {});", function, file, size));
    }
    case Op::file_set_info:
      put("{");
      put("  MPI_Info none;");
      put("  MPI_Info_create(&none);");
      put(fmt::format("  MPI_File_set_info({}, none);", file));
      put("  MPI_Info_free(&none);");
      return put("}");
    case Op::file_set_atomicity: return put(fmt::format("{}({}, {});", function, file, event.flag == 1 ? 1 : 0));
    case Op::file_seek_shared: return put(fmt::format("{}({}, {}, MPI_SEEK_SET);", function, file, offset));
    case Op::file_sync: return put(fmt::format("MPI_File_sync({});", file));
    default: return write_transfer(event);
  }
}

}  // namespace petri::c
