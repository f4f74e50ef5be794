#include "cli/output/coroutine_why.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "cli/output/awaited_text.h"
#include "cli/output/thread_lines.h"
#include "frames/asio_groups.h"
#include "frames/silent_connections.h"

namespace skein::cli {

namespace {

// Of timers, of which it is not known how soon they expire.
std::string explain_timers(const Unprepared& of, const JudgedChain& one) {
  const auto& objects = of.found.objects;
  int64_t last = -1;
  for (const uint32_t i : one.chain.objects) {
    if (objects[i].clock == AsioObject::Clock::Other)
      return "How soon the timer expires is unknown: its clock is one that skein does not know.";
    if (objects[i].clock == AsioObject::Clock::Steady) last = std::max(last, objects[i].expires);
  }
  const std::string no_clock =
      "A core has no clock: it does not show whether the timer has expired.";
  if (last < 0) return no_clock;
  std::string text =
      no_clock + " The steady clock counts from when the machine of the core was started.";
  if (!of.steady_of_file) return text;
  constexpr int64_t soon = 10'000'000'000;  // it took some time to write the core
  const int64_t left = last - *of.steady_of_file;
  text += " If this machine wrote the core, and the file was not copied since, the timer expires ";
  text += left < soon
              ? "about when it was written, or before."
              : "about " + duration_text(static_cast<uint64_t>(left)) + " after it was written.";
  return text;
}

std::string explain_unknown(const Unprepared& of, const JudgedChain& one) {
  const SuspendedCoroutine& last = of.found.coroutines[one.chain.steps.back()];
  const SuspendedCoroutines::Place& place = of.found.places[last.place];
  if (last.awaited == SuspendedCoroutine::none && place.awaiter.empty() &&
      one.chain.operation.empty())
    return "What it waits for is unknown.";
  if (last.awaited != SuspendedCoroutine::none &&
      of.found.awaited[last.awaited].kind == WaitObject::Kind::WhenAll) {
    const WaitObject& object = of.found.awaited[last.awaited];
    if (object.type == libcoro_when_any)
      return "It goes on when the first of them has ended; each has its own line.";
    if (is_of_first(object))
      return "It goes on when one of them has succeeded and the others are cancelled; each has its "
             "own line.";
    if (object.type == asio_group)
      return "It goes on when the group has completed, of which each coroutine has its own line.";
    return "It goes on when they have ended; each has its own line.";
  }
  if (last.awaited != SuspendedCoroutine::none) {
    const std::vector<WaitObject::Holder>& holders = of.found.awaited[last.awaited].holders;
    if (holders.size() == 1 && holders.front().certainty != WaitObject::Certainty::Perhaps)
      return "It goes on when the lock is released.";
  }
  return "Another coroutine, a thread or an event must resume it; which one, its memory does not "
         "show.";
}

// Whether a thread runs, and is not stopped: which coroutine it runs is unknown.
bool has_unknown_stack(const Unprepared& of) {
  return std::any_of(
      of.around.threads.begin(), of.around.threads.end(),
      [](const TargetThread& one) { return one.state == TargetThread::State::Running; });
}

// The coroutines on whose threads no other one can run; empty: none.
std::string blocked_text(const Unprepared& of, const RunningCoroutines& running) {
  std::string names;
  for (const TargetThread& thread : of.around.threads)
    if (const auto one = running.find(thread.id); one != running.end() && sleeps(thread))
      names += (names.empty() ? " Thread " : ", thread ") + std::to_string(thread.id) +
               " is blocked in " + one->second;
  return names.empty() ? "" : names + '.';
}

// Of a cycle with one that waits for several others together.
std::string explain_join(const char* holds) {
  return std::string(
             "It waits for a coroutine that it keeps from going on: one of these waits for "
             "all of several others, and ") +
         holds + " a lock that one of them waits for. A deadlock";
}

constexpr const char* unless_one_runs =
    ": a deadlock, unless a thread runs one of them now; --stop shows that.";

// A program's own lock may have a time limit, and its guard may give it back early.
std::string explain_perhaps(const LockCycle& cycle) {
  constexpr const char* unless =
      "unless the lock is released in another way, or the wait has a time limit.";
  if (cycle.certainty == WaitObject::Certainty::Certain)
    return std::string(
               "Each of these coroutines waits for the next, for its end or a lock that it holds") +
           unless_one_runs;
  if (cycle.has_join) return explain_join("probably holds") + ", " + unless;
  return std::string(
             cycle.length == 1
                 ? "It waits for a lock that it probably holds itself"
                 : "Each of these coroutines waits for a lock that the next one probably holds") +
         ": a deadlock, " + unless;
}

// Of a coroutine that runs on a thread that sleeps in a call.
std::string explain_thread(const Unprepared& of, const SuspendedCoroutine& coroutine,
                           const RunningCoroutines& running) {
  const TargetThread* thread = thread_of(coroutine, of.around);
  const std::string state = thread == nullptr ? "" : thread_text(of, *thread);
  std::string text = "It runs on thread " + std::to_string(coroutine.thread) + ", which " +
                     (state.empty() ? "is in an unknown state" : state);
  const MutexWait* wait = of.around.mutex_waits.of(coroutine.thread);
  const auto holder = wait == nullptr ? running.end() : running.find(wait->holder);
  if (holder != running.end() && wait->holder != wait->thread)
    text += "; that thread runs " + holder->second;
  const std::string deadlock = deadlock_text(of, coroutine.thread);
  if (!deadlock.empty()) return text + ". " + deadlock;
  return text + ": no other coroutine can run there until this call returns.";
}

// What is known of a chain that may be wrong. `blocked`: blocked_text().
std::string explain(const Unprepared& of, const JudgedChain& one, const RunningCoroutines& running,
                    const std::string& blocked) {
  const SuspendedCoroutine& last = of.found.coroutines[one.chain.steps.back()];
  switch (one.verdict) {
    case ChainVerdict::Deadlock:
      if (last.state == SuspendedCoroutine::State::Runs) return explain_thread(of, last, running);
      if (last.awaits == one.chain.steps.back()) return "It waits for its own end: a deadlock.";
      if (waits_for(of.found, one.chain.steps.back()) == one.chain.steps.back())
        return "It holds the lock that it waits for: a deadlock.";
      if (find_lock_cycle(of.found, one.chain.steps.back()).has_join)
        return explain_join("holds") + '.';
      return "Each of these coroutines waits for the next, and the last one for the first of the "
             "cycle: a deadlock.";
    case ChainVerdict::BehindDeadlock:
      return "It cannot go on either: what it waits for is in a deadlock, or behind one.";
    case ChainVerdict::PerhapsDeadlock:
      if (one.chain.cycle_begin != CoroutineChain::no_cycle)
        return std::string(
                   "Each of these coroutines waits for the next, and the last one for the "
                   "first of the cycle") +
               unless_one_runs;
      return explain_perhaps(find_lock_cycle(of.found, one.chain.steps.back()));
    case ChainVerdict::BlocksThread:
      return explain_thread(of, last, running);
    case ChainVerdict::Overdue:
      return "It was not resumed when its timer expired: the threads of its event loop are blocked "
             "or busy, or none runs it." +
             blocked;
    case ChainVerdict::NeverExpires:
      return "The timer never expires. If it is used as a condition, a coroutine must cancel it "
             "after this wait began; a cancel before that was lost.";
    case ChainVerdict::NoAnswer:
      return "This process made the connection, has sent on it, and has received nothing since.";
    case ChainVerdict::NothingSent:
      return "Coroutines wait to receive at both ends of this connection, and neither has ever "
             "sent a byte: each may wait for the other to begin.";
    case ChainVerdict::Unread:
      return "Bytes have arrived that it has not read: its handler is queued, or its "
             "thread is busy or blocked.";
    case ChainVerdict::NotReceived:
      return "The peer does not read, or not fast enough.";
    case ChainVerdict::Unreferenced:
      return "Nothing in its memory refers to this coroutine, so that nothing can resume it, "
             "unless the kernel has its address, or the program keeps it in another form.";
    case ChainVerdict::Unknown:
      return explain_unknown(of, one);
    case ChainVerdict::NotStarted:
      return (has_unknown_stack(of) ? "It was created, and nothing has started it, unless a thread "
                                      "runs it now: --stop shows that."
                                    : "It was created, and nothing has started it.") +
             blocked;
    case ChainVerdict::UnknownTimer:
      return explain_timers(of, one);
    case ChainVerdict::Slow:
      return "Its timer takes ten seconds or more: too long only if the unit is wrong.";
    case ChainVerdict::Runs:
      return "It runs: no other coroutine of its thread can run until it waits.";
    case ChainVerdict::Usual:
      break;
  }
  return "";
}

// A chain, and those that its last coroutine waits for together, which follow it.
struct Family {
  std::span<const JudgedChain> chains = {};
  ChainVerdict verdict = ChainVerdict::Usual;  // the worst
};

// Whether it waits for chains that are shown with it: then they show whether something is wrong.
// Not a group with operations that are no coroutines.
bool is_explained_by_others(const Unprepared& of, const Family& family, const JudgedChain& one) {
  const SuspendedCoroutine& last = of.found.coroutines[one.chain.steps.back()];
  if (one.verdict != ChainVerdict::Unknown || last.awaited == SuspendedCoroutine::none)
    return false;
  const WaitObject& object = of.found.awaited[last.awaited];
  if (object.kind != WaitObject::Kind::WhenAll || object.type == asio_group) return false;
  return std::any_of(family.chains.begin(), family.chains.end(), [&](const JudgedChain& other) {
    return other.chain.joined_by == one.chain.steps.back();
  });
}

std::vector<Family> families_of(const Unprepared& of, const std::vector<JudgedChain>& chains) {
  std::vector<Family> families;
  for (size_t begin = 0, end = 0; begin < chains.size(); begin = end) {
    for (end = begin + 1; end < chains.size() && chains[end].depth != 0; end++) {
    }
    Family family{.chains = std::span(chains).subspan(begin, end - begin)};
    for (const JudgedChain& one : family.chains)
      if (!is_explained_by_others(of, family, one))
        family.verdict = std::min(family.verdict, one.verdict);
    families.push_back(family);
  }
  return families;
}

bool has_sockets(const Unprepared& of, std::span<const Family> families) {
  for (const Family& family : families)
    for (const JudgedChain& one : family.chains)
      if (one.chain.operation != "async_accept")
        for (const uint32_t i : one.chain.objects)
          if (of.found.objects[i].kind == AsioObject::Kind::Socket) return true;
  return false;
}

// Of connections with both ends here; empty: none.
std::string silence_text(const Unprepared& of, std::span<const Family> families) {
  std::vector<const SocketState*> receiving;
  for (const Family& family : families)
    for (const JudgedChain& one : family.chains)
      if (waits_to_receive(one.chain))
        for (const uint32_t i : one.chain.objects)
          if (const SocketState* socket = socket_of(of.found.objects[i], of.around))
            receiving.push_back(socket);
  const std::vector<SilentConnection> silent = silent_connections(receiving);
  if (silent.empty()) return "";
  const SocketState& first = *silent.front().a;
  std::string text = "Coroutines wait at both ends of the connection between " + escaped(first.local) +
                     " and " + escaped(first.peer);
  if (silent.size() > 1) text += ", and of " + counted(silent.size() - 1, "other");
  return text + ": neither receives anything before one of them sends.";
}

void add_family_lines(const Unprepared& of, const Family& family,
                      std::vector<std::vector<std::string>>& lines) {
  for (const JudgedChain& one : family.chains) add_chain_lines(of, one.chain, one.depth, lines);
}

// "early (2), opt (3)", each name once.
std::string counted_names(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); i++) {
    if (std::find(names.begin(), names.begin() + static_cast<ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<ptrdiff_t>(i))
      continue;
    const auto count = std::count(names.begin(), names.end(), names[i]);
    text += (text.empty() ? "" : ", ") + names[i];
    if (count > 1) text += " (" + std::to_string(count) + ')';
  }
  return text;
}

// What is known of its chains, a paragraph each; if there are several, with the names of those that
// it is about, which are their last coroutines.
std::vector<std::string> explain(const Unprepared& of, const Family& family,
                                 const RunningCoroutines& running, const std::string& blocked) {
  std::vector<std::pair<std::string, std::vector<std::string>>> names_of;  // by text
  for (const JudgedChain& one : family.chains) {
    std::string text = explain(of, one, running, blocked);
    if (text.empty() || is_explained_by_others(of, family, one)) continue;
    auto at = std::find_if(names_of.begin(), names_of.end(),
                           [&](const auto& known) { return known.first == text; });
    if (at == names_of.end()) at = names_of.insert(at, {std::move(text), {}});
    at->second.push_back(function_name(of.found, one.chain.steps.back()));
  }
  std::vector<std::string> paragraphs;
  for (auto& [text, names] : names_of)
    paragraphs.push_back(family.chains.size() > 1 ? counted_names(names) + ": " + text
                                                  : std::move(text));
  return paragraphs;
}

// Families of which the same is known.
struct ExplainedFamilies {
  std::vector<const Family*> families = {};
  std::vector<std::string> paragraphs = {};
};

// Whether a paragraph about it is as true of others. Not of a cycle, which it explains as a whole.
bool may_share(const Family& family) {
  return family.chains.size() == 1 && !is_error(family.verdict) &&
         family.verdict != ChainVerdict::PerhapsDeadlock;
}

// In the order of their first families. O(families * log families).
std::vector<ExplainedFamilies> explain_all(const Unprepared& of, std::span<const Family> families,
                                           const RunningCoroutines& running,
                                           const std::string& blocked) {
  std::vector<ExplainedFamilies> all;
  std::map<std::pair<ChainVerdict, std::vector<std::string>>, size_t> shared;
  for (const Family& family : families) {
    std::vector<std::string> paragraphs = explain(of, family, running, blocked);
    size_t at = all.size();
    if (may_share(family)) at = shared.try_emplace({family.verdict, paragraphs}, at).first->second;
    if (at == all.size()) all.push_back({.paragraphs = std::move(paragraphs)});
    all[at].families.push_back(&family);
  }
  return all;
}

std::string for_each(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'A' && sentence[0] <= 'Z')
    sentence[0] = static_cast<char>(sentence[0] - 'A' + 'a');
  return "Each of these: " + sentence;
}

void append_explained(const Unprepared& of, const ExplainedFamilies& all, size_t columns,
                      std::string& out) {
  out += '\n';
  std::vector<std::vector<std::string>> lines;
  for (const Family* family : all.families) add_family_lines(of, *family, lines);
  append_columns(out, lines, "><<<", 0);
  for (const std::string& paragraph : all.paragraphs)
    append_paragraph(out, all.families.size() == 1 ? paragraph : for_each(paragraph), 2, columns);
}

std::string pause_text(const Unprepared& of) {
  if (of.paused == 0) return "";
  return " It stood still for " + duration_text(static_cast<uint64_t>(of.paused)) + '.';
}

// Whether its last coroutine waits for a lock of which its memory shows the holder, and of which
// the recorder knows nothing: not one of skein's.
bool waits_for_held_lock(const SuspendedCoroutines& found, const JudgedChain& one) {
  const SuspendedCoroutine& last = found.coroutines[one.chain.steps.back()];
  if (last.awaited == SuspendedCoroutine::none) return false;
  const WaitObject& object = found.awaited[last.awaited];
  return !object.type.starts_with("skein::") &&
         std::any_of(object.holders.begin(), object.holders.end(),
                     [](const WaitObject::Holder& holder) {
                       return holder.certainty != WaitObject::Certainty::Perhaps;
                     });
}

}  // namespace

std::vector<JudgedChain> chains_to_held_locks(const Unprepared& of) {
  std::vector<JudgedChain> chains = judge_chains(of);
  std::erase_if(chains, [&](const JudgedChain& one) { return !waits_for_held_lock(of.found, one); });
  for (JudgedChain& one : chains) one.depth = 0;  // without those around it
  return chains;
}

std::string held_locks_text(const Unprepared& of, const std::vector<JudgedChain>& waiting,
                            size_t columns) {
  if (waiting.empty()) return "";
  std::string out = "\n";
  append_paragraph(out, "Its memory shows which coroutines hold the locks that these wait for:", 0,
                   columns);
  const std::vector<Family> families = families_of(of, waiting);
  for (const ExplainedFamilies& one : explain_all(of, families, running_coroutines(of.found), ""))
    append_explained(of, one, columns, out);
  return out;
}

std::string coroutine_why_text(const Unprepared& of, const std::vector<JudgedChain>& chains,
                               size_t columns) {
  std::string out;
  append_paragraph(
      out,
      escaped(of.title) + ' ' + recording_text(of.trace, of.is_core) +
          (chains.empty() && of.found.lacks_files
               ? ". Whether there are coroutines in its memory is unknown."
           : chains.empty()
               ? ". There are no coroutines in its memory."
               : ". Its memory shows where its coroutines wait, but not since when, nor "
                 "which coroutine should wake it.") +
          pause_text(of),
      0, columns);
  for (const std::string& warning : of.found.warnings)
    append_paragraph(out, "Note: " + escaped(warning) + ".", 0, columns);
  std::vector<Family> families = families_of(of, chains);
  std::stable_sort(families.begin(), families.end(),
                   [](const Family& a, const Family& b) { return a.verdict < b.verdict; });
  const auto suspects = std::find_if(families.begin(), families.end(),
                                     [](const Family& one) { return !is_error(one.verdict); });
  const auto usual = std::find_if(suspects, families.end(),
                                  [](const Family& one) { return is_usual(one.verdict); });
  const RunningCoroutines running = running_coroutines(of.found);
  const std::string blocked = blocked_text(of, running);
  const auto explain_each = [&](auto begin, auto end) {
    for (const ExplainedFamilies& one : explain_all(of, std::span(begin, end), running, blocked))
      append_explained(of, one, columns, out);
  };
  explain_each(families.begin(), suspects);
  if (suspects != usual) out += "\nMay be wrong, or as intended:\n";
  explain_each(suspects, usual);
  if (usual != families.end()) {
    out += "\nProbably as intended:\n\n";
    std::vector<std::vector<std::string>> lines;
    for (auto one = usual; one != families.end(); one++) add_family_lines(of, *one, lines);
    append_columns(out, lines, "><<<", 0);
    if (of.is_core && has_sockets(of, std::span(usual, families.end())))
      append_paragraph(
          out,
          "A core does not show what a socket has sent and received: one of these may wait "
          "for an answer that does not come.",
          2, columns);
    if (const std::string text = silence_text(of, std::span(usual, families.end())); !text.empty())
      append_paragraph(out, text, 2, columns);
  }
  append_threads(out, of, running, columns);
  out += '\n';
  append_paragraph(out,
                   of.trace.is_here
                       ? "What led here is in its trace: skein why " + escaped(of.trace.directory)
                   : of.found.functions.empty()
                       ? "skein explains C++20 coroutines and what it records; of other programs it shows "
                         "threads, and which wait for each other's mutexes."
                       : "To learn what led here, record the program: skein record -- PROGRAM. See "
                         "skein-record(1).",
                   0, columns);
  return out;
}

}  // namespace skein::cli
