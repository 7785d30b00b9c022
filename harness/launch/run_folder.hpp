// The private folder of one run: the recording, the launcher's session files and shared-memory backing files go there,
// so that removing one folder leaves nothing behind.
#pragma once

#include <cstdint>
#include <filesystem>

namespace petri {

// A name for a new folder: in /dev/shm when it is there with `room` bytes free (a recording is written through memory
// maps, and memory has no disk behind it that would slow them), else in $TMPDIR or /tmp. The guardian makes the folder,
// for this user alone, so that there is never one that nobody would remove. Throws EnvironmentError when no place can
// be written.
std::filesystem::path name_run_folder(std::uint64_t room);

// The same, made at once; whoever makes it removes it, or starts a guardian that does.
std::filesystem::path make_run_folder(std::uint64_t room);

}  // namespace petri
