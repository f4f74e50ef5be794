#include "cli/input/thread_state.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/escape.h"
#include "cli/input/proc_file.h"
#include "cli/input/running.h"

namespace skein::cli {

char state_letter(std::string_view stat) {
  const size_t end = stat.rfind(") ");
  return end == std::string_view::npos || end + 2 >= stat.size() ? '?' : stat[end + 2];
}

std::string describe_thread(char state, std::string_view wait_channel) {
  if (state == 'R') return "is on a CPU or waits for one: it computes";
  if (state == 'T' || state == 't') return "is stopped by a signal or a debugger";
  if (state != 'S' && state != 'D') return "";
  if (wait_channel == "0") wait_channel = {};
  const auto has = [&](std::string_view part) {
    return wait_channel.find(part) != std::string_view::npos;
  };
  std::string text = state == 'D'          ? "waits for the disk or a device"
                     : has("futex")        ? "waits for a lock, a condition variable or a future"
                     : has("nanosleep")    ? "sleeps"
                     : has("poll")         ? "waits for a descriptor"
                     : has("select")       ? "waits for a descriptor"
                     : has("pipe_")        ? "waits for a pipe"
                     : has("do_wait")      ? "waits for a child process"
                     : has("sigtimedwait") ? "waits for a signal"
                     : has("sigsuspend")   ? "waits for a signal"
                                           : "is blocked in a system call";
  if (!wait_channel.empty()) text += " (" + escaped(wait_channel) + ')';
  return text;
}

std::string thread_folder(const std::string& pid, uint64_t tid) {
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + pid + "/task", error))
    if (const auto numbers = namespace_numbers(thread.path());
        !numbers.empty() && numbers.back() == tid)
      return thread.path();
  return "";
}

std::string thread_state(const std::string& pid, uint64_t tid) {
  const std::string thread = thread_folder(pid, tid);
  if (thread.empty()) return "";
  return describe_thread(state_letter(first_line(thread + "/stat")), first_line(thread + "/wchan"));
}

void add_cpu_times(const std::string& pid, uint64_t time, Trace& trace) {
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + pid + "/task", error)) {
    const auto numbers = namespace_numbers(thread.path());
    if (numbers.empty()) continue;
    // The newest thread of this number.
    const auto executor = std::find_if(trace.executors.rbegin(), trace.executors.rend(),
                                       [&](const Executor& e) { return e.tid == numbers.back(); });
    CpuTimeReading now{.time = time};
    std::ifstream schedule(thread.path() / "schedstat");
    if (executor == trace.executors.rend() || !(schedule >> now.cpu)) continue;
    now.executor = static_cast<uint32_t>(trace.executors.rend() - executor - 1);
    const auto count = [&](std::string_view name, uint32_t& to) {
      each_value(thread.path() / "status", name, [&](const std::string& value) {
        to = static_cast<uint32_t>(strtoul(value.c_str(), nullptr, 10));
      });
    };
    count("voluntary_ctxt_switches:", now.blocked);
    count("nonvoluntary_ctxt_switches:", now.preempted);
    trace.cpu_times.push_back(now);
  }
}

}  // namespace skein::cli
