#include "report/doctor.h"

#include <algorithm>
#include <array>

#include "base/escape.h"
#include "base/text.h"
#include "report/object_text.h"
#include "trace/ask/closed_connection.h"
#include "trace/ask/doctor/lint_schema.h"
#include "trace/ask/task_kinds.h"
#include "trace/model/names.h"

namespace skein {

namespace {

using EvidenceKind = Finding::Evidence::Kind;

// Stable: used in JSON.
std::string_view name(EvidenceKind kind) {
  constexpr std::array<std::string_view, 10> names = {"created", "ended",    "waits", "runnable",
                                                      "runs",    "notified", "holds", "acquires",
                                                      "wakes",   "value"};
  return names[static_cast<size_t>(kind)];
}

// Quotes the text as one shell word if necessary.
std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+,:@%=").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + '\'';
}

// A command for a shell stays unescaped unless the trace's path has control characters.
std::string escaped_command(const std::string& command) {
  std::string rest = command;
  std::erase_if(rest, [](char c) { return c == '\\' || c == '"'; });  // these are harmless
  return escaped(rest) == rest ? command : escaped(command);
}

Json cpu_json(const Finding& f) {
  if (!f.cpu) return {};
  return Json::object({{"least_ns", f.cpu->least},
                       {"most_ns", f.cpu->most},
                       {"blocked", f.cpu->blocked},
                       {"preempted", f.cpu->preempted}});
}

}  // namespace

DoctorReport::DoctorReport(const Subject& subject, std::string path)
    : trace_(subject.trace), model_(subject.model), path_(std::move(path)) {}

std::string DoctorReport::text(const Finding& f) const {
  switch (f.lint) {
    case Lint::NotifyBeforeWait:
      return title(f.task) + " waits for " + title(f.other) +
             (model_.tasks[f.other].is_resource
                  ? ", which was notified " + duration_text(f.end - f.begin) +
                        " earlier, when no task was waiting"
                  : ", which had ended " + duration_text(f.end - f.begin) + " earlier") +
             (f.severity == Finding::Severity::Note
                  ? "; it has waited here before and was resumed, so it may check before it waits"
                  : "");
    case Lint::LockOrderCycle:
      return lock_order(f);
    case Lint::DestroyedUnresolved:
      return title(f.task) + " was destroyed before it ended" + dependents_text(f);
    case Lint::NeverStarted:
    case Lint::HandlerNeverInvoked:
      return title(f.task) + " was created but never ran" +
             (model_.is_open(f.task)
                  ? ", up to the end of the trace, " + duration_text(f.end - f.begin)
                  : ", and destroyed " + duration_text(f.end - f.begin) + " later") +
             (f.other == no_index
                  ? ""
                  : "; " + title(f.other) +
                        " started others like it, and may not have needed this one");
    case Lint::SuspendedTooLong:
      return suspended(f);
    case Lint::RanTooLong:
      return title(f.task) + " ran for " + duration_text(f.duration) + " without suspending" +
             cpu_text(f) + runnable_tasks_text(f);
    case Lint::LockAcrossWait:
      if (f.held) return held_object(f);
      return title(f.task) + " held " + title(f.other) + " while it waited" +
             (f.severity == Finding::Severity::Note
                  ? ", " + duration_text(f.duration)
                  : "; another task waited " + duration_text(f.duration) + " for that lock");
    case Lint::OperationPending:
      return title(f.task) + " is still pending at the end of the trace, " +
             duration_text(f.duration) + " after it began" + peer_text(f.task) +
             (f.other == no_index ? "" : "; " + title(f.other) + " waits for it");
    case Lint::SelfWake: {
      const Finding::Evidence& woken = f.evidence.front();
      if (f.other != no_index)
        return title(f.task) + " and " + title(f.other) +
               " cancelled the timer for which both wait " + grouped(woken.value) +
               " times in turn and did nothing else: if each sets its expiry again before it "
               "waits, they wake each other for ever";
      const bool is_note = f.severity == Finding::Severity::Note;
      const bool is_handler = kind_class(trace_, model_.tasks[f.task]) == KindClass::Handler;
      if (is_note && woken.of == 0 && !is_handler)
        return title(f.task) + " waited " + grouped(woken.value) +
               " times in a row and was resumed at once: it polls, or code outside any task feeds "
               "it";
      return title(f.task) +
             (woken.of == 0 ? " is the last of " + grouped(woken.value) +
                                  " handlers that posted each other without a pause"
                            : " woke itself in " + grouped(woken.value) + " of " +
                                  counted(woken.of, "wake-up")) +
             (is_note ? ": it polls, or does its work in pieces" : "");
    }
    case Lint::SequentialAwaits:
      return title(f.task) + " awaited " + grouped(f.evidence.front().value) + " tasks like " +
             title(f.other) + " one after the other, " + duration_text(f.duration) +
             "; if they do not depend on each other, they could run together";
    case Lint::CounterOnlyGrows:
      return std::string(trace_.strings[f.counter]) + level(f);
    case Lint::QueueOnlyGrows:
      return (is_lock(f.task) ? "the number of waiters on " : "the length of ") + title(f.task) +
             level(f);
  }
  return "";
}

DoctorReport::Line DoctorReport::line(const Finding& f, const Finding::Evidence& e) const {
  Line line{.subject = e.task == no_index && e.kind == EvidenceKind::Level
                           ? std::string(trace_.strings[f.counter])
                           : title(e.task),
            .text = {},
            .duration = {}};
  const bool lasts = e.end == Waits::never;
  switch (e.kind) {
    case EvidenceKind::Created:
      line.text = "was created" + by(e.other);
      break;
    case EvidenceKind::Ended:
      line.text = std::string(ending(e.task)) + by(e.other);
      break;
    case EvidenceKind::Waits:
      line.text = (lasts ? "waits for " : "waited for ") + target_text(e.task, e.begin, e.other);
      break;
    case EvidenceKind::CouldRun:
      line.text = lasts ? "has been runnable and has not run" : "was runnable and did not run";
      break;
    case EvidenceKind::Runs:
      line.text = "ran";
      if (e.of < std::min(e.end, model_.end) - e.begin) {
        line.text += ' ' + duration_text(e.of) + " within " +
                     duration_text(std::min(e.end, model_.end) - e.begin);
        return line;
      }
      break;
    case EvidenceKind::Notified:
      line.text = "was notified" + by(e.other) + ", waking " +
                  (e.value == 0 ? "no task" : grouped(e.value));
      break;
    case EvidenceKind::Holds:
      line.text = (lasts ? "holds " : "held ") + title(e.other);
      break;
    case EvidenceKind::Takes:
      line.text = "acquired " + title(e.other);
      break;
    case EvidenceKind::Woken:
      line.text = e.of != 0 ? "woke itself " + grouped(e.value) + " times"
                  : f.severity == Finding::Severity::Note ? grouped(e.value) + " waits in a row"
                                                          : grouped(e.value) + " posts in a row";
      break;
    case EvidenceKind::Level:
      line.text = "was " + std::to_string(static_cast<int64_t>(e.value));
      break;
  }
  if (e.end != e.begin) line.duration = duration_text(std::min(e.end, model_.end) - e.begin);
  return line;
}

DoctorReport::Picture DoctorReport::picture(const Finding& f) const {
  const uint64_t margin = std::max<uint64_t>(1000, (f.end - f.begin) / 10);
  Picture place{.from = f.begin - std::min(f.begin, margin), .to = f.end + margin, .task = f.task};
  // A resource may have no bar; a task of the evidence is highlighted instead.
  if (place.task != no_index && model_.tasks[place.task].is_resource) {
    place.task = no_index;
    for (const Finding::Evidence& e : f.evidence)
      if (place.task == no_index && e.task != no_index && !model_.tasks[e.task].is_resource)
        place.task = e.task;
  }
  return place;
}

std::string DoctorReport::command(const Picture& place) const {
  if (path_ == "-") return "";
  std::string text = "skein show " + shell_word(path_) + " --from " + seconds(place.from) +
                     "s --to " + seconds(place.to) + "s";
  if (place.task != no_index) text += " --select " + std::to_string(model_.tasks[place.task].id);
  return text;
}

std::string DoctorReport::headline(const Finding& f) const {
  return std::string(name(f.severity)) + ", " + std::string(name(f.lint)) + ": " + text(f);
}

void DoctorReport::add(std::string& out, const Finding& f) const {
  std::string head = escaped(headline(f));
  if (f.count > 1) head += " (and " + grouped(f.count - 1) + " similar)";
  append_paragraph(out, head, 0);
  std::vector<std::vector<std::string>> lines;
  for (const Finding::Evidence& e : f.evidence) {
    Line row = line(f, e);
    lines.push_back({seconds(e.begin) + " s", escaped(row.subject), escaped(row.text), row.duration,
                     escaped(location_text(trace_, e.location))});
  }
  append_columns(out, lines, "><<><", 2);
  if (const std::string look = command(picture(f)); !look.empty())
    out += "  " + escaped_command(look) + '\n';
}

Json DoctorReport::to_json(const Finding& f) const {
  Json evidence = Json::array();
  for (const Finding::Evidence& e : f.evidence) {
    Json value;
    if (e.kind == EvidenceKind::Level)
      value = static_cast<int64_t>(e.value);
    else if (e.kind == EvidenceKind::Notified || e.kind == EvidenceKind::Woken ||
             e.kind == EvidenceKind::Runs)
      value = e.value;
    evidence.add(
        Json::object({{"kind", name(e.kind)},
                      {"text", line(f, e).text},
                      {"task", task_json(trace_, model_, e.task)},
                      {"other", task_json(trace_, model_, e.other)},
                      {"begin_ns", e.begin},
                      {"end_ns", e.end == Waits::never ? Json() : Json(e.end)},
                      {"location", location_json(trace_, e.location)},
                      {"value", std::move(value)},
                      {"running_ns", e.kind == EvidenceKind::Runs ? Json(e.of) : Json()}}));
  }
  const Picture look = picture(f);
  return Json::object({{"lint", name(f.lint)},
                       {"severity", name(f.severity)},
                       {"text", text(f)},
                       {"task", task_json(trace_, model_, f.task)},
                       {"other", task_json(trace_, model_, f.other)},
                       {"counter", f.counter == 0 ? Json() : Json(trace_.strings[f.counter])},
                       {"begin_ns", f.begin},
                       {"end_ns", f.end},
                       {"count", f.count},
                       {"duration_ns", f.duration},
                       {"total_ns", f.total},
                       {"cpu", cpu_json(f)},
                       {"evidence", std::move(evidence)},
                       {"picture", Json::object({{"from_ns", look.from},
                                                 {"to_ns", look.to},
                                                 {"task", task_json(trace_, model_, look.task)},
                                                 {"command", command(look)}})}});
}

std::string DoctorReport::text(const std::vector<Finding>& findings) const {
  if (findings.empty()) return "No findings.\n";
  std::string out;
  for (const Finding& f : findings) {
    if (&f != &findings.front()) out += '\n';
    add(out, f);
  }
  return out;
}

Json DoctorReport::json(const std::vector<Finding>& findings) const {
  Json all = Json::array();
  for (const Finding& f : findings) all.add(to_json(f));
  Json json = json_document("skein.doctor/1");
  json.set("findings", std::move(all));
  return json;
}

std::string DoctorReport::title(TaskIndex task) const {
  return task == no_index ? "an unrecorded target" : task_title(trace_, model_.tasks[task]);
}

std::string DoctorReport::target_text(TaskIndex task, uint64_t begin, TaskIndex target) const {
  if (target != no_index || task == no_index) return title(target);
  const std::vector<AwaitedObject>& all = trace_.awaited_objects;
  const auto time_of = [&](const AwaitedObject& object) {
    return trace_.events.row(object.event).time;
  };
  auto at = std::lower_bound(
      all.begin(), all.end(), begin,
      [&](const AwaitedObject& object, uint64_t time) { return time_of(object) < time; });
  for (; at != all.end() && time_of(*at) == begin; ++at)
    if (at->type != 0 && model_.find(trace_.events.row(at->event).task) == task)
      return object_text(trace_, at->type, at->address);
  return title(target);
}

std::string DoctorReport::by(TaskIndex task) const {
  return task == no_index ? "" : " by " + title(task);
}

bool DoctorReport::is_lock(TaskIndex task) const {
  const KindClass kind = kind_class(trace_, model_.tasks[task]);
  return kind == KindClass::Mutex || kind == KindClass::Semaphore;
}

std::string_view DoctorReport::ending(TaskIndex task) const {
  switch (model_.tasks[task].how) {
    case Model::End::Failed:
      return "failed";
    case Model::End::Cancelled:
      return "was destroyed";
    default:
      return "ended";
  }
}

std::string DoctorReport::cpu_text(const Finding& f) const {
  if (!f.cpu) return trace_.cpu_times.empty() ? "" : "; its CPU time is not known";
  const bool is_exact = f.cpu->most - f.cpu->least <= f.cpu->most / 20;
  const std::string time = (is_exact ? "" : "at most ") + duration_text(f.cpu->most);
  if (f.cpu->most >= f.duration / 2) return ", " + time + " of it on a CPU";
  const std::string had = ", but had a CPU for " + time + " of it: ";
  switch (reason_off_cpu(*f.cpu, f.duration)) {
    case OffCpu::Blocked:
      return had + "its thread was blocked";
    case OffCpu::Preempted:
      return had + "other threads or programs used the CPUs" +
             (f.cpu->ran_instead == 0
                  ? ""
                  : ", most of all " + std::string(trace_.strings[f.cpu->ran_instead]));
    case OffCpu::Either:
      return had + "its thread was blocked, or others used the CPUs";
  }
  return "";
}

std::string DoctorReport::lock_order(const Finding& f) const {
  std::vector<TaskIndex> locks;
  bool waits = true;
  for (const Finding::Evidence& e : f.evidence) {
    if (e.kind == EvidenceKind::Holds) locks.push_back(e.other);
    waits &= e.kind != EvidenceKind::Takes;
  }
  std::string text = "lock order cycle: ";
  for (const TaskIndex lock : locks) text += title(lock) + ", then ";
  text += title(locks.empty() ? f.task : locks.front());
  return text + (waits ? "; its holders are deadlocked" : "; this order can deadlock");
}

std::string DoctorReport::held_object(const Finding& f) const {
  std::string place;
  for (const Finding::Evidence& e : f.evidence)
    if (e.task == f.task) place = location_text(trace_, e.location);
  return title(f.task) + " waited " + duration_text(f.duration) +
         (place.empty() ? "" : " at " + place) + " after it had passed " +
         (f.held->type == 0 ? "the object at " + address_text(f.held->address)
                            : object_text(trace_, f.held->type, f.held->address)) +
         ", and others that wait there passed only after that; " + grouped(f.held->count) +
         " such waits, in which up to " + counted(f.held->others, "task") + " waited there for " +
         duration_text(f.held->waited) + " in total" +
         (f.held->is_lock ? "; release it before that wait, unless it must protect it"
                          : "; if the object is a lock, it was held");
}

std::string DoctorReport::peer_text(TaskIndex operation) const {
  if (const TaskIndex closed = find_closed(trace_, model_, operation); closed != no_index) {
    const Model::Task& task = model_.tasks[closed];
    return ": its connection is closed, " + title(closed) + " before it ended with " +
           escaped(trace_.strings[task.reason]) + " at " + seconds(task.end) + " s";
  }
  return sends(trace_, model_, operation) ? ": its peer does not read, or reads slowly" : "";
}

std::string DoctorReport::dependents_text(const Finding& f) const {
  std::string text;
  if (model_.tasks[f.task].should_resolve) text += " although marked should_resolve";
  if (f.other != no_index) text += "; " + title(f.other) + " waits for it";
  for (const Finding::Evidence& e : f.evidence)
    if (e.kind == EvidenceKind::Holds) text += "; it still holds " + title(e.other);
  return text;
}

std::string DoctorReport::suspended(const Finding& f) const {
  const std::string duration = duration_text(f.duration);
  for (const Finding::Evidence& e : f.evidence)
    if (e.kind == EvidenceKind::CouldRun)
      return title(f.task) + (e.end == Waits::never
                                  ? " has been runnable for " + duration + " and has not run"
                                  : " was runnable for " + duration + " before it ran");
  if (!f.evidence.empty() && f.evidence.front().kind == EvidenceKind::Created)
    return title(f.task) + " is marked should_resolve and has not ended, " + duration +
           " after it was created";
  const bool lasts = !f.evidence.empty() && f.evidence.front().end == Waits::never;
  if (lasts && f.duration == 0)  // its last action in the trace
    return title(f.task) + " waits for " + target_text(f.task, f.begin, f.other) +
           " at the end of the trace";
  return title(f.task) + (lasts ? " has waited " : " waited ") + duration + " for " +
         target_text(f.task, f.begin, f.other);
}

std::string DoctorReport::runnable_tasks_text(const Finding& f) const {
  const uint64_t others = f.evidence.empty() ? 0 : f.evidence.front().value;
  if (others == 0) return "";
  return " while " + counted(others, "other task") + (others == 1 ? " was" : " were") + " runnable";
}

std::string DoctorReport::level(const Finding& f) const {
  const auto value = [&](const Finding::Evidence& e) {
    return std::to_string(static_cast<int64_t>(e.value));
  };
  return " grew from " + value(f.evidence.front()) + " to " + value(f.evidence.back()) + " in " +
         duration_text(f.end - f.begin) + " and never fell back";
}

std::string lint_list_text(size_t columns) {
  size_t widest = 0;
  for (const LintSchema& lint : lint_schemas) widest = std::max(widest, lint.name.size());
  std::string out;
  for (const LintSchema& lint : lint_schemas) {
    std::string text;
    append_paragraph(text, lint.meaning, widest + 2, columns);
    out += text.replace(0, lint.name.size(), lint.name);
  }
  return out;
}

}  // namespace skein
