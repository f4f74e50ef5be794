#include "trace/export/stacks.h"

#include <algorithm>
#include <array>

#include "base/escape.h"

namespace skein {

namespace {

// Omissions of a graph: it contains sums, not times.
Omissions without_time(const Trace& trace, const Model& model) {
  Omissions omissions;
  const auto is_wait = [](const Model::Interaction& arrow) {
    return arrow.link == Model::Link::Await;
  };
  omissions.add("interactions that are no wait's",
                model.interactions.size() -
                    static_cast<uint64_t>(std::count_if(model.interactions.begin(),
                                                        model.interactions.end(), is_wait)));
  omissions.add("labels", model.labels.size());
  omissions.add("spans", model.spans.size());
  omissions.add("counters", model.counters.size());
  omissions.add("pauses", model.pauses.size());
  omissions.add("records of losses", trace.losses.size());
  return omissions;
}

// A line contains a stack, so names must not contain the separators.
std::string folded_name(const std::string& name) {
  std::string text = escaped(name);
  for (char& c : text)
    if (c == ';') c = ',';
  return text;
}

}  // namespace

Omissions export_folded(const Trace& trace, AwaitGraphOf of, Out& out) {
  const Model model = build_model(trace, {.simplify = false});
  const AwaitGraph graph = make_await_graph(trace, model, find_waits(trace, model), of);
  std::vector<std::string> names;
  for (const std::string& name : graph.names) names.push_back(folded_name(name));
  for (const auto& [stack, ns] : graph.weights) {
    for (size_t i = 0; i < stack.size(); i++) {
      if (i > 0) out.text() += ';';
      out.text() += names[stack[i]];
    }
    out.text() += ' ' + std::to_string(ns) + '\n';
    out.flush_if_full();
  }
  return without_time(trace, model);
}

Omissions export_speedscope(const Trace& trace, AwaitGraphOf of, std::string_view title, Out& out) {
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  const std::array<AwaitGraph, 2> graphs = {
      make_await_graph(trace, model, waits, AwaitGraphOf::Suspended),
      make_await_graph(trace, model, waits, AwaitGraphOf::Running)};
  std::string& text = out.text();
  text +=
      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"skein\",";
  text += "\"name\":";
  append_json(text, title);
  text += ",\"activeProfileIndex\":";
  text += of == AwaitGraphOf::Suspended ? '0' : '1';
  text += ",\"shared\":{\"frames\":[";
  size_t frames = 0;
  std::array<size_t, 2> first{};
  for (size_t i = 0; i < graphs.size(); i++) {
    first[i] = frames;
    for (const std::string& name : graphs[i].names) {
      text += frames++ ? ",\n{\"name\":" : "\n{\"name\":";
      append_json(text, name);
      text += '}';
      out.flush_if_full();
    }
  }
  text += "\n]},\"profiles\":[";
  for (size_t i = 0; i < graphs.size(); i++) {
    uint64_t total = 0;
    text += i == 0 ? "\n{\"type\":\"sampled\",\"name\":\"suspended\""
                   : ",\n{\"type\":\"sampled\",\"name\":\"running\"";
    text += ",\"unit\":\"nanoseconds\",\"samples\":[";
    char before = ' ';
    for (const auto& [stack, ns] : graphs[i].weights) {
      text += before;
      before = ',';
      text += '[';
      for (size_t k = 0; k < stack.size(); k++) {
        if (k > 0) text += ',';
        text += std::to_string(first[i] + stack[k]);
      }
      text += ']';
      out.flush_if_full();
      total += ns;
    }
    text += "],\"weights\":[";
    before = ' ';
    for (const auto& [stack, ns] : graphs[i].weights) {
      text += before;
      before = ',';
      text += std::to_string(ns);
      out.flush_if_full();
    }
    text += "],\"startValue\":0,\"endValue\":" + std::to_string(total) + "}";
  }
  text += "\n]}\n";
  return without_time(trace, model);
}

}  // namespace skein
