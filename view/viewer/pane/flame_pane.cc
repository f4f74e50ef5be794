#include "view/viewer/pane/flame_pane.h"

#include <algorithm>
#include <utility>

#include "base/percent.h"
#include "base/text.h"
#include "view/viewer/pane/pane_selection.h"

namespace skein {

namespace {

constexpr double least_pixels = 0.4;  // narrower frames are not in the tree

LogicalSelection::States states_of(FlameTime time) {
  const bool all = time == FlameTime::All;
  return {.running = all || time == FlameTime::Running,
          .ready = all || time == FlameTime::Ready,
          .suspended = all || time == FlameTime::Suspended};
}

bool has_samples(const Trace& trace) { return trace.stacks.size() != 0; }

bool has_waits_of_threads(const Trace& trace) {
  const auto& changes = trace.thread_states;
  return has_samples(trace) &&
         std::any_of(changes.begin(), changes.end(), [](const ThreadStateChange& change) {
           return change.state == ThreadState::Stack;
         });
}

}  // namespace

void FlamePane::set_shown(bool shown) {
  shown_ = shown;
  if (shown) return;
  clear_choice();
  found_.clear();
  text_version_ = 0;
}

void FlamePane::resize(float width, float height) {
  if (view_.width == width && view_.height == height) return;
  view_.width = width;
  view_.height = height;
  text_version_ = 0;  // frames that were too narrow
}

std::vector<FlameTime> FlamePane::times() const {
  bool waits = false, samples = false, off_cpu = false;
  for (size_t i = 0; i < shared_.session.size(); i++) {
    waits = waits || !shared_.findings[i].waits.waits.empty();
    samples = samples || has_samples(shared_.session[i].trace);
    off_cpu = off_cpu || has_waits_of_threads(shared_.session[i].trace);
  }
  std::vector<FlameTime> all;
  if (samples) all = {FlameTime::Cpu, FlameTime::Physical};
  if (off_cpu) all.push_back(FlameTime::OffCpu);
  all.push_back(FlameTime::Running);
  if (waits) all.push_back(FlameTime::Suspended);
  if (waits && !of_profile()) all.push_back(FlameTime::Ready);  // samples do not show it
  if (waits) all.push_back(FlameTime::All);
  return all;
}

bool FlamePane::of_profile() const {
  const Session& session = shared_.session;
  for (size_t i = 0; i < session.size(); i++)
    if (!session[i].trace.info.is_sampled()) return false;
  return session.size() != 0;
}

void FlamePane::set_time(FlameTime time) {
  if (this->time() == time || static_cast<size_t>(time) >= flame_times.size()) return;
  time_ = time;
  text_version_ = 0;
}

FlamePane::Found& FlamePane::found_of(uint32_t track) {
  found_.resize(shared_.session.size());
  Found& found = found_[track];
  const auto& trace = shared_.session.shared(track);
  const Subject subject = shared_.findings.subject(track);
  const Findings* const findings = &shared_.findings[track];
  if (found.of.lock() == trace && found.findings == findings && found.end == trace->model.end)
    return found;
  found = {.of = trace, .findings = findings, .end = trace->model.end, .times = {}};
  found.times = find_logical_times(subject);
  return found;
}

const SampleIndex& FlamePane::index_of(Found& found, const Subject& subject) const {
  switch (time()) {
    case FlameTime::OffCpu:
      if (!found.off_cpu)
        found.off_cpu.emplace(subject, found.times, ThreadIntervals(subject.trace));
      return *found.off_cpu;
    case FlameTime::Physical:
      if (!found.physical) found.physical.emplace(subject, found.times, SampleStack::Physical);
      return *found.physical;
    default:
      if (!found.logical) found.logical.emplace(subject, found.times, SampleStack::Logical);
      return *found.logical;
  }
}

bool FlamePane::is_built() const {
  return text_version_ == shared_.text_version && choice_version_ == shared_.choice_version;
}
bool FlamePane::changed() const { return shown_ && !(is_built() && drawn_); }

// Several traces are beside each other, each below its title.
void FlamePane::add_tree(const StackTree& tree, uint32_t track) {
  if (shared_.session.size() == 1) {
    tree_ = tree;
    return;
  }
  const double weight = tree.nodes[0].weight;
  if (weight <= 0) return;
  const double begin = tree_.nodes[0].weight;
  const auto first = static_cast<uint32_t>(tree_.nodes.size());
  const auto first_name = static_cast<uint32_t>(tree_.names.size());
  for (StackTree::Node node : tree.nodes) {
    const bool is_top = node.depth == 0;
    node.parent = is_top ? 0 : node.parent + first;
    node.name =
        is_top ? first_name + static_cast<uint32_t>(tree.names.size()) : node.name + first_name;
    node.depth++;
    node.begin += begin;
    tree_.nodes.push_back(node);
  }
  tree_.nodes[0].weight = begin + weight;
  tree_.names.insert(tree_.names.end(), tree.names.begin(), tree.names.end());
  tree_.names.push_back(shared_.session[track].title);
}

void FlamePane::build() {
  const Session& session = shared_.session;
  // Frames that are wide enough if the chosen one fills the width.
  double zoom = 1;
  if (view_.zoomed < tree_.nodes.size() && tree_.nodes[0].weight > 0)
    zoom = tree_.nodes[view_.zoomed].weight / tree_.nodes[0].weight;
  const double least_share = zoom * least_pixels / std::max(1.0f, view_.width);
  tree_ = {.nodes = {{}}, .names = {""}};
  std::vector<std::vector<uint8_t>> tasks(session.size());
  std::vector<std::vector<SampleAt>> framed(session.size());
  for (uint32_t track = 0; track < session.size(); track++) {
    auto part = pane_selection(shared_, track, PaneSearch::Ignored);
    if (!part) continue;
    if (!shared_.chosen.empty()) {
      if (track >= shared_.chosen.size() || shared_.chosen[track].empty()) continue;
      intersect(part->tasks, shared_.chosen[track]);
    }
    const Subject subject = shared_.findings.subject(track);
    Found& found = found_of(track);
    const LogicalTimes& times = found.times;
    part->tasks.resize(part->tasks.empty() ? 0 : subject.model.tasks.size());
    const LogicalSelection selection = {.states = states_of(time()),
                                        .from = part->from,
                                        .to = part->to,
                                        .tasks = part->tasks.empty() ? nullptr : &part->tasks,
                                        .executor = part->executor};
    std::span<const std::string> path = path_;
    const bool is_elsewhere =
        session.size() > 1 && !path.empty() && path[0] != session[track].title;
    if (session.size() > 1 && !path.empty()) path = path.subspan(1);
    const bool is_chosen = chooses() && !is_elsewhere;
    if (counts_samples(time()) || time() == FlameTime::OffCpu) {
      LogicalSamples samples = index_of(found, subject).select(selection, least_share, path);
      if (is_chosen) tasks[track] = std::move(samples.tasks);
      if (is_chosen) framed[track] = std::move(samples.in_path);
      add_tree(samples.tree, track);
    } else {
      if (is_chosen) tasks[track] = tasks_in_frame(subject, times, selection, path);
      add_tree(logical_tree(subject, times, selection, least_share), track);
    }
  }
  text_version_ = shared_.text_version;
  choice_version_ = shared_.choice_version;
  pointed_ = no_node;

  // The chosen frame in this tree.
  view_.zoomed = 0;
  size_t depth = 0;
  for (uint32_t i = 1; i < tree_.nodes.size() && depth < path_.size(); i++) {
    const StackTree::Node& node = tree_.nodes[i];
    if (node.parent != view_.zoomed || tree_.names[node.name] != path_[depth]) continue;
    view_.zoomed = i;
    depth++;
  }
  if (depth < path_.size()) {
    view_.zoomed = 0;
    path_.clear();
    tasks.clear();
  }
  if (chooses())
    highlight(std::move(tasks), std::move(framed));
  else
    highlight({});

  matches_.clear();
  matched_ = 0;
  if (const std::string& text = shared_.finder.text(); !text.empty()) {
    matches_.resize(tree_.nodes.size());
    const std::string part = folded(text);
    std::vector<uint8_t> below(tree_.nodes.size());  // or itself: each weight counts once
    for (uint32_t i = 1; i < tree_.nodes.size(); i++) {
      const StackTree::Node& node = tree_.nodes[i];
      matches_[i] = contains_folded(tree_.names[node.name], part);
      below[i] = matches_[i] | below[node.parent];
      if (matches_[i] && !below[node.parent]) matched_ += node.weight;
    }
  }
}

void FlamePane::highlight(std::vector<std::vector<uint8_t>> tasks,
                          std::vector<std::vector<SampleAt>> samples) {
  if (tasks == shared_.framed && samples == shared_.framed_samples) return;
  shared_.framed = std::move(tasks);
  shared_.framed_samples = std::move(samples);
  shared_.framed_version++;
  shared_.marked();
}

const DrawList& FlamePane::picture() {
  if (!shown_ || !changed()) return list_;
  if (!is_built()) {
    build();
    layout_ = FlameLayout(tree_, view_);
    view_ = layout_.view();
    title_ = title();
  }
  drawn_ = true;
  draw_flame(tree_, layout_,
             {.title = title_,
              .found = matches_,
              .pointed = pointed_,
              .chosen = view_.zoomed == 0 ? no_node : view_.zoomed},
             list_);
  return list_;
}

// ---- input

void FlamePane::point_to(uint32_t node) {
  drawn_ = drawn_ && node == pointed_;
  pointed_ = node;
}
void FlamePane::pointer_move(float x, float y) { point_to(layout_.node_at(tree_, x, y)); }
void FlamePane::pointer_leave() { point_to(no_node); }

void FlamePane::click(float x, float y) {
  picture();
  const uint32_t node = layout_.node_at(tree_, x, y);
  if (node == no_node) return;
  choose(node == view_.zoomed ? tree_.nodes[node].parent : node);
}

void FlamePane::choose(uint32_t node) {
  path_.clear();
  for (uint32_t at = node; at != 0; at = tree_.nodes[at].parent)
    path_.insert(path_.begin(), tree_.names[tree_.nodes[at].name]);
  view_.zoomed = node;
  text_version_ = 0;
}

void FlamePane::clear_choice() {
  if (!chooses()) return;
  choose(0);
  highlight({});
}

void FlamePane::wheel(float dy) {
  view_.scroll -= dy;
  layout_ = FlameLayout(tree_, view_);
  view_ = layout_.view();
  drawn_ = false;
}

// The frame that a key leads to: up to the widest one above, down to its caller, to siblings.
uint32_t FlamePane::next(std::string_view key) const {
  const auto& nodes = tree_.nodes;
  const uint32_t at = pointed_ < nodes.size() ? pointed_ : view_.zoomed;
  if (key == "ArrowDown") return nodes[at].parent;
  uint32_t found = at;
  for (uint32_t i = 1; i < nodes.size(); i++) {
    if (key == "ArrowUp") {
      if (nodes[i].parent == at && (found == at || nodes[i].weight > nodes[found].weight))
        found = i;
    } else if (nodes[i].parent == nodes[at].parent) {
      if (key == "ArrowLeft" && i < at) found = i;
      if (key == "ArrowRight" && i > at) return i;
    }
  }
  return found;
}

bool FlamePane::key(std::string_view key) {
  picture();
  if (key == "Enter") {
    if (pointed_ < tree_.nodes.size()) choose(pointed_);
    return true;
  }
  if (key == "Escape") {
    const bool chose = chooses();
    clear_choice();
    return chose;
  }
  if (key != "ArrowUp" && key != "ArrowDown" && key != "ArrowLeft" && key != "ArrowRight")
    return false;
  point_to(next(key));
  wheel(-layout_.beyond(tree_, pointed_));
  return true;
}

// ---- texts

std::string FlamePane::title() const {
  const std::string name(flame_times[static_cast<size_t>(time())].name);
  if (tree_.nodes.size() == 1) return name + ": none in the selection";
  const double total = tree_.nodes[0].weight;
  std::string text = (counts_samples(time()) ? "" : name + ": ") + weight_text(total);
  if (!matches_.empty()) text += ", " + percent_text(matched_, total) + " matches the search";
  return text;
}

std::string FlamePane::weight_text(double weight) const {
  return counts_samples(time()) ? counted(static_cast<uint64_t>(weight), "sample")
                                : duration_text(weight);
}

std::string FlamePane::tooltip() const {
  if (pointed_ >= tree_.nodes.size()) return {};
  const StackTree::Node& node = tree_.nodes[pointed_];
  std::string text = pointed_ == 0 ? "all" : safe_text(shown_frame_name(tree_.names[node.name]));
  text += "\n" + weight_text(node.weight) + ", " +
          percent_text(node.weight, tree_.nodes[0].weight) + " of the selection";
  if (node.self > 0 && node.self < node.weight) text += "\nitself " + weight_text(node.self);
  return text;
}

}  // namespace skein
