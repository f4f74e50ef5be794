#include "report/info.h"

#include <algorithm>

#include "base/escape.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace skein {

namespace {

// "server, pid 7 on host"; empty if unknown.
std::string describe(const Process& process, const Machine& machine) {
  std::string text = escaped(process.name);
  if (process.pid) text += (text.empty() ? "pid " : ", pid ") + std::to_string(process.pid);
  if (!machine.name.empty()) text += (text.empty() ? "on " : " on ") + escaped(machine.name);
  return text;
}

// The start time, in ns since 1970.
std::optional<int64_t> start_utc(const TraceInfo& info) {
  if (!info.utc_offset) return {};
  return static_cast<int64_t>(info.start) + *info.utc_offset;
}

std::string utc_time(const TraceInfo& info) {
  const int64_t start = start_utc(info).value_or(-1);
  return start < 0 ? "unknown" : utc_text(start, 1);
}

// What the rings held, and would need to hold everything.
struct Kept {
  struct Ring {
    uint32_t stream;
    const Executor* thread;  // null: unknown
    uint64_t bytes;
    uint64_t held;  // ns
  };
  std::vector<Ring> rings;  // that overwrote events, the shortest first
  uint64_t recorded = 0;    // ns, from the start of the recording
  double bytes_per_second = 0;
  double needed = 0;  // bytes
};

Kept find_kept(const Trace& trace, const Summary& summary) {
  const TraceInfo& info = trace.info;
  const uint64_t end = std::max(info.ended, summary.span_ns);
  Kept kept;
  kept.recorded = info.before + end;
  kept.needed = static_cast<double>(info.bytes);
  for (const TraceInfo::Ring& ring : info.rings) {
    const auto thread =
        std::find_if(trace.executors.begin(), trace.executors.end(),
                     [&](const Executor& executor) { return executor.stream == ring.stream; });
    const uint64_t held = end > ring.from ? end - ring.from : 0;
    kept.rings.push_back({.stream = ring.stream,
                          .thread = thread == trace.executors.end() ? nullptr : &*thread,
                          .bytes = ring.bytes,
                          .held = held});
    if (held == 0) continue;
    const double rate = static_cast<double>(ring.bytes) / static_cast<double>(held);
    kept.bytes_per_second += rate * 1e9;
    kept.needed += rate * static_cast<double>(kept.recorded - held);
  }
  stable_sort_by(kept.rings, [](const Kept::Ring& ring) { return ring.held; });
  return kept;
}

std::string thread_text(const Trace& trace, const Kept::Ring& ring) {
  if (ring.thread == nullptr) return "stream " + std::to_string(ring.stream);
  const std::string name = escaped(trace.strings[ring.thread->name]);
  return "thread " + name + (name.empty() ? "" : " ") + std::to_string(ring.thread->tid);
}

// "the last 5.20 s of 61.0 s in thread main 77, the last 9.00 s in ..."
std::string held_text(const Trace& trace, const Kept& kept) {
  constexpr size_t most_threads = 3;
  std::string text;
  for (size_t i = 0; i < std::min(most_threads, kept.rings.size()); i++) {
    text += (i == 0 ? "the last " : ", ") + duration_text(kept.rings[i].held);
    if (i == 0) text += " of " + duration_text(kept.recorded);
    text += " in " + thread_text(trace, kept.rings[i]);
  }
  if (kept.rings.size() > most_threads)
    text += ", longer in " + counted(kept.rings.size() - most_threads, "other thread");
  return text;
}

// The options that would have kept everything. A ring's newest chunk is a sixth of it, and empty at
// first.
std::string needed_text(const Kept& kept) {
  constexpr double MiB = 1 << 20;
  constexpr uint64_t most_size = 16384;  // of --most, MiB
  const auto most = static_cast<uint64_t>(kept.needed * 1.25 / MiB) + 1 + kept.rings.size();
  const uint64_t keep = kept.recorded / 1'000'000'000 + 1;
  std::string rate = count_text(static_cast<int64_t>(kept.bytes_per_second));
  if (rate.back() >= '0' && rate.back() <= '9') rate += ' ';
  return "at " + rate + "B/s, all of it needs " +
         (most > most_size || keep > 24 * 3600
              ? "--mode log"
              : "--keep " + std::to_string(keep) + "s --most " + std::to_string(most) + "M");
}

}  // namespace

std::string info_text(const Trace& trace, const Summary& summary) {
  constexpr size_t most_losses = 20;
  const TraceInfo& info = trace.info;
  std::string out;
  const auto line = [&](std::string_view name, std::string_view value) {
    out += name;
    out.append(name.size() < 12 ? 12 - name.size() : 1, ' ');
    out += value;
    out += '\n';
  };
  const auto list = [&](std::string_view name, auto& pairs, auto text_of) {
    for (const auto& [key, count] : pairs) {
      std::string number = grouped(count);
      if (number.size() < 12) number.insert(0, 12 - number.size(), ' ');
      line(name, number + "  " + text_of(key));
      name = "";
    }
  };
  const bool is_carried = !info.format.starts_with(info.carrier);
  line("format", escaped(info.format) + (is_carried ? " in " + info.carrier : "") + ", " +
                     counted(info.packets, "packet") + " in " + counted(info.streams, "stream"));
  std::string_view process_line = "program";
  for (const Process& process : trace.processes) {
    const std::string program = describe(process, trace.machine_of(process));
    if (program.empty()) continue;
    line(process_line, program);
    process_line = "";
  }
  line("clock", escaped(info.clock));
  if (info.utc_offset) line("start", utc_time(info));
  line("span", seconds(summary.span_ns) + " s");
  if (info.late > 0) line("", "recording began " + duration_text(info.late) + " after the program");
  if (info.ended > 0) line("ended", "at " + seconds(info.ended) + " s");
  if (info.sample_rate > 0)
    line("samples", grouped(info.sample_rate) + " a second of CPU time" +
                        (info.missed_samples > 0
                             ? "; " + counted(info.missed_samples, "period") + " without"
                             : ""));
  if (summary.thread_waits > 0)
    line("waits", counted(summary.thread_waits, "wait") + " of threads, " +
                      duration_text(summary.thread_waits_ns) + " together");
  line("events", grouped(summary.events));
  list("", summary.kinds, [](const std::string& kind) { return escaped(kind); });
  if (!info.definitions.empty()) {
    std::string names;
    for (const auto& [name, count] : info.definitions)
      names += (names.empty() ? "" : ", ") + grouped(count) + " " + name;
    line("definitions", names);
  }
  std::string tasks = grouped(summary.tasks) + ": " + grouped(summary.ended) + " ended, " +
                      grouped(summary.live) + " live";
  if (summary.waiting) tasks += " (" + grouped(summary.waiting) + " waiting)";
  if (summary.failed) tasks += ", " + grouped(summary.failed) + " failed";
  if (summary.pre_existing) tasks += ", " + grouped(summary.pre_existing) + " pre-existing";
  if (summary.created_twice) tasks += ", " + grouped(summary.created_twice) + " created twice";
  if (summary.stuck)
    tasks += ", " + grouped(summary.stuck) + " live although marked should_resolve";
  line("tasks", tasks);
  if (summary.resources) line("resources", grouped(summary.resources));
  line("labels", grouped(summary.labels));
  list("counters", summary.counters, [&](StringId name) { return escaped(trace.strings[name]); });
  if (info.overwritten_packets > 0) {
    line("ring", counted(info.overwritten_packets, "older packet") +
                     " overwritten (ring mode); definitions and live tasks are preserved");
    line("", "complete from " + seconds(info.complete_from) + " s on");
    if (const Kept kept = find_kept(trace, summary); !kept.rings.empty()) {
      line("", held_text(trace, kept));
      line("", needed_text(kept));
    }
  }
  if (trace.losses.empty()) line("lost", "nothing");
  for (size_t i = 0; i < trace.losses.size() && i < most_losses; i++)
    line(i == 0 ? "lost" : "", escaped(loss_text(trace.losses[i])));
  if (trace.losses.size() > most_losses)
    line("", "and " + grouped(trace.losses.size() - most_losses) + " more; see --json");
  return out;
}

Json info_json(const Trace& trace, const Summary& summary) {
  const TraceInfo& info = trace.info;
  Json json = json_document("skein.info/1");
  json.set("format", info.format);
  json.set("carrier", or_null(info.carrier));
  json.set("host", or_null(trace.machines[0].name));
  json.set("program", or_null(trace.processes[0].name));
  json.set("pid", id_or_null(trace.processes[0].pid));
  Json machines = Json::array();
  for (const Machine& machine : trace.machines)
    machines.add(
        Json::object({{"name", or_null(machine.name)}, {"boot_id", or_null(machine.boot_id)}}));
  json.set("machines", std::move(machines));
  Json processes = Json::array();
  for (const Process& process : trace.processes)
    processes.add(Json::object({{"pid", id_or_null(process.pid)},
                                {"program", or_null(process.name)},
                                {"machine", process.machine}}));
  json.set("processes", std::move(processes));
  json.set("clock", info.clock);
  json.set("start_ns", info.start);
  json.set("start_utc_ns", start_utc(info));
  json.set("packets", info.packets);
  json.set("streams", info.streams);
  json.set("events", summary.events);
  Json kinds = Json::object();
  for (const auto& [kind, count] : summary.kinds) kinds.set(kind, count);
  json.set("kinds", std::move(kinds));
  Json definitions = Json::object();
  for (const auto& [name, count] : info.definitions) definitions.set(name, count);
  json.set("definitions", std::move(definitions));
  json.set("tasks", summary.tasks);
  json.set("ended", summary.ended);
  json.set("live", summary.live);
  json.set("waiting", summary.waiting);
  json.set("failed", summary.failed);
  json.set("live_should_resolve", summary.stuck);
  json.set("pre_existing", summary.pre_existing);
  json.set("created_twice", summary.created_twice);
  json.set("resources", summary.resources);
  json.set("labels", summary.labels);
  Json counters = Json::object();
  for (const auto& [name, updates] : summary.counters) counters.set(trace.strings[name], updates);
  json.set("counters", std::move(counters));
  json.set("duration_ns", summary.span_ns);
  json.set("late_ns", info.late);
  json.set("ended_ns", info.ended > 0 ? Json(info.ended) : Json());
  if (info.sample_rate > 0) {
    json.set("sample_rate", info.sample_rate);
    json.set("missed_samples", info.missed_samples);
  }
  if (summary.thread_waits > 0) {
    json.set("thread_waits", summary.thread_waits);
    json.set("thread_waits_ns", summary.thread_waits_ns);
  }
  json.set("overwritten_packets", info.overwritten_packets);
  json.set("complete_from_ns", info.complete_from);
  const Kept kept = find_kept(trace, summary);
  Json rings = Json::array();
  for (const Kept::Ring& ring : kept.rings)
    rings.add(Json::object(
        {{"stream", ring.stream},
         {"thread",
          ring.thread != nullptr ? or_null(std::string(trace.strings[ring.thread->name])) : Json()},
         {"tid", ring.thread != nullptr ? id_or_null(ring.thread->tid) : Json()},
         {"bytes", ring.bytes},
         {"held_ns", ring.held}}));
  json.set("rings", std::move(rings));
  json.set("recorded_ns", kept.recorded);
  json.set("needed_bytes", static_cast<uint64_t>(kept.needed));
  Json lost = Json::array();
  for (const Loss& loss : trace.losses)
    lost.add(Json::object({{"reason", loss.what},
                           {"file", loss.file},
                           {"offset", loss.offset},
                           {"bytes", loss.bytes},
                           {"packets", loss.packets},
                           {"events", loss.events}}));
  json.set("lost", std::move(lost));
  return json;
}

}  // namespace skein
