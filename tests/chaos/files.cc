// Scenarios that move, damage or hide the files of their own trace, or close its descriptors. The
// program does not know that it is recorded: without a trace, they do the same to nothing.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/chaos/scenario.h"

namespace skein::chaos {
namespace {

namespace fs = std::filesystem;

void moved() {
  const BusyThreads busy(2);
  const std::string here = trace_directory(), there = folder() + "/other";
  record(1000);
  for (int i = 0; i < 200; ++i) {
    rename(here.c_str(), there.c_str());
    record(500);
    rename(there.c_str(), here.c_str());
    record(500);
  }
  std::thread(record, 1000).join();
  print("moved\n");
}
const Scenario registered_moved("moved", moved);

void removed() {
  const BusyThreads busy(2);
  record(1000);
  std::error_code ignored;
  for (int i = 0; i < 10; ++i) {
    fs::remove_all(trace_directory(), ignored);
    record(20'000);
  }
  std::thread(record, 1000).join();
  print("%d\n", fs::exists(trace_directory()));
}
const Scenario registered_removed("removed", removed);

void each_file(void (*change)(const char*)) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(trace_directory(), ignored))
    change(entry.path().c_str());
}

// Every page behind the recorder's stores is gone: SIGBUS.
void truncated() {
  const BusyThreads busy(2);
  for (int i = 0; i < 20; ++i) {
    record(2000);
    each_file([](const char* path) { static_cast<void>(!truncate(path, 0)); });
  }
  record(2000);
  std::thread(record, 1000).join();
  print("truncated\n");
}
const Scenario registered_truncated("truncated", truncated);

// The directory and the files may not be used by another user, which the program becomes.
void forbidden() {
  const BusyThreads busy(2);
  record(1000);
  each_file([](const char* path) { static_cast<void>(!chmod(path, 0)); });
  static_cast<void>(!chmod(trace_directory().c_str(), 0));
  become_nobody();
  record(100'000);
  std::thread(record, 1000).join();
  print("forbidden\n");
}
const Scenario registered_forbidden("forbidden", forbidden);

// The program closes all descriptors and opens files of its own, which get the same numbers.
void closed_descriptors() {
  const BusyThreads busy(2);
  const std::string path = folder() + "/own";
  bool good = true;
  for (int i = 0; i < 20; ++i) {
    record(1000);
    closefrom(3);
    const int own = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    std::vector<int> copies;
    while (copies.size() < 1020) {
      const int copy = dup(own);
      if (copy < 0) break;
      copies.push_back(copy);
    }
    record(20'000);
    for (const int copy : copies) good = write(copy, "x", 1) == 1 && close(copy) == 0 && good;
    good = good && fs::file_size(path) == copies.size();
    close(own);
    print("%zu %d\n", copies.size(), good);
  }
}
const Scenario registered_closed("closed-descriptors", closed_descriptors);

// A thread has a table of descriptors of its own, closes all in it, and gets the lowest numbers.
void unshared_descriptors() {
  const BusyThreads busy(2);
  record(1000);
  int opened = 0;
  std::thread([&] {
    if (unshare(CLONE_FILES) != 0) not_permitted();
    for (int i = 0; i < 10; ++i) {
      closefrom(3);
      record(20'000);
      const int own = open("/dev/null", O_RDONLY | O_CLOEXEC);
      opened += own;
      record(1000);
      close(own);
    }
  }).join();
  record(60'000);
  print("%d\n", opened);
}
const Scenario registered_unshared("unshared-descriptors", unshared_descriptors);

// The file system of the trace is unmounted, and another one hides the folder.
void unmounted() {
  if (unshare(CLONE_NEWNS) != 0) not_permitted();
  const BusyThreads busy(2);
  record(1000);
  if (umount2(folder().c_str(), MNT_DETACH) != 0) not_permitted();
  record(60'000);
  if (mount("chaos", folder().c_str(), "tmpfs", 0, "size=64k") != 0) not_permitted();
  record(60'000);
  std::thread(record, 1000).join();
  print("%d\n", fs::is_empty(folder()));
}
const Scenario registered_unmounted("unmounted", unmounted);

// The program changes its working directory and its umask.
void other_directory() {
  const BusyThreads busy(2);
  umask(0777);
  record(1000);
  if (chdir("/proc/self/task") != 0) not_permitted();
  record(60'000);
  std::thread(record, 1000).join();
  print("elsewhere\n");
}
const Scenario registered_directory("other-directory", other_directory);

}  // namespace
}  // namespace skein::chaos
