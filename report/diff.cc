#include "report/diff.h"

#include <algorithm>

#include "base/escape.h"
#include "base/percent.h"
#include "base/text.h"
#include "trace/model/names.h"

namespace skein {

namespace {

// " (Operation canceled)"
std::string reason(const ComparedRun& side, TaskIndex task) {
  const std::string_view why = side.subject.trace.strings[side.subject.model.tasks[task].reason];
  return why.empty() ? "" : " (" + escaped(why) + ")";
}

// " (Arp::query arp.cc:7)"
std::string at(const ComparedRun& side, uint32_t location) {
  const std::string text = location_text(side.subject.trace, location);
  return text.empty() ? "" : " (" + escaped(text) + ")";
}

bool is_only_in(const Divergence& d) {
  return d.kind == Divergence::Kind::OnlyInGood || d.kind == Divergence::Kind::OnlyInBad;
}

std::vector<std::string> line(const ComparedRun& side, const CausalEvent& h, bool is_first) {
  return {is_first ? "in " + side.name : "", seconds(h.time) + " s",
          sentence(side, h, Detail::Actor), escaped(location_text(side.subject.trace, h.location))};
}

std::string first_of(uint64_t tasks) {
  return tasks == 1 ? "." : ", the first of " + grouped(tasks) + ".";
}

std::string and_similar(const Divergence& d) {
  return d.tasks == 1 ? "." : " (and " + grouped(d.tasks - 1) + " similar).";
}

// "Only in good: send, close and 12 more kinds of tasks"; empty if there are none.
std::string only_in(const ComparedRun& side, const std::vector<Divergence>& divergences,
                    Divergence::Kind kind) {
  constexpr size_t most = 6;
  std::string text;
  size_t kinds = 0;
  for (const Divergence& d : divergences) {
    if (d.kind != kind || kinds++ >= most) continue;
    const TaskIndex task = kind == Divergence::Kind::OnlyInGood ? d.good.task : d.bad.task;
    text += (text.empty() ? "" : ", ") +
            escaped(task_name(side.subject.trace, side.subject.model.tasks[task]));
  }
  if (kinds == 0) return "";
  if (kinds > most) text += " and " + counted(kinds - most, "more kind") + " of tasks";
  return "Only in " + side.name + ": " + text;
}

// The events of each run, by time.
void add_evidence(std::string& out, const Comparison& a, const Divergence& d) {
  std::vector<std::vector<std::string>> lines;
  const bool order = d.kind == Divergence::Kind::Order;
  if (d.good.kind != EventKind::Lost) lines.push_back(line(a.good, d.good, true));
  if (order) {
    lines.push_back(line(a.good, d.good_later, false));
    lines.push_back(line(a.bad, d.bad_earlier, true));
  }
  if (d.bad.kind != EventKind::Lost) lines.push_back(line(a.bad, d.bad, !order));
  append_columns(out, lines, "<><<", 2);
}

void add_divergences(std::string& out, const Comparison& a) {
  if (a.good_is_worse)
    out += "The divergences point to good as the failing run. Swap the arguments?\n\n";
  if (a.divergences.empty()) {
    out += "No causal difference: tasks found in both runs ended the same way.\n";
    return;
  }
  const Divergence& first = a.divergences.front();
  append_paragraph(out, "First divergence: " + headline(a, first), 0);
  add_evidence(out, a, first);
  if (const std::string text = consequence(a, first); !text.empty()) append_paragraph(out, text, 2);
  std::vector<std::string> lines;
  for (size_t i = 1; i < a.divergences.size(); i++)
    if (!is_only_in(a.divergences[i])) lines.push_back(headline(a, a.divergences[i]));
  constexpr size_t most = 5;
  const size_t in_all = lines.size();
  if (in_all > most) {
    lines.resize(most);
    lines.push_back("and " + grouped(in_all - most) + " more (--json has all)");
  }
  for (const Divergence::Kind kind : {Divergence::Kind::OnlyInGood, Divergence::Kind::OnlyInBad}) {
    const ComparedRun& side = kind == Divergence::Kind::OnlyInGood ? a.good : a.bad;
    if (std::string text = only_in(side, a.divergences, kind); !text.empty())
      lines.push_back(std::move(text));
  }
  if (!lines.empty() && a.divergences.size() > 1) {
    out += "\nOther differences, possibly consequences:\n";
    for (const std::string& text : lines) append_paragraph(out, text, 2);
  }
}

constexpr uint64_t least_difference_ns = 1'000'000;

// Two runs never take equally long. Shows differences of at least a millisecond, a hundredth of all
// differences, and a tenth of the group's self time.
bool matters(const TimingDifference& d, uint64_t whole) {
  return d.size() >= least_difference_ns && d.size() >= whole / 100 &&
         d.size() >= std::max(d.good.all(), d.bad.all()) / 10;
}

std::string signed_span(uint64_t good, uint64_t bad) {
  if (good == bad) return "";
  return good < bad ? "+" + duration_text(bad - good) : "-" + duration_text(good - bad);
}

void add_timing(std::string& out, const Comparison& a, size_t most) {
  const uint64_t whole = sum_of(a.timing);
  std::vector<std::vector<std::string>> lines = {
      {"tasks", "in good", "in bad", "difference", "share", "running", "runnable", "waiting", ""}};
  size_t left = 0;
  for (const TimingDifference& d : a.timing) {
    if (!matters(d, whole) || lines.size() > most) {
      left++;
      continue;
    }
    const Model::Task& task = a.good.subject.model.tasks[d.first];
    const std::string name = task_name(a.good.subject.trace, 0, task.name, task.location);
    lines.push_back(
        {grouped(d.count), duration_text(d.good.all()), duration_text(d.bad.all()),
         signed_span(d.good.all(), d.bad.all()),
         percent_text(static_cast<double>(d.size()), static_cast<double>(whole)),
         signed_span(d.good.running, d.bad.running), signed_span(d.good.ready, d.bad.ready),
         signed_span(d.good.blocked, d.bad.blocked), escaped(name) + at(a.good, task.location)});
  }
  if (lines.size() == 1) return;
  out += "\nSelf time of tasks that ended in both runs:\n";
  append_columns(out, lines, ">>>>>>>><", 2);
  if (left > 0)
    out += "  and " + grouped(left) +
           (left == 1 ? " group with a negligible difference\n"
                      : " groups with negligible differences\n");
}

// Counts tasks of a run, without resources.
struct TaskCounts {
  uint64_t tasks = 0;
  uint64_t matched = 0;
};
TaskCounts count_tasks(const ComparedRun& side, const std::vector<TaskIndex>& twins) {
  TaskCounts counts;
  for (TaskIndex i = 0; i < twins.size(); i++) {
    if (side.subject.model.tasks[i].is_resource) continue;
    counts.tasks++;
    counts.matched += twins[i] != no_index;
  }
  return counts;
}

void add_heading(std::string& out, const Comparison& a) {
  std::vector<std::vector<std::string>> lines;
  const auto add = [&](const ComparedRun& side, const std::vector<TaskIndex>& twins) {
    const TaskCounts counts = count_tasks(side, twins);
    lines.push_back({side.name, duration_text(side.subject.model.end),
                     counted(counts.tasks, "task"),
                     grouped(counts.tasks - counts.matched) + " unmatched"});
  };
  add(a.good, a.aligned.in_bad);
  add(a.bad, a.aligned.in_good);
  append_columns(out, lines, "<>>>", 0);
  out += '\n';
}

Json event_json(const ComparedRun& side, const CausalEvent& h) {
  if (h.kind == EventKind::Lost) return nullptr;
  const auto& [trace, model, waits] = side.subject;
  return Json::object({{"event", h.kind == EventKind::Suspend ? "wait" : name(h.kind)},
                       {"time_ns", h.time},
                       {"task", task_json(trace, model, h.task)},
                       {"other", task_json(trace, model, h.other)},
                       {"location", location_json(trace, h.location)},
                       {"text", sentence(side, h)}});
}

Json sums_json(const TimingDifference::Sums& sums) {
  return Json::object(
      {{"running_ns", sums.running}, {"runnable_ns", sums.ready}, {"waiting_ns", sums.blocked}});
}

}  // namespace

std::string ComparedRun::title(TaskIndex task) const {
  return task == no_index ? "an unrecorded task"
                          : escaped(task_title(subject.trace, subject.model.tasks[task]));
}

std::string sentence(const ComparedRun& side, const CausalEvent& h, Detail detail) {
  const std::string task = side.title(h.task);
  const std::string where = detail == Detail::Location ? at(side, h.location) : "";
  const bool by = detail != Detail::Event && h.other != no_index;
  const std::string awaited = by ? ", which " + side.title(h.other) + " waited for" : "";
  switch (h.kind) {
    case EventKind::Suspend:
      return task + " began to wait" + (h.other == no_index ? "" : " for " + side.title(h.other)) +
             where;
    case EventKind::Notify:
      return task + " was notified" + (by ? " by " + side.title(h.other) : "") + where;
    case EventKind::Acquire:
      return task + " was acquired by " + side.title(h.other) + where;
    case EventKind::Release:
      return task + " was released by " + side.title(h.other);
    case EventKind::Create:
      return task + " was created" + (by ? " by " + side.title(h.other) : "") + where;
    case EventKind::Fail:
      return task + " failed" + reason(side, h.task) + awaited + where;
    case EventKind::Resume:
      if (h.task == no_index)
        return side.title(h.other) + " was resumed from outside any task" + where;
      return task +
             (side.subject.model.tasks[h.task].failed() ? " failed" + reason(side, h.task) + " and"
                                                        : "") +
             " resumed " + side.title(h.other) + where;
    case EventKind::Cancel:
      return task + " was cancelled" + awaited + where;
    case EventKind::Resolve:
      return task + " ended" + awaited + where;
    default:  // Lost: the run has no event there; find_divergence() makes no other kind
      return "no further events";
  }
}

std::string headline(const Comparison& a, const Divergence& d) {
  const auto distance = [](const CausalEvent& x, const CausalEvent& y) {
    return duration_text(x.time < y.time ? y.time - x.time : x.time - y.time);
  };
  const std::string in_bad = "; in " + a.bad.name + " ";
  const std::string good =
      "In " + a.good.name + " " +
      (d.good.kind == EventKind::Lost ? "there are no such events"
                                      : sentence(a.good, d.good, Detail::Event));
  const bool same = d.bad.kind == d.good.kind;  // else it waits for what it got in the good run
  switch (d.kind) {
    case Divergence::Kind::Order:
      return good + " " + distance(d.good, d.good_later) + " before " +
             sentence(a.good, d.good_later, Detail::Event) + in_bad +
             (same ? "" : sentence(a.bad, d.bad, Detail::Event) + " ") +
             distance(d.bad, d.bad_earlier) + " after" +
             (same ? "." : " " + sentence(a.bad, d.bad_earlier, Detail::Event) + ".");
    case Divergence::Kind::NotDone:
      return good + in_bad + "that did not happen.";
    case Divergence::Kind::OtherEnd:
      return good + in_bad + sentence(a.bad, d.bad, Detail::Event) + and_similar(d);
    case Divergence::Kind::OtherWay:
      return good + in_bad + "after the same waits " + sentence(a.bad, d.bad, Detail::Event) + ".";
    case Divergence::Kind::OnlyInGood:
      return "Only in " + a.good.name + ": " + sentence(a.good, d.good) + first_of(d.tasks);
    case Divergence::Kind::OnlyInBad:
      return "Only in " + a.bad.name + ": " + sentence(a.bad, d.bad) + first_of(d.tasks);
  }
  return "";
}

std::string consequence(const Comparison& a, const Divergence& d) {
  if (d.victim.chain.empty()) return "";
  std::string out = "As a result, " + a.bad.title(d.victim.chain.front().task);
  if (d.tasks > 1) out += " and " + counted(d.tasks - 1, "similar task");
  out += (d.tasks > 1 ? " do not end in " : " does not end in ") + a.bad.name;
  if (d.victim.verdict == Verdict::External)
    out += ": it waits for " + a.bad.title(d.victim.chain.back().task);
  else if (d.victim.verdict != Verdict::Ok)
    out += ": " + std::string(name(d.victim.verdict));
  return out + ".";
}

Comparison compare_runs(ComparedRun good, ComparedRun bad) {
  Comparison a{.good = std::move(good), .bad = std::move(bad)};
  a.aligned = align(a.good.subject, a.bad.subject);
  a.divergences = find_divergences(a.good.subject, a.bad.subject, a.aligned);
  if (std::all_of(a.divergences.begin(), a.divergences.end(), is_only_in)) {
    const Alignment reversed{a.aligned.in_bad, a.aligned.in_good, a.aligned.matched, a.aligned.bad,
                             a.aligned.good};
    const auto others = find_divergences(a.bad.subject, a.good.subject, reversed);
    a.good_is_worse = !std::all_of(others.begin(), others.end(), is_only_in);
  }
  a.timing = timing_differences(a.good.subject, a.bad.subject, a.aligned);
  return a;
}

std::string diff_text(const Comparison& runs, size_t lines) {
  std::string out;
  add_heading(out, runs);
  add_divergences(out, runs);
  add_timing(out, runs, lines);
  return out;
}

Json diff_json(const Comparison& a) {
  Json divergences = Json::array();
  for (const Divergence& d : a.divergences) {
    const bool has_victim = !d.victim.chain.empty();
    const TaskIndex victim = has_victim ? d.victim.chain.front().task : no_index;
    divergences.add(
        Json::object({{"kind", name(d.kind)},
                      {"text", headline(a, d)},
                      {"good", event_json(a.good, d.good)},
                      {"good_later", event_json(a.good, d.good_later)},
                      {"bad", event_json(a.bad, d.bad)},
                      {"bad_earlier", event_json(a.bad, d.bad_earlier)},
                      {"victim", task_json(a.bad.subject.trace, a.bad.subject.model, victim)},
                      {"verdict", has_victim ? Json(name(d.victim.verdict)) : Json()},
                      {"tasks", d.tasks}}));
  }
  Json timing = Json::array();
  const Subject& good = a.good.subject;
  const auto whole = static_cast<double>(sum_of(a.timing));
  for (const TimingDifference& d : a.timing) {
    const Model::Task& task = good.model.tasks[d.first];
    timing.add(Json::object({{"name", task_name(good.trace, 0, task.name, task.location)},
                             {"location", location_json(good.trace, task.location)},
                             {"tasks", d.count},
                             {"good", sums_json(d.good)},
                             {"bad", sums_json(d.bad)},
                             {"share", static_cast<double>(d.size()) / whole}}));
  }
  Json json = json_document("skein.diff/1");
  const TaskCounts counts = count_tasks(a.good, a.aligned.in_bad);
  json.set("good_tasks", counts.tasks);
  json.set("bad_tasks", count_tasks(a.bad, a.aligned.in_good).tasks);
  json.set("matched", counts.matched);
  json.set("divergences", std::move(divergences));
  json.set("timing", std::move(timing));
  return json;
}

}  // namespace skein
