#include "cli/output/thread_lines.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "cli/input/thread_state.h"
#include "cli/output/awaited_text.h"

namespace skein::cli {

RunningCoroutines running_coroutines(const SuspendedCoroutines& found) {
  RunningCoroutines running;
  for (const SuspendedCoroutine& one : found.coroutines) {
    if (one.thread == 0) continue;
    const SuspendedCoroutines::Function& function = found.functions[one.function];
    if (function.is_internal || !function.operation.empty()) continue;
    const SuspendedCoroutines::Place& place = found.places[one.place];
    const std::string line = place.is_running ? line_text(place) : "";
    running[one.thread] = escaped(function.name) + (line.empty() ? "" : " (" + line + ')');
  }
  return running;
}

std::string thread_text(const Unprepared& of, const TargetThread& thread) {
  const MutexWait* wait = mutex_wait_of(of.around.mutex_waits, thread.id);
  if (wait == nullptr)
    return describe_thread(static_cast<char>(thread.state), thread.wait_channel);
  std::string text = "waits for a mutex that ";
  text += wait->holder == wait->thread ? "it holds itself"
                                       : "thread " + std::to_string(wait->holder) + " holds";
  if (wait->has_limit) text += ", with a time limit";
  return thread.wait_channel.empty() ? text : text + " (" + thread.wait_channel + ')';
}

std::string deadlock_text(const Unprepared& of, uint64_t thread) {
  const std::vector<uint64_t> cycle = mutex_cycle_of(of.around.mutex_waits, thread);
  if (cycle.empty()) return "";
  if (cycle.size() == 1)
    return "Thread " + std::to_string(thread) + " waits for a mutex that it holds: a deadlock.";
  if (cycle.size() == 2)
    return "Threads " + std::to_string(std::min(cycle[0], cycle[1])) + " and " +
           std::to_string(std::max(cycle[0], cycle[1])) +
           " wait for each other's mutexes: a deadlock.";
  std::string text = "Threads";
  for (size_t i = 0; i < cycle.size(); i++)
    text += (i == 0 ? " " : i + 1 == cycle.size() ? " and " : ", ") + std::to_string(cycle[i]);
  return text + " wait for mutexes, each for one that the next thread holds, the last one for one "
                "that the first holds: a deadlock.";
}

void append_threads(std::string& out, const Unprepared& of, const RunningCoroutines& running,
                    size_t columns) {
  using Line = std::vector<std::string>;  // without the number
  constexpr size_t most_similar = 4;
  std::map<Line, size_t> counts;
  std::vector<std::pair<uint64_t, Line>> threads;
  for (const TargetThread& thread : of.around.threads) {
    const auto one = running.find(thread.id);
    Line line = {escaped(thread.name), thread_text(of, thread),
                 one == running.end() ? "" : "runs " + one->second};
    if (line[1].empty() && line[2].empty()) continue;
    counts[line]++;
    threads.emplace_back(thread.id, std::move(line));
  }
  if (threads.empty()) return;
  std::vector<Line> lines;
  for (const auto& [id, line] : threads) {
    size_t& count = counts[line];
    if (count == 0) continue;  // in an earlier line
    lines.push_back({count > most_similar ? counted(count, "thread") : std::to_string(id)});
    lines.back().insert(lines.back().end(), line.begin(), line.end());
    if (count > most_similar) count = 0;
  }
  out += "\nThreads:\n\n";
  append_columns(out, lines, "><<<", 2);
  std::set<std::string> deadlocks;
  for (const MutexWait& wait : of.around.mutex_waits) {
    std::vector<uint64_t> cycle = mutex_cycle_of(of.around.mutex_waits, wait.thread);
    if (cycle.empty()) continue;
    deadlocks.insert(deadlock_text(of, *std::min_element(cycle.begin(), cycle.end())));
  }
  for (const std::string& deadlock : deadlocks) {
    out += '\n';
    append_paragraph(out, deadlock, 0, columns);
  }
}

}  // namespace skein::cli
