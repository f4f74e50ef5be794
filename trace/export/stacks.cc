#include "trace/export/stacks.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/escape.h"
#include "profile/flame/folded_text.h"
#include "profile/flame/harmless.h"
#include "profile/flame/stack_walk.h"
#include "trace/ask/logical_times.h"
#include "trace/ask/selected_times.h"

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

LogicalSelection selection_of(AwaitGraphOf of) {
  LogicalSelection selection;
  (of == AwaitGraphOf::Suspended ? selection.states.suspended : selection.states.running) = true;
  return selection;
}

struct SpeedscopeProfile {
  std::string_view name;
  StackTree tree = {};
  size_t first_frame = 0;
};

void append_profile(const SpeedscopeProfile& profile, Out& out) {
  std::string& text = out.text();
  text += "\n{\"type\":\"sampled\",\"name\":\"";
  text += profile.name;
  text += "\",\"unit\":\"nanoseconds\",\"samples\":[";
  std::string weights;
  char before = ' ';
  for_each_stack(profile.tree, [&](const StackTree::Node& node, std::span<const uint32_t> names) {
    text += before;
    text += '[';
    for (size_t i = 0; i < names.size(); i++) {
      if (i > 0) text += ',';
      text += std::to_string(profile.first_frame + names[i]);
    }
    text += ']';
    weights += before + std::to_string(static_cast<uint64_t>(node.self));
    before = ',';
    out.flush_if_full();
  });
  text += "],\"weights\":[" + weights + "],\"startValue\":0,\"endValue\":" +
          std::to_string(static_cast<uint64_t>(profile.tree.nodes[0].weight)) + "}";
}

}  // namespace

Omissions export_folded(const Trace& trace, AwaitGraphOf of, Out& out) {
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  const Subject subject{trace, model, waits};
  const StackTree tree = find_selected_times(subject, selection_of(of)).tree;
  out.text() += folded_text(tree, false);
  out.flush_if_full();
  return without_time(trace, model);
}

Omissions export_speedscope(const Trace& trace, AwaitGraphOf of, std::string_view title, Out& out) {
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  const Subject subject{trace, model, waits};
  const LogicalTimes stacks = find_logical_times(subject);
  std::array<SpeedscopeProfile, 2> profiles = {
      SpeedscopeProfile{"suspended",
                        logical_tree(subject, stacks, selection_of(AwaitGraphOf::Suspended))},
      SpeedscopeProfile{"running",
                        logical_tree(subject, stacks, selection_of(AwaitGraphOf::Running))}};
  std::string& text = out.text();
  text +=
      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"skein\",";
  text += "\"name\":";
  append_json(text, title);
  text += ",\"activeProfileIndex\":";
  text += of == AwaitGraphOf::Suspended ? '0' : '1';
  text += ",\"shared\":{\"frames\":[";
  size_t frames = 0;
  for (SpeedscopeProfile& profile : profiles) {
    profile.first_frame = frames;
    for (const std::string& name : profile.tree.names) {
      text += frames++ ? ",\n{\"name\":" : "\n{\"name\":";
      append_json(text, harmless(name));
      text += '}';
      out.flush_if_full();
    }
  }
  text += "\n]},\"profiles\":[";
  append_profile(profiles[0], out);
  text += ',';
  append_profile(profiles[1], out);
  text += "\n]}\n";
  return without_time(trace, model);
}

}  // namespace skein
