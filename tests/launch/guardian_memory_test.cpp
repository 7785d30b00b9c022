// Petri has threads: a process that it forks finds the allocator as another thread left it, perhaps locked for ever,
// and may take no memory until it executes a program. Here the allocator counts who asks it.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "harness/launch/guardian.hpp"
#include "harness/launch/run_folder.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/sanitized.hpp"

namespace {

struct Watch {
  std::atomic<pid_t> owner;  // the process that may take memory; 0: all may
  std::atomic<int> strange;  // calls by others
};
Watch* watch = nullptr;  // in memory that forked processes share

void note_allocator_call() {
  if (watch != nullptr && watch->owner != 0 && watch->owner != getpid()) ++watch->strange;
}

}  // namespace

#ifdef PETRI_SANITIZED
// sanitizer/allocator_interface.h, which GCC does not install.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));

namespace {
[[maybe_unused]] const int installed =
    __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { note_allocator_call(); },
                                              [](const volatile void*) { note_allocator_call(); });
}
#else
// In place of the C library's own (glibc manual, "Replacing malloc"), which does the work.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
  note_allocator_call();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  note_allocator_call();
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  note_allocator_call();
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note_allocator_call();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  note_allocator_call();
  *block = __libc_memalign(alignment, size);
  return *block != nullptr ? 0 : ENOMEM;
}
void free(void* block) {
  note_allocator_call();
  __libc_free(block);
}
}
#endif

namespace petri {
namespace {

namespace fs = std::filesystem;

class GuardianMemory : public testing::Test {
 protected:
  void SetUp() override {
    void* shared = mmap(nullptr, sizeof(Watch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    watch = new (shared) Watch{};
    watch->owner = getpid();
  }
  void TearDown() override {
    watch->owner = 0;
    EXPECT_EQ(watch->strange, 0);
  }
};

TEST_F(GuardianMemory, TheCounterSeesAForkedProcess) {
  const pid_t child = fork();
  if (child == 0) {
    void* volatile block = std::malloc(1);  // volatile: a compiler may leave out a block that nobody looks at
    std::free(block);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_GE(watch->strange.exchange(0), 2);
}

TEST_F(GuardianMemory, IsNotTakenByAnythingBelow) {
  const fs::path folder = make_run_folder(0);
  const fs::path output = folder / "output";
  GuardedCommand command{{"sh", "-c", "mkdir -p a/b/c; sleep 1000 & setsid sleep 1000 & exit 3"}, {}, false, output};
  command.working_folder = folder;
  {
    Guardian guardian(command, folder);
    while (!guardian.ended(1000)) continue;
    EXPECT_EQ(guardian.ended(0)->status, 3);
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(GuardianMemory, IsNotTakenWhereNothingCanBeStarted) {
  EXPECT_THROW(Guardian({{"no-such-program-of-petri"}, {}, false, {}}, name_run_folder(0)), EnvironmentError);
}

TEST_F(GuardianMemory, IsNotTakenAfterItsOwnersDeath) {
  const fs::path folder = name_run_folder(0);
  const pid_t owner = fork();
  if (owner == 0) {
    watch->owner = getpid();
    Guardian guardian({{"/bin/sleep", "1000"}, {}, false, {}}, folder);
    std::raise(SIGKILL);
  }
  waitpid(owner, nullptr, 0);
  watch->owner = getpid();
  while (fs::exists(folder)) std::this_thread::yield();
}

}  // namespace
}  // namespace petri
