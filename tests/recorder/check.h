// Helpers of the programs in this folder: report a failure and continue, run a function in a child
// process, start a trace.
#pragma once
#include <skein/skein.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/recorder/decode.h"

namespace skein::test {

inline constexpr int kSkipped = 77;

// The sanitizer of this build: the tests must not attribute its effects to the recorder.
#if defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define SKEIN_TEST_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define SKEIN_TEST_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(SKEIN_TEST_ADDRESS_SANITIZER)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
#if defined(__SANITIZE_THREAD__) || defined(SKEIN_TEST_THREAD_SANITIZER)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

inline int failures = 0;
inline int skipped = 0;

// Records that a part of the test cannot run here.
inline void skip(const char* reason) {
  ++skipped;
  printf("skipped: %s\n", reason);
}

#define SKEIN_CHECK(condition, ...)                          \
  do {                                                       \
    if (!(condition)) {                                      \
      ++skein::test::failures;                               \
      printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
      printf(__VA_ARGS__);                                   \
      printf("\n");                                          \
      fflush(stdout);                                        \
    }                                                        \
  } while (false)

// The exit code of the test. The last line of main.
inline int verdict() {
  printf(failures == 0 ? "good\n" : "%d failures\n", failures);
  if (failures == 0) return skipped == 0 ? 0 : kSkipped;
  return 1;
}

// Runs `body` in a child process and returns its wait status, which is 0 without failures. If the
// child skips a part, so does the caller.
template <class Body>
int in_child(Body body) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    failures = skipped = 0;
    body();
    fflush(stdout);
    if (failures == 0) _exit(skipped == 0 ? 0 : kSkipped);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != kSkipped) return status;
  ++skipped;
  return 0;
}

// True if fork() clears pages marked with MADV_WIPEONFORK, as Linux does since 4.14. qemu-user
// accepts and ignores the mark.
inline bool fork_wipes_pages() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(page, 4096, MADV_WIPEONFORK);
  auto& byte = *static_cast<volatile char*>(page);
  byte = 1;
  const int status = in_child([&] { failures = byte; });
  munmap(page, 4096);
  return status == 0;
}

struct Start {
  uint64_t size = 0;
  bool log = false;
  uint32_t tasks = 4096;
  uint64_t keep_ns = 0;
  uint64_t most = 0;
};
inline int start_trace_at(const std::string& directory, Start how = {}) {
  skein_options options = {};
  options.directory = directory.c_str();
  options.size = how.size;
  options.log = how.log ? 1 : 0;
  options.tasks = how.tasks;
  options.keep_ns = how.keep_ns;
  options.most = how.most;
  return skein_start(&options);
}

// Reads a trace in which every problem is a failure.
inline Trace read_good_trace(const std::string& directory) {
  Trace trace = read_trace(directory);
  for (const std::string& problem : trace.problems)
    SKEIN_CHECK(problem.empty(), "%s: %s", directory.c_str(), problem.c_str());
  return trace;
}

// The exit code of a child of in_child is 0.
inline bool good(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

inline bool have_babeltrace() { return system("command -v babeltrace2 >/dev/null") == 0; }
inline bool babeltrace_reads(const std::string& directory) {
  return system(("babeltrace2 -o dummy '" + directory + "' >/dev/null").c_str()) == 0;
}

}  // namespace skein::test
