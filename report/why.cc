#include "report/why.h"

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "report/explain.h"
#include "trace/model/names.h"

namespace skein {

namespace {

std::string title(const Subject& facts, TaskIndex task) {
  return task_title(facts.trace, facts.model.tasks[task]);
}

// How long it did that, or how long ago it was created or ended.
std::string age(const Subject& facts, const Diagnosis::Step& step) {
  const Model::Task& task = facts.model.tasks[step.task];
  const bool has_ended = task.how != Model::End::Open;
  const bool waits = step.wait != Waits::none || step.holding != Waits::none;
  const auto end = static_cast<double>(has_ended && waits ? task.end : facts.model.end);
  const std::string text =
      duration_text(std::max(0.0, end - static_cast<double>(since(facts, step))));
  const bool is_moment = has_ended || facts.waits.first_run[step.task] == Waits::never;
  return is_moment && !waits && !task.is_resource ? text + " ago" : "for " + text;
}

std::string does(const Subject& facts, const Diagnosis& d, size_t step) {
  const StepText what = describe_step(facts, d, step);
  std::string text(what.text);
  return what.target == no_index ? text : text + ' ' + title(facts, what.target);
}

// What is wrong, in sentences.
std::string text(const Subject& facts, const Diagnosis& d) {
  std::string out;
  for (const TextRun& run : explain(facts, d)) switch (run.kind) {
      case TextRun::Kind::Text:
        out += run.text;
        break;
      case TextRun::Kind::Task:
        out += title(facts, static_cast<TaskIndex>(run.value));
        break;
      case TextRun::Kind::Location:
        out += location_text(facts.trace, static_cast<uint32_t>(run.value));
        break;
      case TextRun::Kind::Time:
        out += seconds(run.value) + " s";
        break;
      case TextRun::Kind::Duration:
        out += duration_text(run.value);
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
                     escaped(location_text(facts.trace, location_of(facts, step)))});
  }
  append_columns(out, lines, "<<<<", 2);
}

std::string headline(const Subject& facts, const Diagnosis& d) {
  std::string text =
      escaped(title(facts, d.chain.front().task)) + ": " + std::string(name(d.verdict));
  if (!d.similar.empty()) text += " (and " + grouped(d.similar.size()) + " similar)";
  return text;
}

void add(std::string& out, const Subject& facts, const Diagnosis& d) {
  out += headline(facts, d) + '\n';
  add_chain(out, facts, d);
  append_paragraph(out, escaped(text(facts, d)), 2);
}

Json event_json(const Subject& facts, uint64_t time, TaskIndex by, uint32_t location) {
  return Json::object({{"time_ns", time},
                       {"by", task_json(facts.trace, facts.model, by)},
                       {"location", location_json(facts.trace, location)}});
}

Json diagnosis_json(const Subject& facts, const Diagnosis& d) {
  Json chain = Json::array();
  for (size_t i = 0; i < d.chain.size(); i++) {
    const Diagnosis::Step& step = d.chain[i];
    const StepText described = describe_step(facts, d, i);
    const Waits::LastEvent& event = facts.waits.last_events[step.task];
    Json last_event;
    if (event.kind != EventKind::Lost) {
      last_event = event_json(facts, event.time, event.by, event.location);
      last_event.set("event", name(event.kind));
    }
    chain.add(Json::object({{"task", task_json(facts.trace, facts.model, step.task)},
                            {"does", described.text},
                            {"target", task_json(facts.trace, facts.model, described.target)},
                            {"since_ns", since(facts, step)},
                            {"location", location_json(facts.trace, location_of(facts, step))},
                            {"last_event", std::move(last_event)}}));
  }
  Json notification;
  if (d.notification != Waits::none) {
    const Waits::Notification& event = facts.waits.notifications[d.notification];
    notification = event_json(facts, event.time, event.by, event.location);
  }
  return Json::object({{"verdict", name(d.verdict)},
                       {"error", d.is_error()},
                       {"text", text(facts, d)},
                       {"chain", std::move(chain)},
                       {"similar", d.similar.size()},
                       {"notification", std::move(notification)},
                       {"blocker", task_json(facts.trace, facts.model, d.blocker)}});
}

}  // namespace

std::string why_text(const Subject& facts, const std::vector<Diagnosis>& found) {
  std::string out;
  if (found.empty()) out += "No stuck tasks found.\n";
  bool in_faults = false;
  for (size_t i = 0; i < found.size(); i++) {
    if (i > 0) out += '\n';
    if (in_faults && !found[i].is_error()) out += "Pending, but not an error by itself:\n\n";
    in_faults = found[i].is_error();
    add(out, facts, found[i]);
  }
  return out;
}

Json why_json(const Subject& facts, const std::vector<Diagnosis>& found) {
  Json all = Json::array();
  for (const Diagnosis& d : found) all.add(diagnosis_json(facts, d));
  Json json = json_document("skein.why/1");
  json.set("diagnoses", std::move(all));
  return json;
}

}  // namespace skein
