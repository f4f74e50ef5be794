// `skein stats`: tasks that are alike, how long they took, and where that time went.
#include "trace/ask/stats.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/text.h"
#include "cli/asked.h"
#include "cli/commands.h"
#include "cli/fail.h"
#include "cli/print.h"

namespace skein::cli {

namespace {

constexpr std::array shares = {0.5, 0.9, 0.99};

std::string shown_name(const TaskGroup& group) {
  return group.name.empty() ? "(without a name)" : escaped(group.name);
}

// `says_waits`: else nobody knows what they did when they did not run.
void add_table(std::string& out, const std::vector<TaskGroup>& groups, bool says_waits) {
  std::vector<std::vector<std::string>> lines = {{"tasks", "open", "failed", "median", "90 %",
                                                  "99 %", "longest", "running", "ready", "blocked",
                                                  "name"}};
  for (const TaskGroup& g : groups) {
    const auto latency = [&](double share) {
      return g.latencies.empty() ? std::string("-") : span(percentile(g.latencies, share));
    };
    lines.push_back({grouped(g.count), grouped(g.open), grouped(g.failed), latency(shares[0]),
                     latency(shares[1]), latency(shares[2]), latency(1), span(g.running),
                     says_waits ? span(g.ready) : "-", says_waits ? span(g.blocked) : "-",
                     shown_name(g)});
  }
  append_columns(out, lines, ">>>>>>>>>><", 0);
}

// One line for each power of two between the least and the greatest.
void add_histogram(std::string& out, const TaskGroup& group, std::string_view block) {
  const std::vector<uint64_t> counts = histogram(group.latencies);
  if (counts.empty()) return;
  const auto first = static_cast<size_t>(
      std::find_if(counts.begin(), counts.end(), [](uint64_t n) { return n != 0; }) -
      counts.begin());
  const uint64_t most = *std::max_element(counts.begin(), counts.end());
  constexpr uint64_t width = 50;
  for (size_t i = first; i < counts.size(); i++) {
    const uint64_t low = i == 0 ? 0 : uint64_t{1} << (i - 1);
    char line[80];
    std::snprintf(line, sizeof line, "  from %8s %10s  ", span(low).c_str(),
                  grouped(counts[i]).c_str());
    out += line;
    const uint64_t length = (counts[i] * width + most - 1) / most;  // what is there is seen
    for (uint64_t n = 0; n < length; n++) out += block;
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
}

GroupBy way(const std::string& by) {
  return by == "kind" ? GroupBy::Kind : by == "place" ? GroupBy::Place : GroupBy::Name;
}

nlohmann::ordered_json to_json(const TaskGroup& g) {
  const auto latency = [&](double share) -> nlohmann::ordered_json {
    if (g.latencies.empty()) return nullptr;
    return percentile(g.latencies, share);
  };
  return {{"name", valid_utf8(g.name)},
          {"tasks", g.count},
          {"open", g.open},
          {"failed", g.failed},
          {"latency_ns",
           {{"median", latency(shares[0])},
            {"p90", latency(shares[1])},
            {"p99", latency(shares[2])},
            {"longest", latency(1)},
            {"powers_of_two", histogram(g.latencies)}}},
          {"running_ns", g.running},
          {"ready_ns", g.ready},
          {"blocked_ns", g.blocked}};
}

}  // namespace

int run_stats(const StatsOptions& options) {
  const auto [trace, model, waits] = open_asked(options.trace);
  std::vector<TaskGroup> groups = task_groups(trace, model, waits, way(options.by));
  if (!options.name.empty()) {
    std::erase_if(groups, [&](const TaskGroup& g) { return g.name != options.name; });
    if (groups.empty()) fail(2, "no group of tasks is called " + options.name);
  }
  Output out(stdout);
  if (options.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const TaskGroup& g : groups) all.push_back(to_json(g));
    out.text() += nlohmann::ordered_json{{"groups", std::move(all)}}.dump(2) + '\n';
  } else {
    add_table(out.text(), groups, !waits.waits.empty());
    if (!options.name.empty()) {
      out.text() += '\n';
      add_histogram(out.text(), groups[0], isatty(STDOUT_FILENO) ? "\u2588" : "#");
    }
  }
  out.finish();
  return 0;
}

}  // namespace skein::cli
