#include "cli/output/coroutine_why.h"

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "cli/input/thread_state.h"

namespace skein::cli {

namespace {

std::string thread_text(const TargetThread& thread) {
  const std::string state = describe_thread(static_cast<char>(thread.state), thread.wait_channel);
  return state.empty() ? "is in an unknown state" : state;
}

std::string explain_unknown(const Unprepared& of, const JudgedChain& one) {
  const SuspendedCoroutine& last = of.found.coroutines[one.chain.steps.back()];
  const SuspendedCoroutines::Place& place = of.found.places[last.place];
  if (last.awaited == SuspendedCoroutine::none && place.awaiter.empty() &&
      one.chain.operation.empty())
    return "What it waits for is unknown.";
  if (last.awaited != SuspendedCoroutine::none &&
      of.found.awaited[last.awaited].kind == WaitObject::Kind::WhenAll)
    return "It goes on when they have ended; each has its own line.";
  return "Another coroutine, a thread or an event must resume it; which one, its memory does not "
         "show.";
}

// Whether a thread runs, and is not stopped: which coroutine it runs is unknown.
bool has_unknown_stack(const Unprepared& of) {
  return std::any_of(of.around.threads.begin(), of.around.threads.end(),
                     [](const TargetThread& one) { return one.state == TargetThread::State::Running; });
}

// What is known of a chain that may be wrong.
std::string explain(const Unprepared& of, const JudgedChain& one) {
  const SuspendedCoroutine& last = of.found.coroutines[one.chain.steps.back()];
  switch (one.verdict) {
    case ChainVerdict::Deadlock:
      if (waits_for(of.found, one.chain.steps.back()) == one.chain.steps.back())
        return "It holds the lock that it waits for: a deadlock.";
      return "Each of these coroutines waits for the next, and the last one for the first of the "
             "cycle: a deadlock.";
    case ChainVerdict::BlocksThread: {
      const TargetThread* thread = thread_of(last, of.around);
      return "It runs on thread " + std::to_string(last.thread) + ", which " +
             (thread == nullptr ? "" : thread_text(*thread)) +
             ": no other coroutine can run there until this call returns.";
    }
    case ChainVerdict::NeverExpires:
      return "The timer never expires. If it is used as a condition, a coroutine must cancel it "
             "after this wait began; a cancel before that was lost.";
    case ChainVerdict::NoAnswer:
      return "This process made the connection, has sent on it, and has received nothing since.";
    case ChainVerdict::Unread:
      return "Bytes have arrived that it has not read: its handler is queued, or its "
             "thread is busy or blocked.";
    case ChainVerdict::NotReceived:
      return "The peer does not read, or not fast enough.";
    case ChainVerdict::Unreferenced:
      return "Nothing in its memory refers to this coroutine, so that nothing can resume it, unless "
             "the kernel has its address, or the program keeps it in another form.";
    case ChainVerdict::Unknown:
      return explain_unknown(of, one);
    case ChainVerdict::NotStarted:
      return has_unknown_stack(of)
                 ? "It was created, and nothing has started it, unless a thread runs it now: --stop "
                   "shows that."
                 : "It was created, and nothing has started it.";
    case ChainVerdict::Slow:
      return "The timer takes long: is its unit right?";
    case ChainVerdict::Runs:
      return "It runs: no other coroutine of its thread can run until it waits.";
    case ChainVerdict::Usual:
      break;
  }
  return "";
}

std::string pause_text(const Unprepared& of) {
  if (of.paused == 0) return "";
  return " It stood still for " + duration_text(static_cast<uint64_t>(of.paused)) + '.';
}

void add_threads(std::string& out, const Unprepared& of) {
  std::vector<std::vector<std::string>> lines;
  for (const TargetThread& thread : of.around.threads) {
    std::string runs;
    for (const SuspendedCoroutine& one : of.found.coroutines)
      if (one.thread == thread.id && one.thread != 0) {
        const SuspendedCoroutines::Function& function = of.found.functions[one.function];
        if (!function.is_internal && function.operation.empty())
          runs = "runs " + escaped(function.name);
      }
    const std::string state = describe_thread(static_cast<char>(thread.state), thread.wait_channel);
    if (!state.empty() || !runs.empty())
      lines.push_back({std::to_string(thread.id), escaped(thread.name), state, runs});
  }
  if (lines.empty()) return;
  out += "\nThreads:\n\n";
  append_columns(out, lines, "><<<", 2);
}

}  // namespace

std::string coroutine_why_text(const Unprepared& of, const std::vector<JudgedChain>& chains,
                               size_t columns) {
  std::string out;
  append_paragraph(out,
                   escaped(of.title) + ' ' + recording_text(of.trace, of.is_core) +
                       ". Its memory shows where its coroutines wait, but not since when, nor which "
                       "coroutine should wake it." +
                       pause_text(of),
                   0, columns);
  for (const std::string& warning : of.found.warnings)
    append_paragraph(out, "Note: " + escaped(warning) + ".", 0, columns);
  std::vector<const JudgedChain*> order;
  for (const JudgedChain& one : chains) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(), [](const JudgedChain* a, const JudgedChain* b) {
    return a->verdict < b->verdict;
  });
  const auto suspects = std::find_if(
      order.begin(), order.end(), [](const JudgedChain* one) { return !is_error(one->verdict); });
  const auto usual = std::find_if(suspects, order.end(),
                                  [](const JudgedChain* one) { return is_usual(one->verdict); });
  const auto explain_each = [&](auto begin, auto end) {
    for (auto one = begin; one != end; one++) {
      out += '\n';
      std::vector<std::vector<std::string>> lines;
      add_chain_lines(of, (*one)->chain, 0, lines);
      append_columns(out, lines, "><<<", 0);
      append_paragraph(out, explain(of, **one), 2, columns);
    }
  };
  explain_each(order.begin(), suspects);
  if (suspects != usual) out += "\nMay be wrong, or as intended:\n";
  explain_each(suspects, usual);
  if (usual != order.end()) {
    out += "\nProbably as intended:\n\n";
    std::vector<std::vector<std::string>> lines;
    for (auto one = usual; one != order.end(); one++)
      add_chain_lines(of, (*one)->chain, 0, lines);
    append_columns(out, lines, "><<<", 0);
  }
  add_threads(out, of);
  out += '\n';
  append_paragraph(out,
                   of.trace.is_here
                       ? "What led here is in its trace: skein why " + escaped(of.trace.directory)
                       : "To learn what led here, record the program: skein record -- PROGRAM. See "
                         "skein-record(1).",
                   0, columns);
  return out;
}

}  // namespace skein::cli
