#include "report/critical.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/escape.h"
#include "base/percent.h"
#include "base/text.h"
#include "trace/model/names.h"

namespace skein {

namespace {

// The location of its wait, else of its task's creation.
uint32_t location_of(const Model& model, const Segment& s) {
  if (s.location != 0 || s.task == no_index) return s.location;
  return model.tasks[s.task].location;
}

struct Cells {
  std::string task, state, location;
};

Cells cells(const Trace& trace, const Model& model, const Segment& s) {
  Cells cells;
  cells.task = s.task == no_index ? "-" : escaped(task_title(trace, model.tasks[s.task]));
  cells.state = escaped(segment_text(trace, model, s));
  cells.location = escaped(location_text(trace, location_of(model, s)));
  return cells;
}

constexpr std::array kinds = {Segment::Kind::Running, Segment::Kind::Ready, Segment::Kind::Blocked,
                              Segment::Kind::External, Segment::Kind::Before};

void add_sums(std::string& out, const std::vector<Segment>& path, uint64_t whole) {
  for (const Segment::Kind kind : kinds) {
    uint64_t sum = 0;
    for (const Segment& s : path)
      if (s.kind == kind) sum += s.end - s.begin;
    if (sum == 0) continue;
    const std::string duration = duration_text(sum);
    const std::string share = percent_text(static_cast<double>(sum), static_cast<double>(whole));
    char line[80];
    std::snprintf(line, sizeof line, "  %-16s %10s %7s\n", std::string(name(kind)).c_str(),
                  duration.c_str(), share.c_str());
    out += line;
  }
}

// Appends the steps by time. If there are many, short steps are merged into lines with their total.
void add_path(std::string& out, const Trace& trace, const Model& model,
              const std::vector<Segment>& path, bool all) {
  constexpr size_t most = 40;
  std::vector<uint64_t> lengths;
  for (const Segment& s : path) lengths.push_back(s.end - s.begin);
  uint64_t least = 0;
  if (!all && lengths.size() > most) {
    std::nth_element(lengths.begin(), lengths.begin() + most, lengths.end(), std::greater<>());
    least = lengths[most] + 1;
  }
  std::vector<std::vector<std::string>> lines;
  for (size_t i = 0; i < path.size();) {
    const Segment& s = path[i];
    if (s.end - s.begin >= least) {
      Cells row = cells(trace, model, s);
      lines.push_back({seconds(s.begin), duration_text(s.end - s.begin), std::move(row.task),
                       std::move(row.state), std::move(row.location)});
      i++;
      continue;
    }
    const size_t first = i;
    while (i < path.size() && path[i].end - path[i].begin < least) i++;
    lines.push_back({seconds(s.begin), duration_text(path[i - 1].end - s.begin), "...",
                     counted(i - first, "short step"), ""});
  }
  append_columns(out, lines, ">><<<", 2);
}

// "; its thread waited 12 ms for a CPU, which ran cc1plus". Empty if it hardly waited.
std::string cpu_wait_text(const Trace& trace, const Segment& segment) {
  const uint64_t whole = segment.end - segment.begin;
  if (segment.cpu_wait == 0 || segment.cpu_wait < whole / 10) return "";
  std::string text = "; its thread waited " + duration_text(segment.cpu_wait) + " for a CPU";
  if (segment.ran_instead != 0)
    text += ", which ran " + std::string(trace.strings[segment.ran_instead]);
  return text;
}

}  // namespace

std::string segment_text(const Trace& trace, const Model& model, const Segment& segment) {
  const auto title = [&](TaskIndex task) { return task_title(trace, model.tasks[task]); };
  std::string text(name(segment.kind));
  if (segment.kind == Segment::Kind::Blocked)
    text += " on " + (segment.on == no_index ? "an unrecorded target" : title(segment.on));
  if (segment.kind == Segment::Kind::Ready && segment.on != no_index)
    text += ", while " + title(segment.on) + " ran";
  return text + cpu_wait_text(trace, segment);
}

std::string critical_text(const Trace& trace, const Model& model, const CriticalPath& path,
                          bool all) {
  const uint64_t whole = path.to - path.from;
  std::string out = path.task == no_index ? std::string("outside any task")
                                          : escaped(task_title(trace, model.tasks[path.task]));
  out += ", from " + seconds(path.from) + " s to " + seconds(path.to) +
         " s: " + duration_text(whole) + "\n";
  add_sums(out, path.segments, whole);
  out += '\n';
  add_path(out, trace, model, path.segments, all);
  return out;
}

Json critical_json(const Trace& trace, const Model& model, const CriticalPath& path) {
  Json segments = Json::array();
  for (const Segment& s : path.segments) {
    Json segment = Json::object({{"begin_ns", s.begin},
                                 {"end_ns", s.end},
                                 {"kind", name(s.kind)},
                                 {"task", task_json(trace, model, s.task)},
                                 {"target", task_json(trace, model, s.on)},
                                 {"location", location_json(trace, location_of(model, s))}});
    if (s.cpu_wait != 0) segment.set("cpu_wait_ns", s.cpu_wait);
    if (s.ran_instead != 0) segment.set("ran_instead", trace.strings[s.ran_instead]);
    segments.add(std::move(segment));
  }
  Json json = json_document("skein.critical/1");
  json.set("task", task_json(trace, model, path.task));
  json.set("from_ns", path.from);
  json.set("to_ns", path.to);
  json.set("segments", std::move(segments));
  return json;
}

}  // namespace skein
