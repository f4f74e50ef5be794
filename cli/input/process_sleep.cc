#include "cli/input/process_sleep.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "cli/input/proc_file.h"
#include "cli/input/thread_state.h"

namespace skein::cli {

namespace {

namespace fs = std::filesystem;

// The threads that the kernel runs for the program: without those that have ended, and those of the
// recorder.
std::vector<fs::path> threads_of(const fs::path& process) {
  std::vector<fs::path> threads;
  std::error_code error;
  for (const auto& thread : fs::directory_iterator(process / "task", error)) {
    const std::string name = first_line(thread.path() / "comm");
    bool has_ended = false;
    each_value(thread.path() / "status", "State:", [&](const std::string& state) {
      has_ended = state.find('Z') != std::string::npos;
    });
    if (!has_ended && name != "skein-control" && name != "skein-end")
      threads.push_back(thread.path());
  }
  return threads;
}

uint64_t switches_of(const std::vector<fs::path>& threads) {
  uint64_t sum = threads.size();
  for (const fs::path& thread : threads)
    for (const char* key : {"voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"})
      each_value(thread / "status", key,
                 [&](const std::string& rest) { sum += strtoull(rest.c_str(), nullptr, 10); });
  return sum;
}

// Whether the address is in memory that no other process shares.
bool is_private(const fs::path& process, uint64_t address) {
  std::ifstream maps(process / "maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char sharing = 0;
    if (sscanf(line.c_str(), "%lx-%lx %*3c%c", &begin, &end, &sharing) == 3 && address >= begin &&
        address < end)
      return sharing == 'p';
  }
  return false;
}

// Whether all that the epoll instance watches are eventfds, and timers that are not set.
bool watches_only_itself(const fs::path& process, uint64_t epoll) {
  std::error_code error;
  const auto file_of = [&](uint64_t number) {
    return fs::read_symlink(process / "fd" / std::to_string(number), error).string();
  };
  if (file_of(epoll) != "anon_inode:[eventpoll]") return false;
  bool result = true;
  each_value(process / "fdinfo" / std::to_string(epoll), "tfd:", [&](const std::string& rest) {
    const uint64_t number = strtoull(rest.c_str(), nullptr, 10);
    const std::string file = file_of(number);
    if (file == "anon_inode:[eventfd]") return;
    bool is_set = true;
    if (file == "anon_inode:[timerfd]")
      each_value(process / "fdinfo" / std::to_string(number),
                 "it_value:", [&](const std::string& value) { is_set = value != " (0, 0)"; });
    result &= !is_set;
  });
  return result;
}

bool has_quiet_signals(const fs::path& process) {
  bool result = false;
  each_value(process / "status", "SigCgt:", [&](const std::string& mask) {
    result = catches_only_faults(strtoull(mask.c_str(), nullptr, 16));
  });
  return result;
}

// The numbers of the eventfds that a process has open (proc_pid_fdinfo(5)).
std::set<std::string> eventfds_of(const fs::path& process) {
  std::set<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(process / "fdinfo", error)) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("eventfd-id:")) found.insert(line);
  }
  return found;
}

// Whether a child or the parent has one of its eventfds, and may write to it.
bool shares_eventfds(const fs::path& process, const std::vector<fs::path>& threads) {
  std::vector<std::string> others;
  for (const fs::path& thread : threads) {
    std::istringstream children(first_line(thread / "children"));
    for (std::string child; children >> child;) others.push_back(child);
  }
  std::ifstream status(process / "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("PPid:")) others.push_back(line.substr(line.find_last_of("\t ") + 1));
  const std::set<std::string> own = eventfds_of(process);
  for (const std::string& other : others)
    for (const std::string& id : eventfds_of("/proc/" + other))
      if (own.contains(id)) return true;
  return false;
}

}  // namespace

SystemCall parse_system_call(std::string_view line) {
  std::istringstream words{std::string(line)};
  SystemCall call;
  if (!(words >> call.number)) return {};  // "running"
  for (uint64_t& argument : call.arguments) {
    std::string word;
    if (!(words >> word)) return {};
    argument = strtoull(word.c_str(), nullptr, 16);
  }
  return call;
}

bool waits_in_futex(const SystemCall& call) {
  constexpr size_t timeout = 3;  // of its arguments
  if (call.number != SYS_futex || call.arguments[timeout] != 0) return false;
  const int operation = static_cast<int>(call.arguments[1]) & FUTEX_CMD_MASK;
  return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET || operation == FUTEX_LOCK_PI;
}

int32_t poll_timeout(const SystemCall& call) {
  if (call.number == SYS_epoll_pwait) return static_cast<int32_t>(call.arguments[3]);
#ifdef SYS_epoll_wait  // not on every architecture
  if (call.number == SYS_epoll_wait) return static_cast<int32_t>(call.arguments[3]);
  if (call.number == SYS_poll) return static_cast<int32_t>(call.arguments[2]);
#endif
  return 0;
}

bool catches_only_faults(uint64_t caught) {
  constexpr int harmless[] = {SIGILL,  SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
                              SIGSEGV, SIGPIPE, SIGSYS,  32,     33};
  for (const int signal : harmless) caught &= ~(uint64_t{1} << (signal - 1));
  return caught == 0;
}

bool is_stopped(std::string_view stat) {
  const char state = state_letter(stat);
  return state == 'T' || state == 't';
}

ProcessSleep read_sleep(const std::string& pid) {
  const fs::path process = "/proc/" + pid;
  const std::vector<fs::path> threads = threads_of(process);
  ProcessSleep sleep{.switches = switches_of(threads)};
  size_t loops = 0;
  size_t patient_loops = 0;  // those that nothing but a thread can end
  std::vector<uint64_t> futexes;
  for (const fs::path& thread : threads) {
    if (is_stopped(first_line(thread / "stat"))) return sleep;
    const std::string line = first_line(thread / "syscall");
    const SystemCall call = parse_system_call(line);
    if (waits_in_futex(call)) {
      futexes.push_back(call.arguments[0]);
    } else if (poll_timeout(call) < 0) {
      loops++;
      if (watches_only_itself(process, call.arguments[0])) patient_loops++;
    } else if (line.empty() && first_line(thread / "wchan").find("poll") != std::string::npos) {
      loops++;  // its timeout is unknown
    } else {
      return sleep;
    }
  }
  const auto is_ours = [&](uint64_t address) { return is_private(process, address); };
  if (threads.empty() || !std::all_of(futexes.begin(), futexes.end(), is_ours) ||
      switches_of(threads_of(process)) != sleep.switches)
    return sleep;
  sleep.in_loop = loops == 1;
  sleep.for_good =
      patient_loops == loops && has_quiet_signals(process) && !shares_eventfds(process, threads);
  return sleep;
}

ProcessSleep sleep_since(const ProcessSleep& before, const std::string& pid) {
  ProcessSleep sleep = read_sleep(pid);
  const bool none_ran = sleep.switches == before.switches;
  sleep.in_loop &= before.in_loop && none_ran;
  sleep.for_good &= before.for_good && none_ran;
  return sleep;
}

}  // namespace skein::cli
