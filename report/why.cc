#include "report/why.h"

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "report/explain.h"
#include "report/object_text.h"
#include "trace/model/names.h"

namespace skein {

namespace {

std::string title(const Subject& subject, TaskIndex task) {
  return task_title(subject.trace, subject.model.tasks[task]);
}

// How long the step has been in its state, or how long ago it was created or ended.
std::string age(const Subject& subject, const LiveTaskFinder& live, const Diagnosis::Step& step) {
  const Model::Task& task = subject.model.tasks[step.task];
  const bool has_ended = task.how != Model::End::Open;
  const bool waits = step.wait != Waits::none || step.holding != Waits::none;
  const auto end = static_cast<double>(has_ended && waits ? task.end : subject.model.end);
  const std::string text =
      duration_text(std::max(0.0, end - static_cast<double>(since(subject, live, step))));
  const bool is_moment = has_ended || task_state(subject, step.task) == TaskState::Created;
  return is_moment && !waits && !task.is_resource ? text + " ago" : "for " + text;
}

// Of a live task its state as in `skein ps`; else how it ended, as in SQL.
std::string_view state_name(const Subject& subject, TaskIndex task) {
  const TaskState state = task_state(subject, task);
  return state == TaskState::Ended ? name(subject.model.tasks[task].how) : name(state);
}

std::string does(const Subject& subject, const Diagnosis& d, size_t step) {
  const StepText what = describe_step(subject, d, step);
  std::string text(what.text);
  if (what.object != nullptr) return text + ' ' + object_text(subject.trace, *what.object);
  return what.target == no_index ? text : text + ' ' + title(subject, what.target);
}

// The problem, in sentences.
std::string text(const Subject& subject, const Diagnosis& d) {
  std::string out;
  for (const TextRun& run : explain(subject, d)) switch (run.kind) {
      case TextRun::Kind::Text:
        out += run.text;
        break;
      case TextRun::Kind::Task:
        out += title(subject, static_cast<TaskIndex>(run.value));
        break;
      case TextRun::Kind::Location:
        out += location_text(subject.trace, static_cast<uint32_t>(run.value));
        break;
      case TextRun::Kind::Time:
        out += seconds(run.value) + " s";
        break;
      case TextRun::Kind::Duration:
        out += duration_text(run.value);
        break;
      case TextRun::Kind::Number:
        out += grouped(run.value);
        break;
      case TextRun::Kind::Address:
        out += address_text(run.value);
        break;
    }
  return out;
}

// Appends the steps as columns.
void add_chain(std::string& out, const Subject& subject, const LiveTaskFinder& live,
               const Diagnosis& d) {
  std::vector<std::vector<std::string>> lines;
  for (size_t i = 0; i < d.chain.size(); i++) {
    const Diagnosis::Step& step = d.chain[i];
    const NearLocation at = near_location_of(subject, step);
    const std::string place = escaped(location_text(subject.trace, at.location));
    lines.push_back({escaped(title(subject, step.task)), escaped(does(subject, d, i)),
                     age(subject, live, step),
                     at.is_after && !place.empty() ? "after " + place : place});
  }
  append_columns(out, lines, "<<<<", 2);
}

// " (and 3 similar)"; empty for 0.
std::string and_similar(uint64_t others) {
  return others == 0 ? "" : " (and " + grouped(others) + " similar)";
}

// The first of the similar tasks, and how long they have waited.
void add_similar(std::string& out, const Subject& subject, const LiveTaskFinder& live,
                 const Diagnosis& d) {
  constexpr size_t most = 5;
  if (d.similar.empty()) return;
  std::string list = "Similar:";
  for (size_t i = 0; i < std::min(d.similar.size(), most); i++) {
    const Diagnosis::Step step{.task = d.similar[i], .wait = subject.waits.last_wait[d.similar[i]]};
    list +=
        (i == 0 ? " " : ", ") + escaped(title(subject, step.task)) + ' ' + age(subject, live, step);
  }
  append_paragraph(out, list + (d.similar.size() > most ? ", ..." : "."), 2);
}

std::string headline(const Subject& subject, const Diagnosis& d) {
  return escaped(title(subject, d.chain.front().task)) + ": " + std::string(name(d.verdict)) +
         and_similar(d.similar.size());
}

void add(std::string& out, const Subject& subject, const LiveTaskFinder& live, const Diagnosis& d) {
  out += headline(subject, d) + '\n';
  add_chain(out, subject, live, d);
  append_paragraph(out, escaped(text(subject, d)), 2);
  add_similar(out, subject, live, d);
}

std::string where(const Subject& subject, uint32_t location) {
  return escaped(location_text(subject.trace, location));
}

// A line: the tasks that wait for each other, what the last one waits for, for how long, and where.
std::vector<std::string> usual_columns(const Subject& subject, const LiveTaskFinder& live,
                                       const Diagnosis& d) {
  const auto waits = [&](const Diagnosis::Step& step) {
    return step.wait != Waits::none || step.holding != Waits::none;
  };
  size_t last = 0;
  while (last + 1 < d.chain.size() && waits(d.chain[last + 1])) last++;
  std::string tasks = escaped(title(subject, d.chain.front().task));
  if (last > 2) tasks += " > ...";
  for (size_t i = std::max<size_t>(last, 2) - 1; i <= last; i++)
    tasks += " > " + escaped(task_name(subject.trace, subject.model.tasks[d.chain[i].task]));
  return {tasks + and_similar(d.similar.size()), escaped(does(subject, d, last)),
          age(subject, live, d.chain[last]), where(subject, location_of(subject, d.chain[last]))};
}

// Appends an empty line, unless it ends with one.
void end_paragraph(std::string& out) {
  if (!out.empty() && !out.ends_with("\n\n")) out += '\n';
}

// Appends a heading and a line for each of the first five groups. `columns` returns those of a
// group. Nothing without groups.
template <class Group, class Columns>
void add_list(std::string& out, std::string_view heading, const std::vector<Group>& groups,
              Columns columns) {
  constexpr size_t most = 5;
  if (groups.empty()) return;
  end_paragraph(out);
  out.append(heading).append("\n\n");
  std::vector<std::vector<std::string>> lines;
  for (size_t i = 0; i < std::min(groups.size(), most); i++) lines.push_back(columns(groups[i]));
  append_columns(out, lines, std::string(lines.front().size(), '<'), 2);
  if (groups.size() > most) out += "  and " + grouped(groups.size() - most) + " more\n";
}

// The groups for which `is` is true, and the others.
template <class Group, class Is>
std::pair<std::vector<Group>, std::vector<Group>> split(std::vector<Group> groups, Is is) {
  const auto rest = std::stable_partition(groups.begin(), groups.end(), is);
  return {{groups.begin(), rest}, {rest, groups.end()}};
}

// Of a group of `count` tasks: the title of the first.
std::string group_title(const Subject& subject, TaskIndex first, uint64_t count) {
  return escaped(title(subject, first)) + and_similar(count - 1);
}

// What waits since the failure, and why for the failed task.
std::string unserved_text(const Subject& subject, const UnreadFailure& f) {
  const Unserved& tasks = *f.unserved;
  const uint32_t wait = subject.waits.last_wait[tasks.first];
  const uint32_t at = wait == Waits::none ? subject.model.tasks[tasks.first].location
                                          : subject.waits.waits[wait].location;
  const auto with_place = [&](TaskIndex task, uint32_t location) {
    const std::string place = where(subject, location);
    return escaped(title(subject, task)) + (place.empty() ? "" : " (" + place + ")");
  };
  const std::string others =
      tasks.tasks == 1 ? "" : " and " + counted(tasks.tasks - 1, "similar task");
  return with_place(tasks.first, at) + others + (others.empty() ? " has" : " have") +
         " waited for " +
         duration_text(subject.model.end - std::min(subject.model.end, tasks.since)) + ". " +
         escaped(title(subject, tasks.server)) + " was the only task on the other side, last in " +
         with_place(tasks.last, tasks.last_location) + '.';
}

void add_failures(std::string& out, const Subject& subject,
                  const std::vector<UnreadFailure>& failures) {
  // g++ states the last line of a coroutine as the place of its creation.
  const auto last_place = [&](TaskIndex task) {
    const uint32_t wait = subject.waits.last_wait[task];
    const uint32_t at = wait == Waits::none ? 0 : subject.waits.waits[wait].location;
    return at == 0 ? where(subject, subject.model.tasks[task].location)
                   : "after " + where(subject, at);
  };
  const auto columns = [&](const UnreadFailure& f) {
    const Model::Task& task = subject.model.tasks[f.task];
    return std::vector<std::string>{
        group_title(subject, f.origin, f.count), "at " + seconds(task.end) + " s",
        '"' + escaped(subject.trace.strings[task.reason]) + '"', last_place(f.origin)};
  };
  const auto [fatal, rest] = split(failures, [](const UnreadFailure& f) { return f.unserved; });
  const auto [dropped, others] = split(rest, [](const UnreadFailure& f) { return f.is_dropped; });
  add_list(out, "Failed, and other tasks have waited since:", fatal, columns);
  for (const UnreadFailure& f : fatal) append_paragraph(out, unserved_text(subject, f), 2);
  add_list(out, "Failed, and the error is lost:", dropped, columns);
  if (!dropped.empty())
    append_paragraph(
        out,
        "co_spawn() started the coroutine with detached, which drops exceptions. Catch "
        "them in the coroutine, or pass a handler that reads the std::exception_ptr.",
        2);
  add_list(out, "Failed, and no task in the trace has read the error:", others, columns);
  if (!others.empty())
    append_paragraph(
        out,
        "A completion handler, a future or code outside any task may have read it, which "
        "the trace does not show. If none has, the error is lost.",
        2);
}

// "socket.async_send (#5) of session (#1) (session main.cc:7)".
std::string send_text(const Subject& subject, TaskIndex send) {
  const Model& model = subject.model;
  TaskIndex by = model.tasks[send].parent;
  while (by != no_index && model.tasks[by].name == model.tasks[send].name)
    by = model.tasks[by].parent;
  const std::string of = by == no_index ? "" : " of " + escaped(title(subject, by));
  return escaped(title(subject, send)) + of + " (" + where(subject, model.tasks[send].location) +
         ")";
}

void add_interleaved(std::string& out, const Subject& subject,
                     const std::vector<Interleaved>& found) {
  add_list(out, "Sends of two tasks on one socket, whose bytes were mixed:", found,
           [&](const Interleaved& pair) {
             const std::string_view peer = peer_of(subject.trace, subject.model, pair.first);
             return std::vector<std::string>{
                 group_title(subject, pair.first, pair.count),
                 "began at " + seconds(subject.model.tasks[pair.first].start) + " s",
                 where(subject, subject.model.tasks[pair.first].location),
                 peer.empty() ? "" : "peer " + escaped(peer)};
           });
  if (found.empty()) return;
  append_paragraph(
      out,
      send_text(subject, found.front().first) + " was pending, as a part of a " +
          "write of several parts, when " + send_text(subject, found.front().second) +
          " sent on the same socket. The peer got the bytes of one write among those " +
          "of the other. Begin a write when the one before has completed.",
      2);
}

void add_others(std::string& out, const std::vector<std::string>& others) {
  if (others.empty()) return;
  end_paragraph(out);
  out += "skein doctor reports as well:\n\n";
  for (const std::string& other : others) append_paragraph(out, escaped(other), 2);
}

std::string peer_text(const Subject& subject, const BrokenChain& chain) {
  const std::string_view peer = peer_of(subject.trace, subject.model, chain.last);
  return peer.empty() ? "" : "peer " + escaped(peer);
}

// Of a send that a repeated handler started, and no longer does.
std::string sends_text(const Subject& subject, const BrokenChain& chain) {
  const Model::Task& handler = subject.model.tasks[chain.starter];
  const std::string runs = grouped(chain.continued) + " runs of " +
                           escaped(subject.trace.strings[handler.name]) + " (" +
                           where(subject, handler.location) + ")";
  const std::string last = "the last of which was " + escaped(title(subject, chain.starter));
  const std::string sent = "started a send on this socket";
  const std::string since = "; the " + grouped(chain.later) + " runs since did not";
  const std::string regular =
      chain.every == 1 ? "Each of " + runs + ", " + last + ", " + sent + since
                       : runs + " " + sent + ", at most " + grouped(chain.every) + " runs apart, " +
                             last + since + ", and started sends on other sockets";
  return regular +
         ". The handler of the last send started nothing. The peer, in this program, waits to "
         "receive: if it should get more, a queue is no longer written.";
}

void add_acceptors(std::string& out, const Subject& subject,
                   const std::vector<BrokenChain>& acceptors) {
  add_list(out, "Open acceptors that accept no longer, by their last accept:", acceptors,
           [&](const BrokenChain& chain) {
             const Model::Task& last = subject.model.tasks[chain.last];
             return std::vector<std::string>{
                 group_title(subject, chain.last, chain.count),
                 "ended at " + seconds(last.end) + " s", where(subject, last.location),
                 counted(chain.continued, "other") + " went on",
                 escaped(peer_of(subject.trace, subject.model, chain.last))};
           });
  if (acceptors.empty()) return;
  append_paragraph(out,
                   "The handler of this accept started no other, and handlers of the same place "
                   "did before. If the program should accept more, a branch of the handler does "
                   "not continue it.",
                   2);
  for (const BrokenChain& chain : acceptors) {
    if (chain.unaccepted == 0) continue;
    const Model::Object& first = subject.model.objects[chain.first_unaccepted];
    append_paragraph(
        out,
        counted(chain.unaccepted, "socket") + " of this program " +
            (chain.unaccepted == 1 ? "has" : "have") + " connected to " +
            escaped(peer_of(subject.trace, subject.model, chain.last)) + " since, the first at " +
            seconds(first.start) + " s, and wait in its queue" +
            (chain.closed_since == 0
                 ? "."
                 : ". Of those that it accepted, " + grouped(chain.closed_since) +
                       (chain.closed_since == 1 ? " has" : " have") + " been closed since."),
        2);
  }
}

void add_chains(std::string& out, const Subject& subject, const std::vector<BrokenChain>& chains) {
  const auto columns = [&](const BrokenChain& chain) {
    const Model::Task& last = subject.model.tasks[chain.last];
    return std::vector<std::string>{
        group_title(subject, chain.last, chain.count), "ended at " + seconds(last.end) + " s",
        where(subject, last.location), counted(chain.continued, "other") + " went on",
        peer_text(subject, chain)};
  };
  const auto cancelled_columns = [&](const BrokenChain& chain) {
    const Model::Cancel& cancel = subject.model.cancels[chain.cancel];
    const std::string by =
        cancel.by == no_index ? "code outside any task" : escaped(title(subject, cancel.by));
    return std::vector<std::string>{group_title(subject, chain.last, chain.count),
                                    "cancelled at " + seconds(cancel.time) + " s by " + by,
                                    where(subject, subject.model.tasks[chain.last].location),
                                    counted(chain.later, "send") + " since",
                                    peer_text(subject, chain)};
  };
  const auto [timers, of_sockets] =
      split(chains, [](const BrokenChain& chain) { return chain.is_timer; });
  const auto [sends, not_sends] =
      split(of_sockets, [](const BrokenChain& chain) { return chain.starter != no_index; });
  const auto [cancelled, not_cancelled] = split(
      not_sends, [](const BrokenChain& chain) { return chain.cancel != Model::Object::none; });
  const auto [acceptors, sockets] = split(not_cancelled, [&](const BrokenChain& chain) {
    return subject.trace.strings[subject.model.tasks[chain.last].name].starts_with(
        "socket.async_accept");
  });
  const auto send_columns = [&](const BrokenChain& chain) {
    const Model::Task& last = subject.model.tasks[chain.last];
    return std::vector<std::string>{group_title(subject, chain.last, chain.count),
                                    "ended at " + seconds(last.end) + " s",
                                    where(subject, last.location), peer_text(subject, chain)};
  };
  add_list(out, "Sends that a repeated handler started regularly, and no longer does:", sends,
           send_columns);
  if (!sends.empty()) append_paragraph(out, sends_text(subject, sends.front()), 2);
  add_list(out,
           "Receives that were cancelled and not started again, while sends went on:", cancelled,
           cancelled_columns);
  if (!cancelled.empty())
    append_paragraph(
        out, "If the peer should still be heard, start the receive again after the cancel.", 2);
  add_acceptors(out, subject, acceptors);
  add_list(out, "Open sockets that no operation uses, by their last operation:", sockets, columns);
  if (!sockets.empty())
    append_paragraph(out,
                     "The handler of this operation started nothing, and handlers of the same "
                     "place did before. If the session should go on, a branch of the handler does "
                     "not continue it.",
                     2);
  add_list(out, "Repeated timers that ended, by their last wait:", timers, columns);
  if (!timers.empty())
    append_paragraph(out,
                     "The handler of this wait started nothing, after it had re-armed the timer "
                     "each time. It may have been the last time; if not, a branch of the handler "
                     "does not re-arm the timer.",
                     2);
}

void add_destroyed(std::string& out, const Subject& subject, const std::vector<TornDown>& found) {
  add_list(out, "Destroyed at the end of the program while they waited:", found,
           [&](const TornDown& t) {
             const Waits::Wait& wait = subject.waits.waits[t.wait];
             const std::string target =
                 wait.on == no_index ? "an unrecorded target" : escaped(title(subject, wait.on));
             return std::vector<std::string>{
                 group_title(subject, t.task, t.count), "waited for " + target,
                 "for " + duration_text(wait.end - wait.begin), where(subject, wait.location)};
           });
}

Json event_json(const Subject& subject, uint64_t time, TaskIndex by, uint32_t location) {
  return Json::object({{"time_ns", time},
                       {"by", task_json(subject.trace, subject.model, by)},
                       {"location", location_json(subject.trace, location)}});
}

Json diagnosis_json(const Subject& subject, const LiveTaskFinder& live, const Diagnosis& d) {
  Json chain = Json::array();
  for (size_t i = 0; i < d.chain.size(); i++) {
    const Diagnosis::Step& step = d.chain[i];
    const Waits::LastEvent& event = subject.waits.last_events[step.task];
    Json last_event;
    if (event.kind != EventKind::Lost) {
      last_event = event_json(subject, event.time, event.by, event.location);
      last_event.set("event", name(event.kind));
    }
    chain.add(Json::object(
        {{"task", task_json(subject.trace, subject.model, step.task)},
         {"state", state_name(subject, step.task)},
         {"peer", or_null(std::string(peer_of(subject.trace, subject.model, step.task)))},
         {"target", task_json(subject.trace, subject.model, target_of(subject, d, i))},
         {"since_ns", since(subject, live, step)},
         {"location", location_json(subject.trace, location_of(subject, step))},
         {"last_event", std::move(last_event)}}));
  }
  Json notification;
  if (d.notification != Waits::none) {
    const Waits::Notification& event = subject.waits.notifications[d.notification];
    notification = event_json(subject, event.time, event.by, event.location);
  }
  return Json::object({{"verdict", name(d.verdict)},
                       {"error", d.is_error()},
                       {"usual", d.is_usual()},
                       {"text", text(subject, d)},
                       {"chain", std::move(chain)},
                       {"similar", d.similar.size()},
                       {"notification", std::move(notification)},
                       {"thread_state", or_null(d.thread_state)},
                       {"blocker", task_json(subject.trace, subject.model, d.blocker)}});
}

Json unserved_json(const Subject& subject, const UnreadFailure& failure) {
  if (!failure.unserved) return {};
  return Json::object({{"first", task_json(subject.trace, subject.model, failure.unserved->first)},
                       {"count", failure.unserved->tasks},
                       {"since_ns", failure.unserved->since},
                       {"last", task_json(subject.trace, subject.model, failure.unserved->last)}});
}

// For how long the program went on after its last task or handler ran although nothing was pending,
// ns; 0: it did not, or not for long.
uint64_t idle_time(const Subject& subject, const WhyFindings& found) {
  constexpr uint64_t shortest = 1'000'000'000;  // ns
  const Model& model = subject.model;
  if (!found.diagnoses.empty() || found.teardown != 0 || !is_end_known(model) ||
      model.activations.empty())
    return 0;
  const uint64_t idle = model.end - last_activity(model);
  return idle < shortest ? 0 : idle;
}

// Whether the program may have hung for longer than the trace shows.
bool ends_at_last_event(const Subject& subject) {
  return subject.trace.info.format == "skein" && !is_end_known(subject.model);
}

}  // namespace

std::string why_text(const Subject& subject, const WhyFindings& all) {
  const std::vector<Diagnosis>& found = all.diagnoses;
  std::string out;
  const uint64_t late = subject.trace.info.late;
  if (found.empty())
    out += late == 0 ? "No stuck tasks found.\n" : "No stuck tasks found in the trace.\n";
  if (const uint64_t idle = idle_time(subject, all); idle != 0)
    append_paragraph(out,
                     "Nothing is pending either, but the program went on for " +
                         duration_text(idle) +
                         " after its last task. If it should have ended: its main() does "
                         "something else, or runs an event loop that a work guard keeps running.",
                     0);
  if (all.teardown != 0 && !found.empty())
    append_paragraph(out,
                     "The program has ended. When it began to destroy its tasks, at " +
                         seconds(all.teardown) + " s:\n",
                     0);
  const LiveTaskFinder live(subject);
  const auto is_pending = [](const Diagnosis& d) {
    return !d.is_error() && !d.is_cause && d.verdict != Verdict::Ok;
  };
  // What a correct program may do as well comes last.
  const auto pending = std::find_if(found.begin(), found.end(), is_pending);
  const auto add_each = [&](auto begin, auto end) {
    for (auto d = begin; d != end; d++) {
      if (d != begin) out += '\n';
      add(out, subject, live, *d);
    }
  };
  add_each(found.begin(), pending);
  add_interleaved(out, subject, all.interleaved);
  add_failures(out, subject, all.failures);
  // Every feed that ends leaves a timer like that: what waits for long comes first.
  const auto lasts = [&](const Diagnosis& d) {
    constexpr int64_t shortest = 1'000'000'000;  // ns
    return static_cast<int64_t>(subject.model.end) - since(subject, live, d.chain.front()) >=
           shortest;
  };
  const auto [timers, others] =
      split(all.chains, [](const BrokenChain& chain) { return chain.is_timer; });
  const bool is_last = std::any_of(pending, found.end(), lasts);
  add_chains(out, subject, is_last ? others : all.chains);
  add_others(out, all.others);
  const auto usual = std::find_if(pending, found.end(),
                                  [](const Diagnosis& d) { return d.is_usual(); });
  if (pending != usual) {
    end_paragraph(out);
    out += "May be wrong, or as intended:\n\n";
    add_each(pending, usual);
  }
  const auto is_explained = [](const Diagnosis& d) {
    return d.suspicion != Suspicion::Unexplained;
  };
  const auto known = std::find_if(usual, found.end(), is_explained);
  const auto columns = [&](const Diagnosis& d) { return usual_columns(subject, live, d); };
  constexpr ptrdiff_t few = 3;
  if (usual == found.begin() && found.end() - usual <= few) {
    if (usual != known) out += "Waiting for what the trace does not show:\n\n";
    add_each(usual, known);
    if (known != found.end()) {
      end_paragraph(out);
      out += "Probably as intended:\n\n";
    }
    add_each(known, found.end());
  } else {
    add_list(out, "Waiting for what the trace does not show:", std::vector(usual, known), columns);
    if (usual != known)
      append_paragraph(out,
                       "To see what these wait for, use named primitives (skein/sync.h), or define "
                       "skein_awaits() for their awaiters.",
                       2);
    add_list(out, "Probably as intended:", std::vector(known, found.end()), columns);
  }
  if (is_last) add_chains(out, subject, timers);
  if (all.teardown == 0) add_destroyed(out, subject, all.destroyed);
  if (!all.is_live && ends_at_last_event(subject) && !found.empty() && !found.front().is_error())
    append_paragraph(
        out,
        "\nThe trace does not contain when the program ended: durations end at its last "
        "event. To have them end with the program, run it with skein record.",
        0);
  if (late != 0)
    append_paragraph(out,
                     "\nRecording began " + duration_text(late) +
                         " after the program started. Tasks that existed before and have not acted "
                         "since are not in the trace, and may be stuck. To see them, restart the "
                         "program with SKEIN_TRACE set.",
                     0);
  return out;
}

Json why_json(const Subject& subject, const WhyFindings& found) {
  Json all = Json::array();
  const LiveTaskFinder live(subject);
  for (const Diagnosis& d : found.diagnoses) all.add(diagnosis_json(subject, live, d));
  Json json = json_document("skein.why/1");
  json.set("diagnoses", std::move(all));
  Json failed = Json::array();
  for (const UnreadFailure& failure : found.failures) {
    const Model::Task& task = subject.model.tasks[failure.task];
    const Model::Task& first = subject.model.tasks[failure.origin];
    failed.add(Json::object({{"task", task_json(subject.trace, subject.model, failure.task)},
                             {"origin", task_json(subject.trace, subject.model, failure.origin)},
                             {"count", failure.count},
                             {"dropped", failure.is_dropped},
                             {"unserved", unserved_json(subject, failure)},
                             {"error", failure.is_error()},
                             {"time_ns", task.end},
                             {"reason", or_null(std::string(subject.trace.strings[task.reason]))},
                             {"location", location_json(subject.trace, first.location)}}));
  }
  json.set("failures", std::move(failed));
  Json broken = Json::array();
  for (const BrokenChain& chain : found.chains) {
    const Model::Task& last = subject.model.tasks[chain.last];
    broken.add(
        Json::object({{"last", task_json(subject.trace, subject.model, chain.last)},
                      {chain.is_timer ? "timer" : "socket", subject.model.objects[chain.object].id},
                      {"count", chain.count},
                      {"continued", chain.continued},
                      {"time_ns", last.end},
                      {"location", location_json(subject.trace, last.location)}}));
  }
  json.set("broken_chains", std::move(broken));
  Json mixed = Json::array();
  for (const Interleaved& pair : found.interleaved)
    mixed.add(Json::object(
        {{"first", task_json(subject.trace, subject.model, pair.first)},
         {"second", task_json(subject.trace, subject.model, pair.second)},
         {"socket", subject.model.objects[pair.object].id},
         {"count", pair.count},
         {"time_ns", subject.model.tasks[pair.second].start},
         {"location", location_json(subject.trace, subject.model.tasks[pair.first].location)}}));
  json.set("interleaved", std::move(mixed));
  Json destroyed = Json::array();
  for (const TornDown& t : found.destroyed) {
    const Waits::Wait& wait = subject.waits.waits[t.wait];
    destroyed.add(Json::object({{"task", task_json(subject.trace, subject.model, t.task)},
                                {"target", task_json(subject.trace, subject.model, wait.on)},
                                {"count", t.count},
                                {"begin_ns", wait.begin},
                                {"end_ns", wait.end},
                                {"location", location_json(subject.trace, wait.location)}}));
  }
  json.set("torn_down", std::move(destroyed));
  json.set("teardown_ns", found.teardown != 0 ? Json(found.teardown) : Json());
  const uint64_t idle = idle_time(subject, found);
  json.set("idle_ns", idle != 0 ? Json(idle) : Json());
  json.set("late_ns", subject.trace.info.late);
  json.set("is_end_known", is_end_known(subject.model));
  return json;
}

}  // namespace skein
