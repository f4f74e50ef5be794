#include "cli/check/explain_hang.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
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

std::string process_title(pid_t pid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name);
  return "Process " + std::to_string(pid) + (name.empty() ? "" : " (" + escaped(name) + ")");
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

void explain_stacks(pid_t pid, SourcePlace& place) {
  const Result<std::vector<ThreadStack>> stacks = read_thread_stacks(static_cast<uint64_t>(pid));
  if (!stacks) {
    print("\nNo call stacks: " + escaped(stacks.error().message()) + ".\n");
    return;
  }
  print("\nCall stacks:\n\n" + thread_stacks_text(*stacks));
  if (place.line == 0) place = place_of(*stacks);
}

void keep_memory(CoreSnapshot& snapshot, const Unprepared& read, const std::string& path) {
  if (snapshot.write_file(read, path))
    print("\nKept for skein ps, why and html: " + escaped(path) + "\n");
  else
    print("\nNot kept: " + escaped(path) + ": " + strerror(errno) + "\n");
}

// `core`: where its memory is kept; empty: it is not.
SourcePlace explain_process(pid_t pid, const std::string& core) {
  SourcePlace place;
  const bool is_recorded = records(pid);
  if (is_recorded) explain_recorded(pid);
  CoreSnapshot snapshot;
  constexpr uint64_t most_bytes = uint64_t{8} << 30;  // some seconds
  Result<ReadTarget> all = read_process(static_cast<uint64_t>(pid),
                                        {.pause = true,
                                         .must_pause = false,
                                         .variables = !core.empty(),
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
  explain_stacks(pid, place);
  if (all && !core.empty()) keep_memory(snapshot, all->read, core);
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

#endif

// A process with nothing to explain: a shell that waits for its child.
bool only_waits_for_child(pid_t pid) {
  std::string channel;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/wchan"), channel);
  return channel == "do_wait";
}

}  // namespace

SourcePlace explain_hang(pid_t test, const std::string& trace, const std::string& file,
                         bool keeps_memory) {
  constexpr size_t most = 8;
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
  if (out < 0 || dup2(out, 1) != 1 || dup2(out, 2) != 2) return {};
  const ProcessSleep sleep = read_sleep(std::to_string(test));
  std::vector<pid_t> all = descendants_of(getpid());
  std::erase(all, test);
  all.insert(all.begin(), test);
  if (all.size() > 1) std::erase_if(all, only_waits_for_child);
  const std::string folder = trace.substr(0, trace.rfind('/') + 1);
  SourcePlace found;
  for (size_t i = 0; i < std::min(all.size(), most); i++) {
    if (i != 0) print("\n");
    if (all.size() > 1) print(process_title(all[i]) + ":\n\n");
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

}  // namespace skein::cli
