#include "cli/check/explain_hang.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "cli/check/process_tree.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/process_sleep.h"
#include "cli/input/running.h"
#include "cli/input/trace_end.h"
#include "cli/output/terminal.h"
#include "cli/utc_now.h"

#ifdef SKEIN_HAS_SYMBOLS
#include "cli/input/core_input.h"
#include "cli/input/thread_stacks.h"
#include "cli/input/unprepared.h"
#include "cli/output/core_snapshot.h"
#include "cli/output/coroutine_chain.h"
#include "cli/output/coroutine_why.h"
#include "cli/output/thread_stacks_text.h"
#endif

namespace skein::cli {

namespace {

void print(const std::string& text) {
  fputs(text.c_str(), stdout);
  fflush(stdout);
}

std::string process_name(pid_t pid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name);
  return name;
}

// Of the test, or one of its descendants.
std::string process_title(pid_t pid, pid_t test) {
  const std::string name = process_name(pid);
  const std::string title =
      "Process " + std::to_string(pid) + (name.empty() ? "" : " (" + escaped(name) + ")");
  if (pid == test) return title + ", the test";
  const pid_t parent = parent_of(pid);
  return title + (parent == getpid() ? ", whose parent has ended"
                                     : ", a child of process " + std::to_string(parent));
}

bool records(pid_t pid) {
  std::error_code error;
  return !process_without_trace(std::to_string(pid)) &&
         access(("/proc/" + std::to_string(pid)).c_str(), F_OK) == 0;
}

void explain_recorded(pid_t pid) {
  run_reporting([&] { return run_why({.trace = std::to_string(pid), .task = {}, .json = false}); },
                std::cerr);
  std::cerr.flush();
}

#ifdef SKEIN_HAS_SYMBOLS

constexpr uint64_t most_bytes = uint64_t{8} << 30;  // some seconds

bool is_of_library(std::string_view file) { return file.empty() || file.starts_with("/usr/"); }

// Of the chain that is most likely wrong, the innermost coroutine with a line.
SourcePlace place_of(const Unprepared& of, const std::vector<JudgedChain>& chains) {
  const JudgedChain* worst = nullptr;
  for (const JudgedChain& one : chains)
    if (!is_usual(one.verdict) && (worst == nullptr || one.verdict < worst->verdict)) worst = &one;
  if (worst == nullptr) return {};
  for (auto step = worst->chain.steps.rbegin(); step != worst->chain.steps.rend(); ++step) {
    const auto& place = of.found.places[of.found.coroutines[*step].place];
    if (place.line != 0 && !is_of_library(place.file))
      return {.file = place.file, .line = place.line};
  }
  return {};
}

// Of the first thread that is in a function of the program, the innermost one.
SourcePlace place_of(const std::vector<ThreadStack>& stacks) {
  for (const ThreadStack& stack : stacks)
    for (const StackCall& call : stack.calls)
      if (call.is_program && call.line != 0 && !is_of_library(call.file))
        return {.file = call.file, .line = call.line};
  return {};
}

// Of the thread that crashed, the same.
SourcePlace place_of_crash(const std::vector<ThreadStack>& stacks) {
  return stacks.empty() ? SourcePlace{} : place_of({stacks.front()});
}

void keep_memory(CoreSnapshot& snapshot, const Unprepared& read, const std::string& path) {
  if (snapshot.write_file(read, path))
    print("\nKept for skein ps, why and html: " + escaped(path) + "\n");
  else
    print("\nNot kept: " + escaped(path) + ": " + strerror(errno) + "\n");
}

// Prints the stacks, that of the thread that has received the signal first. That the others were
// stopped to be read is nothing that they did.
SourcePlace explain_crash_stacks(std::vector<ThreadStack> stacks, uint64_t thread, int signal) {
  for (ThreadStack& stack : stacks) {
    stack.state = TargetThread::State::Unknown;
    if (stack.id == thread) stack.ending_signal = signal;
  }
  std::stable_sort(stacks.begin(), stacks.end(), [](const ThreadStack& a, const ThreadStack& b) {
    return a.ending_signal > b.ending_signal;
  });
  print("Call stacks:\n\n" + thread_stacks_text(stacks) + missing_lines_text(stacks));
  return place_of_crash(stacks);
}

// And what was suspended. Most programs have no coroutines.
void explain_crash_coroutines(ReadTarget& all, bool is_recorded, CoreSnapshot& snapshot,
                              const std::string& memory) {
  all.read.paused = 0;
  for (TargetThread& thread : all.read.around.threads) thread.state = TargetThread::State::Unknown;
  if (!is_recorded)
    print("\n" + coroutine_why_text(all.read, judge_chains(all.read), text_columns()));
  if (!memory.empty()) keep_memory(snapshot, all.read, memory);
}

// `read`: those that were read with the coroutines; nothing: there are none.
void explain_stacks(pid_t pid, std::optional<std::vector<ThreadStack>> read, SourcePlace& place) {
  if (!read) {
    Result<std::vector<ThreadStack>> stacks = read_thread_stacks(static_cast<uint64_t>(pid));
    if (!stacks) {
      print("\nNo call stacks: " + escaped(stacks.error().message()) + ".\n");
      return;
    }
    read = *std::move(stacks);
  }
  print(call_stacks_text(read) + missing_lines_text(*read));
  if (place.line == 0) place = place_of(*read);
}

// `core`: where its memory is kept; empty: it is not.
SourcePlace explain_process(pid_t pid, const std::string& core) {
  SourcePlace place;
  const bool is_recorded = records(pid);
  if (is_recorded) explain_recorded(pid);
  CoreSnapshot snapshot;
  Result<ReadTarget> all =
      read_process(static_cast<uint64_t>(pid),
                   {.pause = true,
                    .must_pause = false,
                    .variables = !core.empty(),
                    .stacks = true,
                    .accepts_none = true,  // its threads may wait for each other
                    .most_bytes = most_bytes},
                   core.empty() ? OnMemory() : snapshot.copier());
  if (all) {
    all->read.paused = 0;  // it hangs anyway
    const std::vector<JudgedChain> chains = judge_chains(all->read);
    if (!is_recorded) print(coroutine_why_text(all->read, chains, text_columns()));
    place = place_of(all->read, chains);
  } else if (!is_recorded) {
    print("No coroutines: " + escaped(all.error().message()) + ".\n");
  }
  explain_stacks(pid, all ? std::move(all->read.stacks) : std::nullopt, place);
  if (all && !core.empty() && !all->read.found.functions.empty())
    keep_memory(snapshot, all->read, core);
  return place;
}

SourcePlace explain_crashing_process(const Crashing& crash, const std::string& core) {
  SourcePlace place;
  const auto pid = static_cast<uint64_t>(crash.process);
  Result<std::vector<ThreadStack>> stacks = read_thread_stacks(pid);
  if (stacks)
    place = explain_crash_stacks(*std::move(stacks), static_cast<uint64_t>(crash.thread),
                                 crash.signal);
  else
    print("No call stacks: " + escaped(stacks.error().message()) + ".\n");
  CoreSnapshot snapshot;
  Result<ReadTarget> all = read_process(pid,
                                        {.pause = true,
                                         .must_pause = false,
                                         .variables = !core.empty(),
                                         .most_bytes = most_bytes},
                                        core.empty() ? OnMemory() : snapshot.copier());
  if (all) explain_crash_coroutines(*all, records(crash.process), snapshot, core);
  return place;
}

SourcePlace explain_kernel_core(const std::string& path, bool is_recorded,
                                const std::string& memory) {
  SourcePlace place;
  const std::optional<CoreInput> input = open_core(path);
  if (!input) return {};
  const std::vector<TargetThread> threads = input->core->threads();
  place = explain_crash_stacks(read_thread_stacks(*input->core),
                               threads.empty() ? 0 : threads.front().id,
                               static_cast<int>(input->core->signal()));
  print("\nCore: " + escaped(path) + "\n");
  CoreSnapshot snapshot;
  try {
    ReadTarget all = read_any(path, {.variables = !memory.empty(), .most_bytes = most_bytes},
                              memory.empty() ? OnMemory() : snapshot.copier());
    explain_crash_coroutines(all, is_recorded, snapshot, memory);
  } catch (const CommandError&) {  // it has no coroutines
  }
  return place;
}

#else

SourcePlace explain_process(pid_t pid, const std::string&) {
  if (records(pid))
    explain_recorded(pid);
  else
    print(
        "It does not record, and this skein was built without elfutils: it cannot read the "
        "coroutines in its memory.\n");
  return {};
}

SourcePlace explain_crashing_process(const Crashing&, const std::string&) {
  print("This skein was built without elfutils: it cannot read call stacks.\n");
  return {};
}

SourcePlace explain_kernel_core(const std::string& path, bool, const std::string&) {
  print("Core: " + escaped(path) + "\n");
  return {};
}

#endif

// Standard output and error are the report from then on.
bool write_to(const std::string& file, int flags) {
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | flags, 0600);
  return out >= 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2;
}

std::string folder_of(const std::string& trace) { return trace.substr(0, trace.rfind('/') + 1); }

bool has_name(pid_t pid, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), process_name(pid)) != names.end();
}

// A process with nothing to explain: a shell that waits for its child.
bool is_waiting_shell(pid_t pid) {
  std::string channel;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/wchan"), channel);
  return channel == "do_wait" && has_name(pid, {"sh", "dash", "bash", "ash", "busybox", "ksh",
                                                "mksh", "zsh", "fish", "make"});
}

// Programs that run tests, and wait for them in other ways: skein itself, its guards, CTest.
bool runs_tests(pid_t pid) {
  return has_name(pid, {"skein", "skein-guard", "ctest", "cmake", "ninja"});
}

// The test that such a program runs is what hangs.
bool only_runs_tests(pid_t pid) {
  if (!runs_tests(pid)) return false;
  const std::vector<pid_t> below = descendants_of(pid);
  return std::any_of(below.begin(), below.end(),
                     [](pid_t one) { return !runs_tests(one) && !is_waiting_shell(one); });
}

}  // namespace

SourcePlace explain_hang(pid_t test, const std::string& trace, const std::string& file,
                         bool keeps_memory) {
  constexpr size_t most = 8;
  if (!write_to(file, O_TRUNC)) return {};
  const ProcessSleep sleep = read_sleep(std::to_string(test));
  std::vector<pid_t> all = descendants_of(getpid());
  std::erase(all, test);
  all.insert(all.begin(), test);
  if (all.size() > 1) std::erase_if(all, only_runs_tests);
  if (all.size() > 1) std::erase_if(all, is_waiting_shell);
  const std::string folder = folder_of(trace);
  SourcePlace found;
  for (size_t i = 0; i < std::min(all.size(), most); i++) {
    if (i != 0) print("\n");
    if (all.size() > 1) print(process_title(all[i], test) + ":\n\n");
    SourcePlace place;
    run_reporting(
        [&] {
          const std::string number = i == 0 ? "" : "-" + std::to_string(i + 1);
          place = explain_process(all[i], keeps_memory ? folder + "memory" + number + ".core" : "");
          return 0;
        },
        std::cerr);
    std::cerr.flush();
    if (found.line == 0) found = place;
  }
  if (all.size() > most)
    print("\nThe test has " + counted(all.size() - most, "other process", "other processes") +
          ".\n");
  const int64_t now = utc_now();
  note_trace_end(trace, test, now,
                 {.in_loop = sleep.in_loop ? now : 0, .for_good = sleep.for_good ? now : 0});
  return found;
}

SourcePlace explain_crashing(const Crashing& crash) {
  if (!write_to(crash.report, O_TRUNC)) return {};
  SourcePlace place;
  run_reporting(
      [&] {
        place = explain_crashing_process(
            crash, crash.keeps_memory ? folder_of(crash.trace) + "memory.core" : "");
        return 0;
      },
      std::cerr);
  std::cerr.flush();
  return place;
}

SourcePlace explain_core(const std::string& core, const std::string& memory,
                         const std::string& trace, const std::string& file) {
  if (!write_to(file, 0)) return {};
  SourcePlace place;
  run_reporting(
      [&] {
        place = explain_kernel_core(core, access(trace.c_str(), F_OK) == 0, memory);
        return 0;
      },
      std::cerr);
  std::cerr.flush();
  return place;
}

void explain_crashed(pid_t process, const std::string& trace, const std::string& file) {
  struct stat before = {};
  if (access(trace.c_str(), F_OK) != 0 || !write_to(file, 0)) return;
  if (fstat(1, &before) == 0 && before.st_size != 0) print("\n");
  note_trace_end(trace, process, utc_now(), {});
  run_reporting([&] { return run_why({.trace = trace, .task = {}, .json = false}); }, std::cerr);
  std::cerr.flush();
}

void report_uncaught(const std::string& file, int error) {
  if (write_to(file, 0))
    print(std::string("No call stacks: it could not be traced: ") + strerror(error) + ".\n");
}

}  // namespace skein::cli
