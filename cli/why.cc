// `skein why`: what is stuck, on what, and what is wrong there, in words.
#include "trace/ask/why.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/text.h"
#include "cli/asked.h"
#include "cli/commands.h"
#include "cli/fail.h"
#include "cli/print.h"
#include "trace/ask/words.h"
#include "trace/model/names.h"

namespace skein::cli {

namespace {

std::string title(const Subject& facts, TaskIndex task) {
  return task_title(facts.trace, facts.model.tasks[task]);
}

// How long it did that, or how long ago it ended.
std::string age(const Subject& facts, const Diagnosis::Step& step) {
  const Model::Task& task = facts.model.tasks[step.task];
  const bool has_ended = task.how != Model::End::Open;
  const bool waits = step.wait != Waits::none || step.holding != Waits::none;
  const auto end = static_cast<double>(has_ended && waits ? task.end : facts.model.end);
  const std::string text =
      duration_text(std::max(0.0, end - static_cast<double>(since(facts, step))));
  return has_ended && !waits ? text + " ago" : "for " + text;
}

std::string does(const Subject& facts, const Diagnosis& d, size_t step) {
  const Doing what = doing(facts, d, step);
  std::string text(what.words);
  return what.whom == no_index ? text : text + ' ' + title(facts, what.whom);
}

// What is wrong, in sentences.
std::string text(const Subject& facts, const Diagnosis& d) {
  std::string out;
  for (const Part& part : explain(facts, d)) switch (part.what) {
      case Part::What::Words:
        out += part.words;
        break;
      case Part::What::Task:
        out += title(facts, static_cast<TaskIndex>(part.value));
        break;
      case Part::What::Place:
        out += place_text(facts.trace, static_cast<uint32_t>(part.value));
        break;
      case Part::What::Time:
        out += seconds(part.value) + " s";
        break;
      case Part::What::Duration:
        out += duration_text(static_cast<double>(part.value));
        break;
    }
  return out;
}

// The steps as columns.
void add_chain(std::string& out, const Subject& facts, const Diagnosis& d) {
  std::vector<std::vector<std::string>> lines;
  for (size_t i = 0; i < d.chain.size(); i++) {
    const Diagnosis::Step& step = d.chain[i];
    lines.push_back({escaped(title(facts, step.task)), escaped(does(facts, d, i)), age(facts, step),
                     escaped(place_text(facts.trace, location_of(facts, step)))});
  }
  append_columns(out, lines, "<<<<", 2);
}

std::string headline(const Subject& facts, const Diagnosis& d) {
  std::string text =
      escaped(title(facts, d.chain.front().task)) + ": " + std::string(name(d.verdict));
  if (!d.also.empty()) text += " (and " + grouped(d.also.size()) + " more like it)";
  return text;
}

void add(std::string& out, const Subject& facts, const Diagnosis& d) {
  out += headline(facts, d) + '\n';
  add_chain(out, facts, d);
  append_paragraph(out, escaped(text(facts, d)), 2);
}

nlohmann::ordered_json to_json(const Subject& facts, const Diagnosis& d) {
  nlohmann::ordered_json chain = nlohmann::ordered_json::array();
  for (size_t i = 0; i < d.chain.size(); i++) {
    const Diagnosis::Step& step = d.chain[i];
    nlohmann::ordered_json line = task_json(facts.trace, facts.model, step.task);
    line["does"] = valid_utf8(does(facts, d, i));
    line["since_ns"] = since(facts, step);
    line["place"] = place_json(facts.trace, location_of(facts, step));
    const Waits::Touch& touch = facts.waits.touches[step.task];
    if (touch.kind != EventKind::Lost)
      line["last_touch"] = {{"event", name(touch.kind)},
                            {"time_ns", touch.time},
                            {"by", task_json(facts.trace, facts.model, touch.by)},
                            {"place", place_json(facts.trace, touch.location)}};
    chain.push_back(std::move(line));
  }
  nlohmann::ordered_json json = {{"verdict", name(d.verdict)},
                                 {"fault", d.is_fault()},
                                 {"text", valid_utf8(text(facts, d))},
                                 {"chain", std::move(chain)},
                                 {"more_like_it", d.also.size()}};
  if (d.notice != Waits::none) {
    const Waits::Notice& notice = facts.waits.notices[d.notice];
    json["notified"] = {{"time_ns", notice.time},
                        {"by", task_json(facts.trace, facts.model, notice.by)},
                        {"place", place_json(facts.trace, notice.location)}};
  }
  if (d.busy != no_index) json["ran_instead"] = task_json(facts.trace, facts.model, d.busy);
  return json;
}

std::vector<Diagnosis> ask(const Subject& facts, const std::string& asked) {
  if (asked.empty()) return diagnose_all(facts.trace, facts.model, facts.waits);
  const std::vector<TaskIndex> tasks = find_tasks(facts.trace, facts.model, asked);
  if (tasks.empty()) fail(2, "no task has the number, label or name " + asked);
  std::vector<Diagnosis> found;
  std::vector<TaskIndex> open;
  // Of a resource: who waits for it.
  for (const Waits::Wait& wait : facts.waits.waits)
    if (wait.is_open() && wait.on == tasks.front() && facts.model.tasks[tasks.front()].is_resource)
      open.push_back(wait.task);
  for (const TaskIndex task : tasks)
    if (!facts.model.tasks[task].is_resource && facts.model.tasks[task].how == Model::End::Open)
      open.push_back(task);
  for (const TaskIndex task : open.empty() ? std::vector{tasks.front()} : open)
    found.push_back(diagnose(facts.trace, facts.model, facts.waits, task));
  return found;
}

void add_all(std::string& out, const Subject& facts, const std::vector<Diagnosis>& found) {
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

int run_why(const WhyOptions& options) {
  const auto [trace, model, waits] = open_asked(options.trace);
  const Subject facts{trace, model, waits};
  const std::vector<Diagnosis> found = ask(facts, options.task);
  Output out(stdout);
  if (options.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Diagnosis& d : found) all.push_back(to_json(facts, d));
    out.text() += nlohmann::ordered_json{{"diagnoses", std::move(all)}}.dump(2) + '\n';
  } else {
    add_all(out.text(), facts, found);
  }
  out.finish();
  return std::any_of(found.begin(), found.end(), [](const auto& d) { return d.is_fault(); });
}

}  // namespace skein::cli
