// The private folder of one run: the recording, the launcher's session files and shared-memory backing files go there,
// so that removing one folder leaves nothing behind.
#pragma once

#include <cstdint>
#include <filesystem>

namespace petri {

// Makes a new folder that only this user can enter: in /dev/shm when it is there with `room` bytes free (a recording is
// written through memory maps, and memory has no disk behind it that would slow them), else in $TMPDIR or /tmp. Throws
// EnvironmentError when no place takes it. Whoever starts the guardian hands the folder over to it for removal.
std::filesystem::path make_run_folder(std::uint64_t room);

}  // namespace petri
