#include "cli/check/explain_hang.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
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

SourcePlace explain_process(pid_t pid) {
  SourcePlace place;
  const bool is_recorded = records(pid);
  if (is_recorded) explain_recorded(pid);
  if (const Result<Unprepared> read = read_process(static_cast<uint64_t>(pid), {})) {
    const std::vector<JudgedChain> chains = judge_chains(*read);
    if (!is_recorded) print(coroutine_why_text(*read, chains, text_columns()));
    place = place_of(*read, chains);
  } else if (!is_recorded) {
    print("No coroutines: " + escaped(read.error().message()) + ".\n");
  }
  const Result<std::vector<ThreadStack>> stacks = read_thread_stacks(static_cast<uint64_t>(pid));
  if (!stacks) {
    print("\nNo call stacks: " + escaped(stacks.error().message()) + ".\n");
    return place;
  }
  print("\nCall stacks:\n\n" + thread_stacks_text(*stacks));
  return place.line != 0 ? place : place_of(*stacks);
}

#else

SourcePlace explain_process(pid_t pid) {
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

SourcePlace explain_hang(pid_t test, const std::string& trace, const std::string& file) {
  constexpr size_t most = 8;
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
  if (out < 0 || dup2(out, 1) != 1 || dup2(out, 2) != 2) return {};
  const ProcessSleep sleep = read_sleep(std::to_string(test));
  std::vector<pid_t> all = descendants_of(getpid());
  std::erase(all, test);
  all.insert(all.begin(), test);
  if (all.size() > 1) std::erase_if(all, only_waits_for_child);
  SourcePlace found;
  for (size_t i = 0; i < std::min(all.size(), most); i++) {
    if (i != 0) print("\n");
    if (all.size() > 1) print(process_title(all[i]) + ":\n\n");
    SourcePlace place;
    run_reporting(
        [&] {
          place = explain_process(all[i]);
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
