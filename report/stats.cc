#include "report/stats.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/escape.h"
#include "base/text.h"

namespace skein {

namespace {

constexpr std::array shares = {0.5, 0.9, 0.99};

std::string shown_name(const TaskGroup& group) {
  return group.name.empty() ? "(unnamed)" : escaped(group.name);
}

Json group_json(const TaskGroup& g) {
  const auto latency = [&](double share) {
    return g.latencies.empty() ? Json() : Json(percentile(g.latencies, share));
  };
  return Json::object({{"name", g.name},
                       {"tasks", g.count},
                       {"live", g.open},
                       {"failed", g.failed},
                       {"cancelled", g.cancelled},
                       {"latency_ns", Json::object({{"p50", latency(shares[0])},
                                                    {"p90", latency(shares[1])},
                                                    {"p99", latency(shares[2])},
                                                    {"max", latency(1)},
                                                    {"histogram", histogram(g.latencies)}})},
                       {"running_ns", g.running},
                       {"runnable_ns", g.ready},
                       {"waiting_ns", g.blocked}});
}

}  // namespace

std::string stats_text(const std::vector<TaskGroup>& groups, bool has_waits) {
  // The column for cancelled tasks is shown only if there are any.
  const bool any_cancelled = std::any_of(groups.begin(), groups.end(),
                                         [](const TaskGroup& g) { return g.cancelled != 0; });
  std::vector<std::vector<std::string>> lines = {{"tasks", "live", "failed", "cancelled", "p50",
                                                  "p90", "p99", "max", "running", "runnable",
                                                  "waiting", "name"}};
  for (const TaskGroup& g : groups) {
    const auto latency = [&](double share) {
      return g.latencies.empty() ? std::string("-") : duration_text(percentile(g.latencies, share));
    };
    lines.push_back({grouped(g.count), grouped(g.open), grouped(g.failed), grouped(g.cancelled),
                     latency(shares[0]), latency(shares[1]), latency(shares[2]), latency(1),
                     duration_text(g.running), has_waits ? duration_text(g.ready) : "-",
                     has_waits ? duration_text(g.blocked) : "-", shown_name(g)});
  }
  if (!any_cancelled)
    for (std::vector<std::string>& line : lines) line.erase(line.begin() + 3);
  std::string out;
  append_columns(out, lines, any_cancelled ? ">>>>>>>>>>><" : ">>>>>>>>>><", 0);
  return out;
}

std::string latency_histogram(const TaskGroup& group, std::string_view block) {
  std::string out;
  const std::vector<uint64_t> counts = histogram(group.latencies);
  if (counts.empty()) return out;
  const auto first = static_cast<size_t>(
      std::find_if(counts.begin(), counts.end(), [](uint64_t n) { return n != 0; }) -
      counts.begin());
  const uint64_t most = *std::max_element(counts.begin(), counts.end());
  constexpr uint64_t width = 50;
  for (size_t i = first; i < counts.size(); i++) {
    const uint64_t low = i == 0 ? 0 : uint64_t{1} << (i - 1);
    char line[80];
    std::snprintf(line, sizeof line, "  from %8s %10s  ", duration_text(low).c_str(),
                  grouped(counts[i]).c_str());
    out += line;
    const uint64_t length = (counts[i] * width + most - 1) / most;  // rounded up to be visible
    for (uint64_t n = 0; n < length; n++) out += block;
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
  return out;
}

Json stats_json(const std::vector<TaskGroup>& groups) {
  Json all = Json::array();
  for (const TaskGroup& g : groups) all.add(group_json(g));
  Json json = json_document("skein.stats/1");
  json.set("groups", std::move(all));
  return json;
}

}  // namespace skein
