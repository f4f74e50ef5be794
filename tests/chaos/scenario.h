// The scenarios: each does something to its own process that a recorder may not notice or survive,
// and records at the same time. What it prints and how it ends depends neither on the recorder nor
// on timing.
//
// A scenario is registered by an object in an unnamed namespace:
//
//   const Scenario registered("fork-storm", fork_storm);
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace skein::chaos {

struct Scenario {
  Scenario(const char* its_name, void (*its_body)());
  const char* name;
  void (*body)();
};
const std::vector<Scenario>& scenarios();

// Records counter events, among them tasks, texts and names. Safe in signal handlers. Each event is
// counted in a page that all processes of a scenario share, before and after it is recorded.
void record(unsigned events);
// The same in a process that is not recorded, even with follow=fork: it is not counted.
void record_uncounted(unsigned events);

// Where the trace is, if there is one; and the folder that contains it, on a file system of 64 MiB
// that the scenario may fill or unmount.
std::string trace_directory();
std::string folder();

// Waits for the end of a child, also if signals arrive. Returns its wait status. May be called in a
// signal handler.
int wait_for(pid_t child);
// Runs `body` in a child process and returns its wait status.
int in_child(const std::function<void()>& body);
// Prints how a child ended.
void print_status(const char* what, int status);
void print(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Threads that record until the object ends.
class BusyThreads {
 public:
  explicit BusyThreads(unsigned count);
  ~BusyThreads();
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

 private:
  struct Work;
  Work* work_;
};

// Gives up the rights of root; does nothing without them.
void become_nobody();
// Ends a scenario that this machine does not permit.
[[noreturn]] void not_permitted();

}  // namespace skein::chaos
