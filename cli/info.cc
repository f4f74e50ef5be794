// `skein info`: what a trace is and what is in it, for people or as JSON.
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "cli/trace_input.h"
#include "trace/model/summary.h"

namespace skein::cli {

namespace {

using Json = nlohmann::ordered_json;

Json optional_number(const std::optional<uint64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

// Texts from the trace become keys and values; two different ones never become the same.
Json to_json(const Trace& trace, const Summary& summary) {
  const Facts& facts = trace.facts;
  Json json;
  json["format"] = valid_utf8(facts.format);
  if (!facts.carrier.empty()) json["carrier"] = facts.carrier;
  if (!facts.host.empty()) json["host"] = valid_utf8(facts.host);
  if (!facts.program.empty()) json["program"] = valid_utf8(facts.program);
  if (facts.pid) json["pid"] = facts.pid;
  json["clock"] = valid_utf8(facts.clock);
  json["start_ns"] = facts.start;
  json["start_utc_ns"] = facts.utc_offset
                             ? Json(static_cast<int64_t>(facts.start) + *facts.utc_offset)
                             : Json(nullptr);
  json["packets"] = facts.packets;
  json["streams"] = facts.streams;
  json["events"] = summary.events;
  json["kinds"] = Json::object();
  for (const auto& [kind, count] : summary.kinds) json["kinds"][valid_utf8(kind)] = count;
  json["definitions"] = Json::object();
  for (const auto& [name, count] : facts.definitions) json["definitions"][name] = count;
  json["tasks"] = summary.tasks;
  json["ended"] = summary.ended;
  json["unresolved"] = summary.unresolved;
  json["unresolved_ended_as_another"] = summary.ended_as;
  json["failed"] = summary.failed;
  json["should_resolve_unresolved"] = summary.stuck;
  json["pre_existing"] = summary.pre_existing;
  json["created_twice"] = summary.created_twice;
  json["resources"] = summary.resources;
  json["labels"] = summary.labels;
  json["counters"] = Json::object();
  for (const auto& [name, updates] : summary.counters)
    json["counters"][valid_utf8(trace.strings[name])] = updates;
  json["span_ns"] = summary.span_ns;
  json["overwritten_packets"] = facts.overwritten_packets;
  json["complete_from_ns"] = facts.complete_from;
  json["lost"] = Json::array();
  for (const Loss& loss : trace.losses)
    json["lost"].push_back({{"what", valid_utf8(loss.what)},
                            {"file", valid_utf8(loss.file)},
                            {"offset", loss.offset},
                            {"bytes", optional_number(loss.bytes)},
                            {"packets", optional_number(loss.packets)},
                            {"events", optional_number(loss.events)}});
  return json;
}

std::string utc_time(int64_t nanoseconds) {
  const std::time_t seconds = nanoseconds / 1'000'000'000;
  std::tm parts{};
  char text[40];
  if (nanoseconds < 0 || !gmtime_r(&seconds, &parts) ||
      !std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts))
    return "unknown";
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%09d UTC",
                static_cast<int>(nanoseconds % 1'000'000'000));
  return std::string(text) + fraction;
}

std::string describe(const Loss& loss) {
  // What the recorder counted has no place in the file.
  const bool has_place = loss.bytes != 0u || loss.packets != 0u || loss.offset != 0;
  std::string text = escaped(loss.file);
  if (has_place) text += (text.empty() ? "byte " : ", byte ") + grouped(loss.offset);
  if (!text.empty()) text += ": ";
  text += escaped(loss.what);
  std::string sizes;
  const auto add = [&](const std::optional<uint64_t>& count, std::string_view thing) {
    if (!count || *count == 0) return;
    sizes += (sizes.empty() ? "" : ", ") + counted(*count, thing);
  };
  add(loss.bytes, "byte");
  add(loss.packets, "packet");
  add(loss.events, "event");
  if (!loss.events) sizes += std::string(sizes.empty() ? "" : ", ") + "an unknown number of events";
  return sizes.empty() ? text : text + " (" + sizes + ")";
}

std::string to_text(const Trace& trace, const Summary& summary) {
  constexpr size_t most_losses = 20;
  const Facts& facts = trace.facts;
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
  const bool is_carried = !facts.format.starts_with(facts.carrier);
  line("format", escaped(facts.format) + (is_carried ? " in " + facts.carrier : "") + ", " +
                     counted(facts.packets, "packet") + " in " + counted(facts.streams, "stream"));
  if (!facts.program.empty() || facts.pid || !facts.host.empty()) {
    std::string program = escaped(facts.program);
    if (facts.pid) program += (program.empty() ? "pid " : ", pid ") + std::to_string(facts.pid);
    if (!facts.host.empty()) program += (program.empty() ? "on " : " on ") + escaped(facts.host);
    line("program", program);
  }
  line("clock", escaped(facts.clock));
  if (facts.utc_offset)
    line("start", utc_time(static_cast<int64_t>(facts.start) + *facts.utc_offset));
  line("span", seconds(summary.span_ns) + " s");
  line("events", grouped(summary.events));
  list("", summary.kinds, [](const std::string& kind) { return escaped(kind); });
  if (!facts.definitions.empty()) {
    std::string names;
    for (const auto& [name, count] : facts.definitions)
      names += (names.empty() ? "" : ", ") + grouped(count) + " " + name;
    line("names", names);
  }
  std::string tasks = grouped(summary.tasks) + ": " + grouped(summary.ended) + " ended, " +
                      grouped(summary.unresolved) + " unresolved";
  if (summary.ended_as)
    tasks += " (" + grouped(summary.ended_as) + " of them ended by the id of what became them)";
  if (summary.failed) tasks += ", " + grouped(summary.failed) + " failed";
  if (summary.pre_existing) tasks += ", " + grouped(summary.pre_existing) + " pre-existing";
  if (summary.created_twice) tasks += ", " + grouped(summary.created_twice) + " created twice";
  if (summary.stuck) tasks += ", " + grouped(summary.stuck) + " should have resolved and did not";
  line("tasks", tasks);
  if (summary.resources) line("resources", grouped(summary.resources));
  line("labels", grouped(summary.labels));
  list("counters", summary.counters, [&](StringId name) { return escaped(trace.strings[name]); });
  if (facts.overwritten_packets > 0) {
    line("ring", counted(facts.overwritten_packets, "older packet") +
                     " overwritten, as a ring does; names and live tasks are kept");
    line("", "from " + seconds(facts.complete_from) + " s on every stream has all its events");
  }
  if (trace.losses.empty()) line("lost", "nothing");
  for (size_t i = 0; i < trace.losses.size() && i < most_losses; i++)
    line(i == 0 ? "lost" : "", describe(trace.losses[i]));
  if (trace.losses.size() > most_losses)
    line("", "and " + grouped(trace.losses.size() - most_losses) + " more; see --json");
  return out;
}

}  // namespace

int run_info(const InfoOptions& options) {
  const Trace trace = open_trace(options.trace);
  const Summary summary = summarize(trace);
  Output out(stdout);
  out.text() += options.json ? to_json(trace, summary).dump(2) + "\n" : to_text(trace, summary);
  out.finish();
  return 0;
}

}  // namespace skein::cli
