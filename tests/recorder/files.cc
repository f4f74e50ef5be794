// The files of a trace are private and never created through a link. If they or their disk fail,
// the program continues and the recorder counts the loss.
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/recorder/check.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {
bool refuse_rename = false;
bool truncate_renamed = false;
const char* reuse_with = nullptr;
int reused = -1;
thread_local bool stop_at_touch = false;
sem_t stopped, go_on;
}  // namespace
// Replaces libc's fallocate, so that a test can close all descriptors while a file is created and
// open a file of its own.
extern "C" int fallocate(int fd, int mode, off_t offset, off_t size) {
  const long result = syscall(SYS_fallocate, fd, mode, offset, size);
  if (reuse_with == nullptr) return static_cast<int>(result);
  close_range(3, ~0u, 0);
  reused = open(reuse_with, O_RDWR | O_CLOEXEC);
  reuse_with = nullptr;
  return static_cast<int>(result);
}
// Replaces libc's madvise, so that a test can stop a thread in the middle of an event.
extern "C" int madvise(void* begin, size_t size, int advice) noexcept {
  const long result = syscall(SYS_madvise, begin, size, advice);
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE
  if (!stop_at_touch || advice != kPopulateWrite) return static_cast<int>(result);
  stop_at_touch = false;
  sem_post(&stopped);
  while (sem_wait(&go_on) != 0) {
  }
  return static_cast<int>(result);
}
// Replaces libc's renameat, so that a test can make the recorder's calls fail, or truncate a file
// before its first use.
extern "C" int renameat(int from_fd, const char* from, int to_fd, const char* to) noexcept {
  if (!refuse_rename) {
    const int result = renameat2(from_fd, from, to_fd, to, 0);
    if (truncate_renamed) close(openat(to_fd, to, O_WRONLY | O_TRUNC | O_CLOEXEC));
    return result;
  }
  errno = ENOENT;
  return -1;
}

namespace {

using namespace skein::test;
namespace fs = std::filesystem;

void make_calls(uint64_t count) {
  NumberedCalls calls(1);
  for (uint64_t n = 1; n <= count; ++n) calls.make(n);
}

// The trace and the status count the same losses.
void check_losses(const Trace& trace, const skein_status& status) {
  SKEIN_CHECK(trace.lost() == status.lost, "%llu in the trace, %llu by status",
              static_cast<unsigned long long>(trace.lost()),
              static_cast<unsigned long long>(status.lost));
}

void private_files(const std::string& directory) {
  umask(0);
  SKEIN_CHECK(start_trace_at(directory) == 0, "start");
  make_calls(1000);
  struct stat facts;
  SKEIN_CHECK(stat(directory.c_str(), &facts) == 0 && (facts.st_mode & 07777) == 0700, "%o",
              facts.st_mode);
  for (const auto& entry : fs::directory_iterator(directory)) {
    SKEIN_CHECK(stat(entry.path().c_str(), &facts) == 0 && (facts.st_mode & 07777) == 0600, "%s %o",
                entry.path().c_str(), facts.st_mode);
  }
}

// Existing files are not touched: neither a directory nor the target of a link.
void taken_names(const Scratch& scratch) {
  const std::string directory = scratch / "taken", target = scratch / "target";
  fs::create_directory(target);
  fs::create_directory_symlink(target, directory);
  SKEIN_CHECK(start_trace_at(directory) == 0, "start");
  make_calls(100);
  skein_status status;
  skein_get_status(&status);
  SKEIN_CHECK(directory + "." + std::to_string(getpid()) == status.directory, "%s",
              status.directory);
  SKEIN_CHECK(fs::is_empty(target), "it followed the link");
}

void nowhere_to_write(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory + "/not/there") == ENOENT, "no parent");
  SKEIN_CHECK(start_trace_at("/proc/skein") != 0, "unwritable");
  make_calls(100);
  SKEIN_CHECK(start_trace_at(directory) == 0, "a start after failed ones");
  make_calls(100);
  skein_stop();
  SKEIN_CHECK(read_good_trace(directory).count("send") > 0, "nothing recorded");
}

// The files of a running program are truncated: SIGBUS is handled and counted.
void truncated(const std::string& directory, bool table_first) {
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10}) == 0, "start");
  make_calls(20'000);
  if (table_first) fs::resize_file(directory + "/.tasks", 0);
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().filename().string().rfind("s0", 0) == 0) fs::resize_file(entry.path(), 0);
  make_calls(20'000);
  fs::resize_file(directory + "/.tasks", 0);
  make_calls(20'000);
  skein_status status;
  skein_get_status(&status);
  SKEIN_CHECK(status.streams >= 1, "still there");
}

// Each new file is truncated before the recorder's first store into it.
void truncated_when_new(const std::string& directory, bool log) {
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10, .log = log}) == 0, "start");
  make_calls(10);
  truncate_renamed = true;
  make_calls(30'000);
  truncate_renamed = false;
  make_calls(1000);
  skein_status status;
  skein_get_status(&status);
  SKEIN_CHECK(status.lost > 0, "no loss");
  skein_stop();
}

// A full file of names is truncated: its strings are looked up in place.
void truncated_names(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory) == 0, "start");
  const auto define_all = [] {
    for (unsigned i = 0; i < 2000; ++i)
      skein_string((std::to_string(i) + std::string(90, 'n')).c_str());
  };
  define_all();
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().filename().string().rfind("names", 0) == 0) fs::resize_file(entry.path(), 0);
  define_all();
  make_calls(1000);
}

// The files of a trace are truncated after another trace has replaced it, while a thread is still
// in an event of the first one: in a touch of a chunk, of the task table or of the names.
void truncated_when_replaced(const std::string& directory, const std::function<void()>& record) {
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10}) == 0, "start");
  sem_init(&stopped, 0, 0);
  sem_init(&go_on, 0, 0);
  std::thread late([&] {
    make_calls(2000);  // every chunk exists
    stop_at_touch = true;
    record();
    SKEIN_CHECK(!stop_at_touch, "no touch");
    make_calls(100);
  });
  while (sem_wait(&stopped) != 0) {
  }
  skein_stop();
  for (const char* next : {".2", ".3"}) {  // replaced twice
    SKEIN_CHECK(start_trace_at(directory + next) == 0, "start again");
    if (next[1] == '2') skein_stop();
  }
  for (const auto& entry : fs::directory_iterator(directory)) fs::resize_file(entry.path(), 0);
  sem_post(&go_on);
  late.join();
  skein_stop();
  SKEIN_CHECK(read_good_trace(directory + ".3").count("send") >= 1, "nothing recorded");
}

void create_tasks() {
  for (unsigned i = 0; i < 3000; ++i) {
    skein_task task = {};
    static const skein_source here = {};
    skein_create(&task, SKEIN_KIND_coroutine, "late", &here);
  }
}

void define_strings() {
  for (unsigned i = 0; i < 2000; ++i)
    skein_string((std::to_string(i) + std::string(90, 's')).c_str());
}

// Another thread closes all descriptors while the recorder creates a file, and opens one.
void reused_descriptor(const std::string& directory, const std::string& own) {
  std::ofstream(own) << "own";
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10}) == 0, "start");
  reuse_with = own.c_str();
  make_calls(20'000);
  char text[8] = {};
  SKEIN_CHECK(reused >= 0, "no file was created");
  SKEIN_CHECK(pread(reused, text, sizeof text, 0) == 3 && strcmp(text, "own") == 0, "%d: '%s'",
              reused, text);
  skein_stop();
  SKEIN_CHECK(read_good_trace(directory).count("send") > 0, "nothing recorded");
}

// On a disk of 2 MiB, the program continues and the trace contains the loss count.
void full_disk(const std::string& mount_point) {
  fs::create_directory(mount_point);
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("skein", mount_point.c_str(), "tmpfs", 0, "size=2m") != 0)
    return skip("a full disk: no file system may be mounted here");
  const std::string directory = mount_point + "/trace";
  SKEIN_CHECK(start_trace_at(directory, {.log = true, .tasks = 1024}) == 0, "start");
  make_calls(500'000);
  skein_status status;
  skein_get_status(&status);
  skein_stop();
  SKEIN_CHECK(status.lost > 100'000, "%llu lost", static_cast<unsigned long long>(status.lost));
  const Trace trace = read_good_trace(directory);
  check_losses(trace, status);
  // A text fails before a small event does, so the numbers have gaps; the events are intact.
  SKEIN_CHECK(trace.count("send") > 1000, "%zu", trace.count("send"));
  SKEIN_CHECK(!have_babeltrace() || babeltrace_reads(directory), "babeltrace2");
}

// The trace, of which exactly one ring is counted as shortened, and nothing else is lost.
Trace read_shortened(const std::string& directory) {
  Trace trace = read_good_trace(directory);
  const uint64_t shortened = trace.table.lost[skein::format::kLoss_ring_shortened];
  SKEIN_CHECK(shortened == 1, "%llu rings", static_cast<unsigned long long>(shortened));
  SKEIN_CHECK(trace.lost() == shortened, "and nothing else");
  return trace;
}

// A ring that cannot create more files uses those it has, and reports that it is shorter than
// configured.
void shortened_ring(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10}) == 0, "start");
  make_calls(10);
  refuse_rename = true;
  make_calls(20'000);
  refuse_rename = false;
  skein_stop();
  SKEIN_CHECK(read_shortened(directory).count("send") > 10, "it did not go on");
}

// A ring that cannot grow continues with the chunks that it has, and reports it.
void no_growth(const std::string& directory) {
  const uint64_t hour = uint64_t{3600} * 1'000'000'000;
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10, .keep_ns = hour}) == 0, "start");
  make_calls(3000);  // every chunk exists
  refuse_rename = true;
  make_calls(20'000);
  refuse_rename = false;
  skein_stop();
  read_shortened(directory);
}

// A ring cannot create a file at first, and creates it later: it has the newest packets all the
// same.
void late_file(const std::string& directory, uint64_t refused) {
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10}) == 0, "start");
  const auto count_files = [&] {
    size_t files = 0;
    for (const auto& entry : fs::directory_iterator(directory))
      files += entry.path().filename().string().rfind("s0", 0) == 0;
    return files;
  };
  const size_t before = count_files();  // of prepared streams
  const auto make_until = [&](size_t files) {
    for (int i = 0; i < 1000 && count_files() < before + files; ++i) make_calls(10);
    SKEIN_CHECK(count_files() == before + files, "not %zu more files", files);
  };
  make_until(1);
  refuse_rename = true;
  make_calls(refused);
  make_until(1);
  refuse_rename = false;
  make_until(3);
  for (int i = 0; i < 60; ++i) {
    make_calls(20);
    read_good_trace(directory);
  }
  skein_stop();
}

// The directory disappears while a log creates its next file, which cannot get its name then. The
// program used to crash when it counted the event.
void log_without_directory(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  make_calls(10);
  refuse_rename = true;
  make_calls(100'000);
  refuse_rename = false;
  skein_status status;
  skein_get_status(&status);
  skein_stop();
  SKEIN_CHECK(status.lost > 0, "nothing lost");
  const Trace trace = read_good_trace(directory);
  check_losses(trace, status);
  SKEIN_CHECK(trace.count("send") > 10, "%zu", trace.count("send"));
}

// A complete ring reports no problem.
void whole_ring(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10}) == 0, "start");
  make_calls(20'000);
  skein_stop();
  SKEIN_CHECK(read_good_trace(directory).lost() == 0, "lost");
}

// Stop and start: a thread's events go to the new trace, which contains the unfinished task.
void start_again(const std::string& directory) {
  skein_task task = {};
  for (unsigned round = 0; round < 20; ++round) {
    const std::string name = directory + std::to_string(round);
    SKEIN_CHECK(start_trace_at(name) == 0, "start");
    SKEIN_CHECK(start_trace_at(name) == EALREADY, "a second start");
    skein_label_text(&task, "again", 5);
    make_calls(100);
    skein_stop();
    make_calls(100);  // not recorded
    const Trace trace = read_good_trace(name);
    SKEIN_CHECK(trace.count("label_text") >= 1, "round %u", round);
    const size_t calls = trace.count("send") + trace.count("notify");
    SKEIN_CHECK(calls > 10 && calls < 100, "%zu calls in round %u", calls, round);
  }
}

// Texts of any length and content.
void texts(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  std::string wide;  // characters of three bytes, which the recorder must not split
  while (wide.size() < 4000) wide += "\xE2\x82\xAC";
  const std::string hostile(2000, '\x80'), quotes = "\"}; </script> \x1b[31m %s\\n\n\xff";
  for (size_t shift = 0; shift < 3; ++shift) {
    const std::string text = std::string(shift, 'x') + wide;
    skein_label_text(nullptr, text.data(), text.size());
  }
  skein_label_text(nullptr, hostile.data(), hostile.size());
  skein_label_text(nullptr, quotes.data(), quotes.size());
  skein_label_text(nullptr, "", 0);
  SKEIN_CHECK(skein_string(wide.c_str()) != 0, "string");
  skein_stop();
  const Trace trace = read_good_trace(directory);
  std::vector<std::string> seen;
  for (const Stream& stream : trace.streams)
    for (const Event& event : stream.events())
      if (event.is("label_text")) seen.push_back(event.text);
  SKEIN_CHECK(seen.size() == 6, "%zu", seen.size());
  for (size_t shift = 0; shift < 3 && shift < seen.size(); ++shift) {
    const std::string& text = seen[shift];
    SKEIN_CHECK(text.size() <= skein::format::kMaxText && text.size() > 500, "%zu", text.size());
    SKEIN_CHECK(text.ends_with(skein::format::kCutMark), "no mark");
    SKEIN_CHECK((text.size() - shift) % 3 == 0, "cut inside a character");
  }
  if (seen.size() == 6) SKEIN_CHECK(seen[4] == quotes, "%s", seen[4].c_str());
  SKEIN_CHECK(!have_babeltrace() || babeltrace_reads(directory), "babeltrace2");
}

}  // namespace

int main() {
  Scratch scratch("files");
  SKEIN_CHECK(good(in_child([&] { private_files(scratch / "private"); })), "private");
  SKEIN_CHECK(good(in_child([&] { taken_names(scratch); })), "taken names");
  SKEIN_CHECK(good(in_child([&] { nowhere_to_write(scratch / "nowhere"); })), "nowhere");
  SKEIN_CHECK(good(in_child([&] { truncated(scratch / "truncated", false); })), "truncated");
  SKEIN_CHECK(good(in_child([&] { truncated(scratch / "all-truncated", true); })),
              "the table and chunks truncated");
  SKEIN_CHECK(good(in_child([&] { truncated_when_new(scratch / "new", false); })), "new files");
  SKEIN_CHECK(good(in_child([&] { truncated_when_new(scratch / "new-log", true); })), "a new log");
  SKEIN_CHECK(good(in_child([&] { reused_descriptor(scratch / "reused", scratch / "own"); })),
              "a reused descriptor");
  SKEIN_CHECK(good(in_child([&] { truncated_names(scratch / "names"); })), "truncated names");
  SKEIN_CHECK(good(in_child([&] {
                truncated_when_replaced(scratch / "replaced", [] { make_calls(2000); });
              })),
              "chunks of a replaced trace");
  SKEIN_CHECK(
      good(in_child([&] { truncated_when_replaced(scratch / "replaced-tasks", create_tasks); })),
      "the task table of a replaced trace");
  SKEIN_CHECK(
      good(in_child([&] { truncated_when_replaced(scratch / "replaced-names", define_strings); })),
      "the names of a replaced trace");
  SKEIN_CHECK(good(in_child([&] { shortened_ring(scratch / "short"); })), "a shortened ring");
  SKEIN_CHECK(good(in_child([&] { no_growth(scratch / "no-growth"); })), "no growth");
  for (const uint64_t refused : {300, 600, 900, 1200})
    SKEIN_CHECK(
        good(in_child([&] { late_file(scratch / ("late-" + std::to_string(refused)), refused); })),
        "a late file, after %d calls", static_cast<int>(refused));
  SKEIN_CHECK(good(in_child([&] { log_without_directory(scratch / "log"); })),
              "a log without its directory");
  SKEIN_CHECK(good(in_child([&] { whole_ring(scratch / "whole"); })), "a whole ring");
  SKEIN_CHECK(good(in_child([&] { start_again(scratch / "again"); })), "start again");
  SKEIN_CHECK(good(in_child([&] { texts(scratch / "texts"); })), "texts");
  SKEIN_CHECK(good(in_child([&] { full_disk(scratch / "disk"); })), "full disk");
  return verdict();
}
