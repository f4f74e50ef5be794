#include "cli/memory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "base/byte_size.h"
#include "base/disk_files.h"
#include "cli/die.h"
#include "cli/free_memory.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKEIN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SKEIN_SANITIZED 1
#endif
#endif

namespace skein::cli {

namespace {

uint64_t limit = 0;  // the last one; 0: none
bool is_limited = false;
rlim_t usual_limit = RLIM_INFINITY;

}  // namespace

MemoryLimit::MemoryLimit(const std::string& size) {
  DiskFiles disk;
  const auto free = size.empty() ? free_memory(disk) : std::nullopt;
  const uint64_t given = free ? *free / 2 : parse_size(size).value_or(0);
  if (!size.empty() && given < least_bytes)
    die(2, "--memory: invalid size '" + size + "' (at least " + std::to_string(least_bytes >> 20) +
               "M, e.g. 512M, 4G)");
#ifndef SKEIN_SANITIZED
  rlimit now{};
  if ((size.empty() && !free) || getrlimit(RLIMIT_DATA, &now) != 0) return;
  usual_limit = now.rlim_cur;
  now.rlim_cur = std::min<rlim_t>({now.rlim_cur, now.rlim_max, std::max(given, least_bytes)});
  is_limited = setrlimit(RLIMIT_DATA, &now) == 0;
  limit = is_limited ? now.rlim_cur : 0;
#endif
}

int MemoryLimit::run(const std::function<int()>& command) const {
  uint64_t needed = 0;
  try {
    return command();
  } catch (const OutOfMemory& error) {
    needed = error.needed();
  } catch (const std::bad_alloc&) {
  }
  lift();  // the unwound frames of modules without exceptions have not freed their memory
  die(2, memory_message(needed));
}

void MemoryLimit::lift() {
  if (!is_limited) return;
  is_limited = false;
  rlimit now{};
  if (getrlimit(RLIMIT_DATA, &now) != 0) return;
  now.rlim_cur = usual_limit;
  setrlimit(RLIMIT_DATA, &now);
}

std::string memory_message(uint64_t needed) {
  std::string text = "this command needs ";
  text += needed > limit ? "at least " + size_text(needed) + " of memory, more than"
                         : std::string("more memory than");
  text += limit == 0 ? " there is" : " --memory allows (" + size_text(limit) + ")";
  return text + "; use a larger --memory SIZE, or a part of the trace";
}

uint64_t used_memory() {
  std::array<char, 128> text{};
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  if (size <= 0) return 0;
  const char* at = text.data();
  const char* const end = at + size;
  for (int field = 0; field < 5 && at != end; field++) at = std::find(at, end, ' ') + 1;
  uint64_t pages = 0;  // data and stack
  std::from_chars(std::min(at, end), end, pages);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void report_uncaught_out_of_memory() {
  std::set_terminate([] {
    if (const std::exception_ptr error = std::current_exception()) try {
        std::rethrow_exception(error);
      } catch (const std::bad_alloc&) {
        constexpr char text[] =
            "skein: needs more memory than --memory allows; use a larger --memory SIZE\n";
        [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
        _exit(2);
      } catch (...) {
      }
    std::abort();
  });
}

}  // namespace skein::cli

#ifndef SKEIN_SANITIZED
// Like the library's, but the exception knows the size. The other forms (arrays, nothrow) call it.
void* operator new(size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw skein::cli::OutOfMemory(skein::cli::used_memory() + size);
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif
