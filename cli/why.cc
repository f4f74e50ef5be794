// `skein why`: what is stuck, on what, and what is wrong there, in words.
#include "trace/ask/why.h"

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "cli/asked.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "cli/running.h"
#include "trace/model/names.h"
#include "view/draw/text.h"

namespace skein::cli {

namespace {

struct Facts {
  const Trace& trace;
  const Model& model;
  const Waits& waits;

  std::string title(TaskIndex task) const { return task_title(trace, model.tasks[task]); }
  std::string place(uint32_t location) const { return place_text(trace, location); }
  std::string age(uint64_t time) const {
    return duration_text(static_cast<double>(model.end - std::min(time, model.end)));
  }
  std::string age(const Diagnosis::Step& step) const {
    const int64_t begin = since(step);
    if (begin >= 0) return age(static_cast<uint64_t>(begin));
    return duration_text(static_cast<double>(model.end) - static_cast<double>(begin));
  }
  // Where it is, or was made.
  uint32_t location_of(const Diagnosis::Step& step) const {
    if (step.wait != Waits::none && waits.waits[step.wait].location != 0)
      return waits.waits[step.wait].location;
    return model.tasks[step.task].location;
  }
  // Negative: that long before the trace.
  int64_t since(const Diagnosis::Step& step) const {
    const uint64_t time = step.holding != Waits::none ? waits.holdings[step.holding].begin
                          : step.wait != Waits::none  ? waits.waits[step.wait].begin
                                                      : model.tasks[step.task].start;
    const Alive* alive = time == 0 ? trace.find_alive(model.tasks[step.task].id) : nullptr;
    if (alive != nullptr && alive->since < 0) return alive->since;
    return static_cast<int64_t>(std::min<uint64_t>(time, INT64_MAX));
  }
  bool is_before(TaskIndex task) const {
    const Alive* alive = trace.find_alive(model.tasks[task].id);
    return alive != nullptr && alive->since < 0;
  }
};

// What the step waits for, or does.
std::string doing(const Facts& facts, const Diagnosis& d, size_t index) {
  const Diagnosis::Step& step = d.chain[index];
  const Model::Task& task = facts.model.tasks[step.task];
  const auto title_of_next = [&] {
    if (index + 1 < d.chain.size()) return facts.title(d.chain[index + 1].task);
    if (d.verdict == Verdict::Cycle) return facts.title(d.chain[d.cycle_begin].task);
    const TaskIndex on = step.wait == Waits::none ? no_index : facts.waits.waits[step.wait].on;
    return on == no_index ? std::string("something the trace does not name") : facts.title(on);
  };
  if (step.holding != Waits::none) return "is held by " + title_of_next();
  if (step.wait != Waits::none) return "waits for " + title_of_next();
  if (task.is_resource) return "is there";
  constexpr std::array<std::string_view, 5> ends = {"", "ended", "failed", "was cancelled", ""};
  if (task.how != Model::End::Open) return std::string(ends[static_cast<size_t>(task.how)]);
  if (facts.waits.running[step.task]) return "runs";
  return facts.waits.first_run[step.task] == Waits::never ? "was created" : "is suspended";
}

// The steps as columns.
void add_chain(std::string& out, const Facts& facts, const Diagnosis& d) {
  std::vector<std::vector<std::string>> lines;
  for (size_t i = 0; i < d.chain.size(); i++) {
    const Diagnosis::Step& step = d.chain[i];
    lines.push_back({escaped(facts.title(step.task)), escaped(doing(facts, d, i)),
                     "for " + facts.age(step),
                     escaped(facts.place(facts.location_of(step)))});
  }
  append_columns(out, lines, "<<<<", 2);
}

// What is wrong, in sentences.
class Verdicts {
 public:
  Verdicts(const Facts& facts, const Diagnosis& d) : facts_(facts), d_(d) {}

  std::string text() const {
    const Model::Task& task = facts_.model.tasks[last().task];
    switch (d_.verdict) {
      case Verdict::Fine:
        return "It has ended, or runs, or could not run for less than a millisecond.";
      case Verdict::NeverNotified:
        return never_notified();
      case Verdict::NotifiedTooEarly:
        return too_early();
      case Verdict::Cycle:
        return "They wait for each other in a circle: none of them can go on.";
      case Verdict::NeverReleased:
        return never_released();
      case Verdict::Outside:
        return title() + where(facts_.location_of(last())) +
               " has not completed: it is a time, or something outside of the program.";
      case Verdict::Starved:
        return starved();
      case Verdict::Cancelled:
        return title() + (task.failed() ? " failed " : " was cancelled ") + at(task.end) +
               reason() + ", and " + waiter() + ", which waits for it, was not resumed.";
      case Verdict::NeverStarted:
        return title() + " was created " +
               (task.pre_existing ? "before the trace" : at(task.start)) + where(task.location) +
               ", and nobody let it run.";
      case Verdict::Unknown:
        return "The trace does not say what " + title() +
               " waits for. To know more: use a primitive with a name (skein/sync.h), or give its "
               "awaiter a skein_awaits()." +
               last_touched();
    }
    return "";
  }

 private:
  const Diagnosis::Step& last() const { return d_.chain.back(); }
  const Diagnosis::Step& before_last() const {
    return d_.chain[d_.chain.size() < 2 ? 0 : d_.chain.size() - 2];
  }
  std::string title() const { return facts_.title(last().task); }
  std::string waiter() const { return facts_.title(before_last().task); }
  std::string where(uint32_t location) const {
    const std::string place = facts_.place(location);
    return place.empty() ? "" : " (" + place + ")";
  }
  std::string by(TaskIndex task, uint32_t location) const {
    return (task == no_index ? " outside of all tasks" : " by " + facts_.title(task)) +
           where(location);
  }
  static std::string at(uint64_t time) { return "at " + seconds(time) + " s"; }
  std::string reason() const {
    const StringId text = facts_.model.tasks[last().task].reason;
    return text == 0 ? "" : " (" + std::string(facts_.trace.strings[text]) + ")";
  }
  std::string last_touched() const {
    const Waits::Touch& touch = facts_.waits.touches[last().task];
    if (touch.kind == EventKind::Lost) return "";
    return " What happened to it last: " + std::string(name(touch.kind)) + " " + at(touch.time) +
           by(touch.by, touch.location) + ".";
  }

  std::string never_notified() const {
    if (facts_.model.tasks[last().task].is_resource)
      return "Nobody has notified " + title() + " since " + waiter() + " began to wait for it." +
             last_touched();
    return "Nobody has ended " + title() + "." + last_touched();
  }

  std::string too_early() const {
    if (d_.notice == Waits::none)  // a task that has ended
      return title() + " had ended " + at(facts_.model.tasks[last().task].end) + ", before " +
             waiter() + " began to wait for it: nobody will tell it.";
    const Waits::Notice& notice = facts_.waits.notices[d_.notice];
    const Waits::Wait& wait = facts_.waits.waits[before_last().wait];
    std::string text = title() + " was notified " + at(notice.time) +
                       by(notice.by, notice.location) + ", when nobody waited for it. " + waiter() +
                       " began to wait " + at(wait.begin) + where(wait.location) + ", " +
                       duration_text(static_cast<double>(wait.begin - notice.time)) +
                       " too late: such a signal is not remembered, and there was none since.";
    if (d_.waited_before)
      text += " (" + waiter() +
              " has waited there before and gone on. If it looks whether there is something to do "
              "before it waits, this may be as intended.)";
    return text;
  }

  std::string never_released() const {
    const Diagnosis::Step& lock = before_last();
    const Waits::Holding& held = facts_.waits.holdings[lock.holding];
    const Model::Task& holder = facts_.model.tasks[last().task];
    const bool before = held.begin == 0 && facts_.is_before(lock.task);
    const std::string text = title() + " has held " + facts_.title(lock.task) + " since " +
                             (before ? "before the trace" : seconds(held.begin) + " s") +
                             where(held.location);
    if (holder.how != Model::End::Open)
      return text + ", and ended " + at(holder.end) + " without releasing it.";
    return text + (facts_.waits.running[last().task] ? ", and runs." : ", and does not go on.");
  }

  std::string starved() const {
    const uint64_t ready = last().wait == Waits::none ? facts_.model.tasks[last().task].start
                                                      : facts_.waits.waits[last().wait].ready;
    std::string text = title() + " could go on " + at(ready) + ", " + facts_.age(ready) +
                       " before the end of the trace, and did not come to run.";
    if (d_.busy != no_index)
      text += " What ran on its executor the longest in that time: " + facts_.title(d_.busy) +
              where(facts_.model.tasks[d_.busy].location) + ".";
    return text;
  }

  const Facts& facts_;
  const Diagnosis& d_;
};

// At most `width` characters a line where words allow it, behind two spaces.
void add_paragraph(std::string& out, std::string_view text, size_t width) {
  size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (used != 0 && used + 1 + word.size() > width) {
      out += '\n';
      used = 0;
    }
    out += used == 0 ? "  " : " ";
    out += word;
    used += 1 + word.size();
  }
  out += '\n';
}

std::string headline(const Facts& facts, const Diagnosis& d) {
  std::string text =
      escaped(facts.title(d.chain.front().task)) + ": " + std::string(name(d.verdict));
  if (!d.also.empty()) text += " (and " + grouped(d.also.size()) + " more like it)";
  return text;
}

void add(std::string& out, const Facts& facts, const Diagnosis& d) {
  constexpr size_t width = 98;
  out += headline(facts, d) + '\n';
  add_chain(out, facts, d);
  add_paragraph(out, escaped(Verdicts(facts, d).text()), width);
}

nlohmann::ordered_json place_json(const Facts& facts, uint32_t location) {
  if (location == 0 || location >= facts.trace.locations.size()) return nullptr;
  const Location& place = facts.trace.locations[location];
  return {{"file", valid_utf8(facts.trace.strings[place.file])},
          {"line", place.line},
          {"function", valid_utf8(facts.trace.strings[place.function])}};
}

nlohmann::ordered_json task_json(const Facts& facts, TaskIndex task) {
  if (task == no_index) return nullptr;
  return {{"id", facts.model.tasks[task].id},
          {"name", valid_utf8(task_name(facts.trace, facts.model.tasks[task]))}};
}

nlohmann::ordered_json to_json(const Facts& facts, const Diagnosis& d) {
  nlohmann::ordered_json chain = nlohmann::ordered_json::array();
  for (size_t i = 0; i < d.chain.size(); i++) {
    const Diagnosis::Step& step = d.chain[i];
    nlohmann::ordered_json line = task_json(facts, step.task);
    line["does"] = valid_utf8(doing(facts, d, i));
    line["since_ns"] = facts.since(step);
    line["place"] = place_json(facts, facts.location_of(step));
    const Waits::Touch& touch = facts.waits.touches[step.task];
    if (touch.kind != EventKind::Lost)
      line["last_touch"] = {{"event", name(touch.kind)},
                            {"time_ns", touch.time},
                            {"by", task_json(facts, touch.by)},
                            {"place", place_json(facts, touch.location)}};
    chain.push_back(std::move(line));
  }
  nlohmann::ordered_json json = {{"verdict", name(d.verdict)},
                                 {"fault", d.is_fault()},
                                 {"text", valid_utf8(Verdicts(facts, d).text())},
                                 {"chain", std::move(chain)},
                                 {"more_like_it", d.also.size()}};
  if (d.notice != Waits::none) {
    const Waits::Notice& notice = facts.waits.notices[d.notice];
    json["notified"] = {{"time_ns", notice.time},
                        {"by", task_json(facts, notice.by)},
                        {"place", place_json(facts, notice.location)}};
  }
  if (d.busy != no_index) json["ran_instead"] = task_json(facts, d.busy);
  return json;
}

std::vector<Diagnosis> ask(const Facts& facts, const std::string& asked) {
  if (asked.empty()) return diagnose_all(facts.trace, facts.model, facts.waits);
  const std::vector<TaskIndex> tasks = find_tasks(facts.trace, facts.model, asked);
  if (tasks.empty()) fail(2, "no task has the number, label or name " + asked);
  std::vector<Diagnosis> found;
  std::vector<TaskIndex> open;
  for (const TaskIndex task : tasks)
    if (facts.model.tasks[task].how == Model::End::Open) open.push_back(task);
  for (const TaskIndex task : open.empty() ? std::vector{tasks.front()} : open)
    found.push_back(diagnose(facts.trace, facts.model, facts.waits, task));
  return found;
}

void add_all(std::string& out, const Facts& facts, const std::vector<Diagnosis>& found) {
  if (found.empty()) out += "Nothing is stuck: every task that matters has ended, or runs.\n";
  bool in_faults = false;
  for (size_t i = 0; i < found.size(); i++) {
    if (i > 0) out += '\n';
    if (in_faults && !found[i].is_fault()) out += "Not wrong by itself, and not ended:\n\n";
    in_faults = found[i].is_fault();
    add(out, facts, found[i]);
  }
}

}  // namespace

void add_why(CLI::App& app) {
  struct Options {
    std::string trace;
    std::string task;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("why", "What is stuck, on what, and what is wrong there");
  command->add_option("TRACE", options->trace, "a process that records, or a trace")->required();
  command->add_option("TASK", options->task, "only this one: its number, label or name");
  command->add_flag("--json", options->json, "as one JSON object");
  command->callback([options] {
    const auto [trace, model, waits] = open_asked(options->trace);
    const Facts facts{trace, model, waits};
    const std::vector<Diagnosis> found = ask(facts, options->task);
    Output out(stdout);
    if (options->json) {
      nlohmann::ordered_json all = nlohmann::ordered_json::array();
      for (const Diagnosis& d : found) all.push_back(to_json(facts, d));
      out.text() += nlohmann::ordered_json{{"diagnoses", std::move(all)}}.dump(2) + '\n';
    } else {
      add_all(out.text(), facts, found);
    }
    out.finish();
    if (std::any_of(found.begin(), found.end(), [](const auto& d) { return d.is_fault(); }))
      throw CLI::RuntimeError(1);
  });
}

}  // namespace skein::cli
