#include "cli/output/thread_lines.h"

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
  return thread_text(of.around.mutex_waits.of(thread.id), static_cast<char>(thread.state),
                     thread.wait_channel);
}

std::string thread_text(const MutexWait* wait, char state, std::string_view wait_channel) {
  if (wait == nullptr) return describe_thread(state, wait_channel);
  std::string text = "waits for a mutex that ";
  text += wait->holder == wait->thread ? "it holds itself"
                                       : "thread " + std::to_string(wait->holder) + " holds";
  if (wait->has_limit) text += ", with a time limit";
  return wait_channel.empty() ? text : text + " (" + escaped(wait_channel) + ')';
}

namespace {

std::string cycle_text(const std::vector<uint64_t>& cycle) {
  constexpr size_t most = 16;
  if (cycle.size() == 1)
    return "Thread " + std::to_string(cycle[0]) + " waits for a mutex that it holds: a deadlock.";
  std::string text = "Threads";
  const size_t shown = cycle.size() > most ? most - 1 : cycle.size();
  for (size_t i = 0; i < shown; i++)
    text += (i == 0 ? " " : i + 1 == cycle.size() ? " and " : ", ") + std::to_string(cycle[i]);
  if (shown < cycle.size()) text += " and " + counted(cycle.size() - shown, "other");
  if (cycle.size() == 2) return text + " wait for each other's mutexes: a deadlock.";
  return text + " wait for mutexes, each for one that the next thread holds, the last one for one "
                "that the first holds: a deadlock.";
}

}  // namespace

std::string deadlock_text(const Unprepared& of, uint64_t thread) {
  const std::vector<uint64_t>* cycle = of.around.mutex_waits.cycle_of(thread);
  return cycle == nullptr ? "" : cycle_text(*cycle);
}

void append_threads(std::string& out, const Unprepared& of, const RunningCoroutines& running,
                    size_t columns) {
  using Line = std::vector<std::string>;  // without the number
  constexpr size_t most_similar = 4;
  std::map<Line, size_t> counts;  // not of those in a deadlock, which have lines of their own
  std::vector<std::pair<uint64_t, Line>> threads;
  const MutexWaits& waits = of.around.mutex_waits;
  for (const TargetThread& thread : of.around.threads) {
    const auto one = running.find(thread.id);
    Line line = {escaped(thread.name), thread_text(of, thread),
                 one == running.end() ? "" : "runs " + one->second};
    if (line[1].empty() && line[2].empty()) continue;
    if (waits.cycle_of(thread.id) == nullptr) counts[line]++;
    threads.emplace_back(thread.id, std::move(line));
  }
  if (threads.empty()) return;
  std::vector<Line> lines;
  for (const auto& [id, line] : threads) {
    size_t alone = 1;
    size_t& count = waits.cycle_of(id) == nullptr ? counts[line] : alone;
    if (count == 0) continue;  // in an earlier line
    lines.push_back({std::to_string(id)});
    if (count > most_similar)
      lines.back().front() += " and " + counted(std::exchange(count, 0) - 1, "other");
    lines.back().insert(lines.back().end(), line.begin(), line.end());
  }
  out += "\nThreads:\n\n";
  append_columns(out, lines, "><<<", 2);
  for (const std::vector<uint64_t>& cycle : waits.cycles()) {
    out += '\n';
    append_paragraph(out, cycle_text(cycle), 0, columns);
  }
}

}  // namespace skein::cli
