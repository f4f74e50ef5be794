// A ring grows while it reaches back less than `keep`, within its limits, and only then. No time is
// measured: "an hour" is never reached, and what must be old is older than a pause of the test.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "tests/recorder/check.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;
namespace fs = std::filesystem;

constexpr uint64_t kHour = uint64_t{3600} * 1'000'000'000;
constexpr uint64_t kRing = 64 << 10;  // 4 chunks of 16 KiB

struct Files {
  uint64_t bytes = 0;    // of all chunks, with those of prepared streams
  uint64_t largest = 0;  // file
  uint64_t blocks = 0;   // on the disk
};
Files chunks_in(const std::string& directory) {
  Files files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().filename().string().rfind("s0", 0) != 0) continue;
    struct stat facts;
    if (stat(entry.path().c_str(), &facts) != 0) continue;
    const auto size = static_cast<uint64_t>(facts.st_size);
    files.bytes += size;
    files.blocks += static_cast<uint64_t>(facts.st_blocks) * 512;
    if (size > files.largest) files.largest = size;
  }
  return files;
}

// Makes further calls until the chunks have so many bytes.
void make_until(uint64_t bytes, NumberedCalls& calls, uint64_t& n, const std::string& directory) {
  while (chunks_in(directory).bytes < bytes)
    for (int i = 0; i < 100; ++i) calls.make(++n);
}

void check_first_size(const std::string& directory) {
  const uint64_t bytes = chunks_in(directory).bytes;
  SKEIN_CHECK(bytes <= kRing + 4 * (kRing / 4), "%llu bytes",  // 4 streams are prepared
              static_cast<unsigned long long>(bytes));
}

// The run of numbered calls of executor 1, which must be unbroken and end with `last`.
Run check_run(const std::string& directory, uint64_t last) {
  const Trace trace = read_good_trace(directory);
  SKEIN_CHECK(trace.lost() == 0, "%llu lost", static_cast<unsigned long long>(trace.lost()));
  for (const Stream& stream : trace.streams) {
    const Run run = find_run(stream.events(), 1);
    if (run.last == 0) continue;
    SKEIN_CHECK(run.problem.empty(), "%s", run.problem.c_str());
    SKEIN_CHECK(run.last == last, "%llu", static_cast<unsigned long long>(run.last));
    return run;
  }
  SKEIN_CHECK(false, "no stream has the calls");
  return {};
}

// A busy thread's ring keeps everything until the limit, and then the newest.
void busy(const std::string& directory) {
  constexpr uint64_t kMost = 1 << 20;
  SKEIN_CHECK(start_trace_at(directory, {.size = kRing, .keep_ns = kHour, .most = kMost}) == 0,
              "start");
  NumberedCalls calls(1);
  uint64_t n = 0;
  make_until(kMost / 2, calls, n, directory);
  SKEIN_CHECK(check_run(directory, n).first == 1, "the beginning is overwritten");
  const Files grown = chunks_in(directory);
  SKEIN_CHECK(grown.blocks >= grown.bytes, "%llu of %llu bytes: a full disk would be a bus error",
              static_cast<unsigned long long>(grown.blocks),
              static_cast<unsigned long long>(grown.bytes));
  for (int i = 0; i < 100'000; ++i) calls.make(++n);
  skein_stop();
  SKEIN_CHECK(check_run(directory, n).first > 1, "nothing is overwritten");
  const uint64_t bytes = chunks_in(directory).bytes;
  SKEIN_CHECK(bytes <= kMost && bytes > kMost - kRing, "%llu bytes",
              static_cast<unsigned long long>(bytes));
  SKEIN_CHECK(!have_babeltrace() || babeltrace_reads(directory), "babeltrace2");
}

// A ring whose second-oldest chunk is old enough is recycled: it has its first size.
void idle(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.size = kRing, .keep_ns = 1'000'000}) == 0, "start");
  NumberedCalls calls(1);
  uint64_t n = 0;
  for (int pause = 0; pause < 40; ++pause) {
    for (int i = 0; i < 100; ++i) calls.make(++n);  // less than a chunk
    usleep(2000);
  }
  skein_stop();
  SKEIN_CHECK(check_run(directory, n).first > 1, "the ring is not full");
  check_first_size(directory);
}

// A size alone is fixed.
void fixed(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.size = kRing}) == 0, "start");
  NumberedCalls calls(1);
  for (uint64_t n = 1; n <= 20'000; ++n) calls.make(n);
  skein_stop();
  check_first_size(directory);
}

// All rings together have a limit, beyond which each has only its first chunks.
void many_threads(const std::string& directory) {
  constexpr uint64_t kMost = 2 << 20;
  constexpr unsigned kThreads = 8;
  SKEIN_CHECK(start_trace_at(directory, {.size = kRing, .keep_ns = kHour, .most = kMost}) == 0,
              "start");
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back([i] {
      NumberedCalls calls(i + 1);
      for (uint64_t n = 1; n <= 30'000; ++n) calls.make(n);
    });
  for (std::thread& thread : threads) thread.join();
  skein_stop();
  const uint64_t bytes = chunks_in(directory).bytes;
  SKEIN_CHECK(bytes <= kMost + kThreads * kRing && bytes > kMost - kMost / 4, "%llu bytes",
              static_cast<unsigned long long>(bytes));
  SKEIN_CHECK(read_good_trace(directory).lost() == 0, "lost");
}

// Without a limit, all rings together take at most a sixteenth of a small disk.
void small_disk(const std::string& mount_point) {
  constexpr uint64_t kDisk = 64 << 20;
  fs::create_directory(mount_point);
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("skein", mount_point.c_str(), "tmpfs", 0, "size=64m") != 0)
    return skip("a small disk: no file system may be mounted here");
  const std::string directory = mount_point + "/trace";
  SKEIN_CHECK(start_trace_at(directory, {.size = kRing, .keep_ns = kHour}) == 0, "start");
  NumberedCalls calls(1);
  for (uint64_t n = 1; n <= 300'000; ++n) calls.make(n);
  skein_stop();
  const uint64_t bytes = chunks_in(directory).bytes;
  SKEIN_CHECK(bytes <= kDisk / 16 && bytes > kDisk / 32, "%llu bytes",
              static_cast<unsigned long long>(bytes));
}

// No file is larger than the process's limit, which would end the program (SIGXFSZ).
void limited_files(const std::string& directory) {
  constexpr uint64_t kLimit = 1 << 20;
  const rlimit limit = {kLimit, kLimit};
  SKEIN_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
  SKEIN_CHECK(start_trace_at(directory, {.size = kRing, .keep_ns = kHour, .most = 16 << 20}) == 0,
              "start");
  NumberedCalls calls(1);
  uint64_t n = 0;
  for (; n < 400'000; calls.make(++n)) {
  }
  skein_stop();
  check_run(directory, n);
  const Files files = chunks_in(directory);
  SKEIN_CHECK(files.largest == kLimit, "%llu", static_cast<unsigned long long>(files.largest));
  SKEIN_CHECK(files.bytes > (8 << 20), "%llu", static_cast<unsigned long long>(files.bytes));
}

// Files that are truncated, of more chunks than a word has bits, are replaced.
void truncated(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.size = kRing, .keep_ns = kHour, .most = 64 << 20}) == 0,
              "start");
  NumberedCalls calls(1);
  uint64_t n = 0;
  make_until(10 << 20, calls, n, directory);  // 36 chunks
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().filename().string().rfind("s0", 0) == 0) fs::resize_file(entry.path(), 0);
  for (int i = 0; i < 1'000'000; ++i) calls.make(++n);
  skein_stop();
  SKEIN_CHECK(chunks_in(directory).bytes > 0, "nothing was created");
}

}  // namespace

int main() {
  Scratch scratch("growing");
  SKEIN_CHECK(good(in_child([&] { busy(scratch / "busy"); })), "busy");
  SKEIN_CHECK(good(in_child([&] { idle(scratch / "idle"); })), "idle");
  SKEIN_CHECK(good(in_child([&] { fixed(scratch / "fixed"); })), "fixed");
  SKEIN_CHECK(good(in_child([&] { many_threads(scratch / "threads"); })), "many threads");
  SKEIN_CHECK(good(in_child([&] { small_disk(scratch / "disk"); })), "a small disk");
  SKEIN_CHECK(good(in_child([&] { limited_files(scratch / "limited"); })), "limited files");
  SKEIN_CHECK(good(in_child([&] { truncated(scratch / "truncated"); })), "truncated");
  return verdict();
}
