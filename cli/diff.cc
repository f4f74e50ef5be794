// `skein diff`: what went another way in one run than in another, and what took longer.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/text.h"
#include "cli/asked.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "cli/print.h"
#include "cli/running.h"
#include "cli/trace_input.h"
#include "cli/window.h"
#include "trace/ask/divergence.h"
#include "trace/ask/timing.h"
#include "trace/model/names.h"
#include "view/viewer/links.h"

namespace skein::cli {

namespace {

struct Side {
  std::string word;  // "good"
  Asked asked;
  Subject run() const { return {asked.trace, asked.model, asked.waits}; }

  std::string title(TaskIndex task) const {
    return task == no_index ? "nobody that the trace knows"
                            : escaped(task_title(asked.trace, asked.model.tasks[task]));
  }
  // " (Operation canceled)"
  std::string reason(TaskIndex task) const {
    const std::string_view why = asked.trace.strings[asked.model.tasks[task].reason];
    return why.empty() ? "" : " (" + escaped(why) + ")";
  }
  // " (Arp::query arp.cc:7)"
  std::string at(uint32_t location) const {
    const std::string place = place_text(asked.trace, location);
    return place.empty() ? "" : " (" + escaped(place) + ")";
  }
};

enum class Say { What, Who, Where };  // each with those before

// A sentence without its end.
std::string sentence(const Side& side, const Happening& h, Say say = Say::Where) {
  const std::string task = side.title(h.task);
  const std::string place = say == Say::Where ? side.at(h.location) : "";
  const bool by = say != Say::What && h.other != no_index;
  const std::string awaited = by ? ", which " + side.title(h.other) + " waited for" : "";
  switch (h.kind) {
    case EventKind::Suspend:
      return task + " began to wait" + (h.other == no_index ? "" : " for " + side.title(h.other)) +
             place;
    case EventKind::Notify:
      return task + " was notified" + (by ? " by " + side.title(h.other) : "") + place;
    case EventKind::Acquire:
      return task + " was taken by " + side.title(h.other) + place;
    case EventKind::Release:
      return task + " was released by " + side.title(h.other);
    case EventKind::Create:
      return task + " was created" + (by ? " by " + side.title(h.other) : "") + place;
    case EventKind::Fail:
      return task + " failed" + side.reason(h.task) + awaited + place;
    case EventKind::Resume:
      return task + " let " + side.title(h.other) + " go on" +
             (side.asked.model.tasks[h.task].failed() ? ", and failed" + side.reason(h.task) : "") +
             place;
    case EventKind::Cancel:
      return task + " was cancelled" + awaited + place;
    case EventKind::Resolve:
      return task + " ended" + awaited + place;
    default:
      return "nothing of it is in the trace";
  }
}

bool is_only_in(const Divergence& d) {
  return d.what == Divergence::What::OnlyInGood || d.what == Divergence::What::OnlyInBad;
}

std::vector<std::string> line(const Side& side, const Happening& h, bool is_first) {
  return {is_first ? "in " + side.word : "", seconds(h.time) + " s", sentence(side, h, Say::Who),
          escaped(place_text(side.asked.trace, h.location))};
}

struct Answer {
  Side good;
  Side bad;
  Alignment aligned;
  std::vector<Divergence> divergences;
  std::vector<TimingDifference> timing;
  bool good_is_worse = false;
};

std::string first_of(uint64_t tasks) {
  return tasks == 1 ? "." : ", the first of " + grouped(tasks) + ".";
}

std::string more_like_it(const Divergence& d) {
  return d.tasks == 1 ? "." : ", and " + grouped(d.tasks - 1) + " more like it.";
}

// What it is, in one sentence.
std::string headline(const Answer& a, const Divergence& d) {
  const auto distance = [](const Happening& x, const Happening& y) {
    return span(x.time < y.time ? y.time - x.time : x.time - y.time);
  };
  const std::string in_bad = "; in " + a.bad.word + " ";
  const std::string good = d.good.task == no_index
                               ? ""
                               : "In " + a.good.word + " " + sentence(a.good, d.good, Say::What);
  const bool same = d.bad.kind == d.good.kind;  // or it waits for what it had there
  switch (d.what) {
    case Divergence::What::Order:
      return good + " " + distance(d.good, d.good_later) + " before " +
             sentence(a.good, d.good_later, Say::What) + in_bad +
             (same ? "" : sentence(a.bad, d.bad, Say::What) + " ") +
             distance(d.bad, d.bad_earlier) + " after" +
             (same ? "." : " " + sentence(a.bad, d.bad_earlier, Say::What) + ".");
    case Divergence::What::NotDone:
      return good + in_bad + "that did not happen.";
    case Divergence::What::OtherEnd:
      return good + in_bad + sentence(a.bad, d.bad, Say::What) + more_like_it(d);
    case Divergence::What::OtherWay:
      return good + in_bad + "after the same waits " + sentence(a.bad, d.bad, Say::What) + ".";
    case Divergence::What::OnlyInGood:
      return "Only in " + a.good.word + ": " + sentence(a.good, d.good) + first_of(d.tasks);
    case Divergence::What::OnlyInBad:
      return "Only in " + a.bad.word + ": " + sentence(a.bad, d.bad) + first_of(d.tasks);
  }
  return "";
}

// "Only in good: send, close and 12 more kinds of tasks"; empty if there are none.
std::string only_in(const Side& side, const std::vector<Divergence>& divergences,
                    Divergence::What what) {
  constexpr size_t most = 6;
  std::string text;
  size_t kinds = 0;
  for (const Divergence& d : divergences) {
    if (d.what != what || kinds++ >= most) continue;
    const TaskIndex task = what == Divergence::What::OnlyInGood ? d.good.task : d.bad.task;
    text += (text.empty() ? "" : ", ") +
            escaped(task_name(side.asked.trace, side.asked.model.tasks[task]));
  }
  if (kinds == 0) return "";
  if (kinds > most) text += " and " + grouped(kinds - most) + " more kinds of tasks";
  return "Only in " + side.word + ": " + text;
}

// Each run's side of it, in the order of time.
void add_evidence(std::string& out, const Answer& a, const Divergence& d) {
  std::vector<std::vector<std::string>> lines;
  const bool order = d.what == Divergence::What::Order;
  if (d.good.kind != EventKind::Lost) lines.push_back(line(a.good, d.good, true));
  if (order) {
    lines.push_back(line(a.good, d.good_later, false));
    lines.push_back(line(a.bad, d.bad_earlier, true));
  }
  if (d.bad.kind != EventKind::Lost) lines.push_back(line(a.bad, d.bad, !order));
  append_columns(out, lines, "<><<", 2);
}

// "So in bad query (#7) does not end: never notified."; empty if nobody waits for ever.
std::string consequence(const Answer& a, const Divergence& d) {
  if (d.victim.chain.empty()) return "";
  std::string out =
      "So in " + a.bad.word + " " + a.bad.title(d.victim.chain.front().task) + " does not end";
  if (d.tasks > 1) out += ", nor do " + grouped(d.tasks - 1) + " more like it";
  if (d.victim.verdict == Verdict::Outside)
    out += ", for it waits for " + a.bad.title(d.victim.chain.back().task);
  else if (d.victim.verdict != Verdict::Fine)
    out += ": " + std::string(name(d.victim.verdict));
  return out + ".";
}

void add_divergences(std::string& out, const Answer& a) {
  if (a.good_is_worse)
    out += "What went wrong did so in good: is it the bad run? Try them the other way round.\n\n";
  if (a.divergences.empty()) {
    out += "Nothing causal differs: what is in both runs came out alike.\n";
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
  for (const Divergence::What what : {Divergence::What::OnlyInGood, Divergence::What::OnlyInBad}) {
    const Side& side = what == Divergence::What::OnlyInGood ? a.good : a.bad;
    if (std::string text = only_in(side, a.divergences, what); !text.empty())
      lines.push_back(std::move(text));
  }
  if (!lines.empty() && a.divergences.size() > 1) {
    out += "\nWhat else differs, and may follow from it:\n";
    for (const std::string& text : lines) append_paragraph(out, text, 2);
  }
}

// Two runs never take the same time. What is a millisecond or more, a hundredth of all differences,
// and a tenth of the group's own time is told.
bool matters(const TimingDifference& d, uint64_t whole) {
  return d.size() >= soon && d.size() >= whole / 100 &&
         d.size() >= std::max(d.good.all(), d.bad.all()) / 10;
}

std::string signed_span(uint64_t good, uint64_t bad) {
  if (good == bad) return "";
  return good < bad ? "+" + span(bad - good) : "-" + span(good - bad);
}

void add_timing(std::string& out, const Answer& a, size_t most) {
  const uint64_t whole = sum_of(a.timing);
  std::vector<std::vector<std::string>> lines = {
      {"tasks", "in good", "in bad", "difference", "share", "running", "ready", "blocked", ""}};
  size_t left = 0;
  for (const TimingDifference& d : a.timing) {
    if (!matters(d, whole) || lines.size() > most) {
      left++;
      continue;
    }
    char share[16];
    std::snprintf(share, sizeof share, "%.1f %%",
                  100 * static_cast<double>(d.size()) / static_cast<double>(whole));
    const Model::Task& task = a.good.asked.model.tasks[d.first];
    const std::string name = task_name(a.good.asked.trace, 0, task.name, task.location);
    lines.push_back(
        {grouped(d.count), span(d.good.all()), span(d.bad.all()),
         signed_span(d.good.all(), d.bad.all()), share, signed_span(d.good.running, d.bad.running),
         signed_span(d.good.ready, d.bad.ready), signed_span(d.good.blocked, d.bad.blocked),
         escaped(name) + a.good.at(task.location)});
  }
  if (lines.size() == 1) return;
  out += "\nTime of their own, of tasks that ended in both:\n";
  append_columns(out, lines, ">>>>>>>><", 2);
  if (left > 0)
    out += "  and " + grouped(left) +
           (left == 1 ? " group that hardly differs\n" : " groups that hardly differ\n");
}

void add_heading(std::string& out, const Answer& a) {
  std::vector<std::vector<std::string>> lines;
  const auto add = [&](const Side& side, const std::vector<TaskIndex>& twins) {
    size_t tasks = 0, only_here = 0;
    for (TaskIndex i = 0; i < twins.size(); i++) {
      if (side.asked.model.tasks[i].is_resource) continue;
      tasks++;
      only_here += twins[i] == no_index;
    }
    lines.push_back({side.word, span(side.asked.model.end), grouped(tasks) + " tasks",
                     grouped(only_here) + " only here"});
  };
  add(a.good, a.aligned.in_bad);
  add(a.bad, a.aligned.in_good);
  append_columns(out, lines, "<>>>", 0);
  out += '\n';
}

nlohmann::ordered_json to_json(const Side& side, const Happening& h) {
  if (h.kind == EventKind::Lost) return nullptr;
  const Trace& trace = side.asked.trace;
  return {{"event", h.kind == EventKind::Suspend ? "wait" : name(h.kind)},
          {"time_ns", h.time},
          {"task", task_json(trace, side.asked.model, h.task)},
          {"other", task_json(trace, side.asked.model, h.other)},
          {"place", place_json(trace, h.location)},
          {"text", valid_utf8(sentence(side, h))}};
}

nlohmann::ordered_json to_json(const TimingDifference::Sums& sums) {
  return {{"running_ns", sums.running}, {"ready_ns", sums.ready}, {"blocked_ns", sums.blocked}};
}

nlohmann::ordered_json to_json(const Answer& a) {
  nlohmann::ordered_json divergences = nlohmann::ordered_json::array();
  for (const Divergence& d : a.divergences) {
    nlohmann::ordered_json one = {{"what", name(d.what)},
                                  {"text", valid_utf8(headline(a, d))},
                                  {"good", to_json(a.good, d.good)},
                                  {"bad", to_json(a.bad, d.bad)}};
    if (d.what == Divergence::What::Order) {
      one["good_later"] = to_json(a.good, d.good_later);
      one["bad_earlier"] = to_json(a.bad, d.bad_earlier);
    }
    if (!d.victim.chain.empty()) {
      one["victim"] = task_json(a.bad.asked.trace, a.bad.asked.model, d.victim.chain.front().task);
      one["verdict"] = name(d.victim.verdict);
    }
    one["tasks"] = d.tasks;
    divergences.push_back(std::move(one));
  }
  nlohmann::ordered_json timing = nlohmann::ordered_json::array();
  for (const TimingDifference& d : a.timing) {
    const Model::Task& task = a.good.asked.model.tasks[d.first];
    timing.push_back(
        {{"name", valid_utf8(task_name(a.good.asked.trace, 0, task.name, task.location))},
         {"place", place_json(a.good.asked.trace, task.location)},
         {"count", d.count},
         {"good", to_json(d.good)},
         {"bad", to_json(d.bad)},
         {"share", static_cast<double>(d.size()) / static_cast<double>(sum_of(a.timing))}});
  }
  return {{"good_tasks", a.good.asked.model.tasks.size()},
          {"bad_tasks", a.bad.asked.model.tasks.size()},
          {"matched", a.aligned.matched},
          {"divergences", std::move(divergences)},
          {"timing", std::move(timing)}};
}

// What did not happen in the bad run is nowhere: the last that whoever should have done it did, or
// whoever waits for it.
Happening instead(const Answer& a, const Divergence& d) {
  TaskIndex task = d.good.task == no_index ? no_index : a.aligned.in_bad[d.good.task];
  if (task == no_index && !d.victim.chain.empty()) task = d.victim.chain.back().task;
  if (task == no_index) return {};
  const Model::Task& open = a.bad.asked.model.tasks[task];
  if (const Waits::Wait* wait = a.bad.asked.waits.open(task))
    return {.kind = EventKind::Suspend, .task = task, .other = wait->on, .time = wait->begin};
  return {.kind = EventKind::Create, .task = task, .time = open.start};
}

// What a picture shows of it: which task is which, and where they parted.
Links links_of(const Answer& a) {
  Links links;
  const auto id = [](const Side& side, TaskIndex task) { return side.asked.model.tasks[task].id; };
  for (TaskIndex good = 0; good < a.aligned.in_bad.size(); good++) {
    const TaskIndex bad = a.aligned.in_bad[good];
    if (bad == no_index) continue;
    // In a damaged trace two tasks may have one id; it leads to the last.
    const std::pair twins(id(a.good, good), id(a.bad, bad));
    if (a.good.asked.model.find(twins.first) == good && a.bad.asked.model.find(twins.second) == bad)
      links.twins.push_back(twins);
  }
  if (a.divergences.empty()) return links;
  const Divergence& first = a.divergences.front();
  const auto note = [&](uint32_t trace, const Side& side, const Happening& h, std::string before) {
    if (h.kind == EventKind::Lost || h.task == no_index) return;
    links.notes.push_back({.trace = trace,
                           .task = id(side, h.task),
                           .clock = side.asked.trace.facts.start + h.time,
                           .text = std::move(before) + sentence(side, h, Say::What)});
  };
  const bool order = first.what == Divergence::What::Order;
  note(0, a.good, first.good, order ? "first: " : "");
  if (order) {
    note(0, a.good, first.good_later, "then: ");
    note(1, a.bad, first.bad_earlier, "first: ");
  }
  note(1, a.bad, first.bad, order ? "then: " : "");
  if (first.bad.kind == EventKind::Lost) note(1, a.bad, instead(a, first), "meanwhile: ");
  links.text = "First divergence: " + headline(a, first);
  if (const std::string text = consequence(a, first); !text.empty()) links.text += ' ' + text;
  links.text.pop_back();  // the full stop
  return links;
}

// In a picture the runs are called as their traces are, if that tells them apart.
void name_runs(Answer& a, const std::string& good, const std::string& bad) {
  const bool are_told_apart = trace_name(good) != trace_name(bad);
  a.good.word = are_told_apart ? escaped(trace_name(good)) : "good (above)";
  a.bad.word = are_told_apart ? escaped(trace_name(bad)) : "bad (below)";
}

void write_picture(const Answer& a, const std::string& good, const std::string& bad,
                   const std::string& output) {
  write_page({.traces = {trace_directory(good), trace_directory(bad)},
              .output = output,
              .title = trace_name(good) + " and " + trace_name(bad),
              .together = true,
              .links = write_links(links_of(a))});
}

}  // namespace

int run_diff(const DiffOptions& options) {
  refuse_twice(std::array{options.good, options.bad});
  const bool draws = options.view || !options.page.empty();
  if (draws) refuse_streams(std::array{options.good, options.bad}, options.page);
  const std::string window = options.view ? window_program() : "";
  Answer a{.good = {"good", open_asked(options.good)},
           .bad = {"bad", open_asked(options.bad)},
           .aligned = {},
           .divergences = {},
           .timing = {},
           .good_is_worse = false};
  const Subject good = a.good.run(), bad = a.bad.run();
  a.aligned = align(good, bad);
  a.divergences = find_divergences(good, bad, a.aligned);
  if (std::all_of(a.divergences.begin(), a.divergences.end(), is_only_in)) {
    const Alignment reversed{a.aligned.in_bad, a.aligned.in_good, a.aligned.matched, a.aligned.bad,
                             a.aligned.good};
    const auto others = find_divergences(bad, good, reversed);
    a.good_is_worse = !std::all_of(others.begin(), others.end(), is_only_in);
  }
  a.timing = timing_differences(good, bad, a.aligned);
  Output out(stdout);
  if (options.json) {
    out.text() += to_json(a).dump(2) + '\n';
  } else {
    add_heading(out.text(), a);
    add_divergences(out.text(), a);
    add_timing(out.text(), a, options.lines);
  }
  out.finish();
  name_runs(a, options.good, options.bad);
  if (!options.page.empty()) write_picture(a, options.good, options.bad, options.page);
  if (options.view)
    become_window(window, {"--links", hand_over(write_links(links_of(a)))},
                  {trace_directory(options.good), trace_directory(options.bad)});
  return a.divergences.empty() ? 0 : 1;
}

}  // namespace skein::cli
