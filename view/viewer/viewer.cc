#include "view/viewer/viewer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/stable_sort.h"
#include "trace/ask/find.h"
#include "view/viewer/keys.h"
#include "view/viewer/panel/task_text.h"
#include "view/viewer/state.h"

namespace skein {

LoadedTrace::LoadedTrace(Trace of, SignOfLife sign) : LoadedTrace(std::move(of), Model()) {
  life = sign;
  model = build_model(trace, {.until = time_of(trace.info, life), .is_live = life.running});
  rows = arrange(trace, model);
  texts = std::make_unique<FoldedTexts>(fold_texts(trace.strings));
}
LoadedTrace::LoadedTrace(Trace of, Model made) : trace(std::move(of)), model(std::move(made)) {}
void LoadedTrace::find_problems() {
  findings = std::make_shared<const Findings>(trace, model, life.running);
}
LoadedTrace::~LoadedTrace() = default;
LoadedTrace::LoadedTrace(LoadedTrace&&) noexcept = default;
LoadedTrace& LoadedTrace::operator=(LoadedTrace&&) noexcept = default;

Viewer::Viewer() : state_(std::make_unique<ViewerState>()) {}
Viewer::~Viewer() = default;
Viewer::Viewer(Viewer&&) noexcept = default;
Viewer& Viewer::operator=(Viewer&&) noexcept = default;

// ---- traces come and grow

namespace {

std::shared_ptr<SessionTrace> session_trace(LoadedTrace& loaded) {
  return std::make_shared<SessionTrace>(std::move(loaded.trace), std::move(loaded.model),
                                        loaded.life);
}

FoldedTexts texts_of(LoadedTrace& loaded) {
  return loaded.texts ? std::move(*loaded.texts) : FoldedTexts();
}

}  // namespace

void Viewer::add(Trace trace, std::string title) {
  Model model = build_model(trace);
  add(LoadedTrace(std::move(trace), std::move(model)), std::move(title));
}

void Viewer::add(LoadedTrace loaded, std::string title) {
  Shared& shared = state_->shared;
  shared.session.add(session_trace(loaded), title);
  shared.findings.set_trace(shared.session.size() - 1, std::move(loaded.findings));
  shared.finder.set_trace(shared.session.size() - 1, texts_of(loaded));
  shared.finder.search_again(state_->selected());
  shared.found();
  state_->added(std::move(loaded.rows));
}

void Viewer::update(size_t which, Trace trace) {
  Model model = build_model(trace);
  update(which, LoadedTrace(std::move(trace), std::move(model)));
}

void Viewer::update(size_t which, LoadedTrace loaded) {
  Shared& shared = state_->shared;
  if (which >= traces()) return;
  const std::shared_ptr<SessionTrace> old = shared.session.shared(which);
  // If only the sign of life is new and the end is not visible, nothing is redrawn.
  if (loaded.life.utc != 0 && loaded.trace.events.size() == old->trace.events.size() &&
      loaded.trace.info.packets == old->trace.info.packets &&
      loaded.life.running == old->life.running && !state_->view->end_in_sight()) {
    shared.session.set_life(which, loaded.life);
    shared.text_version++;
    return;
  }
  state_->before_change();
  shared.session.replace(which, session_trace(loaded));
  shared.findings.set_trace(which, std::move(loaded.findings));
  const Model& fresh = shared.model(which);
  const auto now = [&](TaskIndex task) {
    return task < old->model.tasks.size() ? fresh.find(old->model.tasks[task].id) : no_index;
  };
  const auto track = static_cast<uint32_t>(which);
  Item item = shared.selection.item();
  if (shared.selection.has_item() && item.track == track) {
    const TaskIndex same = shared.selection.has_task() ? now(item.index) : no_index;
    if (!shared.selection.has_lane())
      shared.selection.replace(same == no_index ? Item() : Item{item.kind, track, same});
  }
  const bool has_path = !shared.path.empty() && shared.path.track() == track;
  const TaskIndex path_of = has_path ? now(shared.path.task()) : no_index;
  shared.annotations.replaced(which);
  shared.finder.set_trace(which, texts_of(loaded));
  if (has_path) shared.path.show(shared.session, shared.findings, track, path_of);
  shared.finder.search_again(state_->selected());
  shared.found();
  state_->replaced(which, *old, std::move(loaded.rows));
}

void Viewer::set_liveness(size_t which, SignOfLife life) {
  Shared& shared = state_->shared;
  if (which >= traces() || shared.session[which].life == life) return;
  // Only of a program that has ended, what it destroyed last was stuck.
  const bool is_other_state = shared.session[which].life.running != life.running;
  shared.session.set_life(which, life);
  shared.text_version++;
  const SessionTrace& of = shared.session[which];
  const bool is_longer = of.until() > of.model.end && state_->view->end_in_sight();
  if (!is_longer && !is_other_state) return;
  state_->before_change();
  if (is_longer) shared.session.grow(which);
  if (is_other_state) shared.findings.set_trace(which, {});
  shared.finder.refilter(which);
  state_->grown(which);
}

size_t Viewer::traces() const { return state_->shared.session.size(); }
const Trace& Viewer::trace(size_t which) const { return state_->shared.session[which].trace; }
std::vector<TickClock> Viewer::tick_clocks() const {
  std::vector<TickClock> clocks;
  for (const auto& trace : state_->shared.session) clocks.push_back(trace->trace.info.tick_clock);
  return clocks;
}
const Model& Viewer::model(size_t which) const { return state_->shared.model(which); }

void Viewer::align_by_start() {
  state_->shared.session.align_by_start();
  if (traces() != 0) state_->realigned();
}

void Viewer::link(const Annotations& annotations) {
  Shared& shared = state_->shared;
  shared.annotations.set(annotations, shared.session);
  align_by_start();
  if (shared.annotations.markers().empty()) return;
  // The markers are usually within a pixel of the whole trace. One undo goes back to it.
  double from = std::numeric_limits<double>::infinity();
  double to = -from;
  for (const SessionAnnotations::Marker& marker : shared.annotations.markers()) {
    const double time = marker.time + shared.session[marker.track].offset;
    from = std::min(from, time);
    to = std::max(to, time);
  }
  const double margin = to - from < 1'000 ? 20'000 : 2 * (to - from);
  show(from - margin, to + margin);
}

void Viewer::relink(const Annotations& annotations) {
  Shared& shared = state_->shared;
  shared.annotations.set(annotations, shared.session);
  shared.found();
}

// ---- the picture

void Viewer::resize(float width, float height) {
  for (View* view : state_->views) view->resize(width, height);
}
const DrawList& Viewer::scene() { return state_->view->scene(); }
const DrawList& Viewer::readouts() { return state_->view->readouts(); }
const DrawList& Viewer::picture() { return state_->view->picture(); }
uint32_t Viewer::scene_version() const { return state_->view->scene_version(); }
bool Viewer::changed() const { return state_->view->changed(); }
std::span<const Track> Viewer::tracks() const { return state_->timeline.tracks(); }
Marks Viewer::marks() const { return state_->timeline.marks(); }
const Window& Viewer::window() const { return state_->timeline.window(); }
void Viewer::show(double from, double to) { state_->timeline.show(from, to); }

// ---- input

void Viewer::pointer_move(float x, float y) { state_->view->pointer_move(x, y); }
void Viewer::pointer_leave() { state_->view->pointer_leave(); }
void Viewer::pointer_down(float x, float y, Modifiers modifiers) {
  state_->view->pointer_down(x, y, modifiers);
}
void Viewer::pointer_up(float x, float y) { state_->view->pointer_up(x, y); }

void Viewer::double_click(float x, float y) {
  ViewerState& s = *state_;
  s.view->click(x, y);
  if (!s.shared.selection.has_item()) return;
  if (s.shared.selection.has_task()) {
    s.shared.selection.set_related(true);
    s.shared.marked();
  }
  s.run(Command::FitSelection);
}

void Viewer::wheel(float x, float y, float dx, float dy, Modifiers modifiers) {
  state_->view->wheel(x, y, dx, dy, modifiers);
}
void Viewer::pinch(float x, float y, float factor) { state_->view->pinch(x, y, factor); }

bool Viewer::key(std::string_view key, Modifiers modifiers) {
  const KeyBinding* found = find_key(key, modifiers);
  if (found)
    run(found->command);
  else if (state_->timeline.hint())
    set_hint(false);
  return found != nullptr;
}

void Viewer::run(Command command) { state_->run(command); }

// ---- search and filter

Viewer::Found Viewer::search(std::string_view text) {
  state_->search(text);
  return found();
}

Viewer::Found Viewer::found() const {
  return {.count = state_->shared.finder.count(), .at = state_->shared.finder.at()};
}

std::string_view Viewer::searched() const { return state_->shared.finder.text(); }

void Viewer::set_filter(const skein::Filter& filter) {
  Shared& shared = state_->shared;
  if (filter == shared.finder.filter()) return;
  shared.finder.set_filter(filter);
  for (size_t i = 0; i < traces(); i++) shared.finder.refilter(i);
  state_->filtered();
  shared.finder.search_again(state_->selected());
  shared.found();
}

const Filter& Viewer::filter() const { return state_->shared.finder.filter(); }
bool Viewer::filters() const { return state_->shared.finder.filters(); }

namespace {

void sort_unique(std::vector<std::string>& texts) {
  stable_sort(texts, std::less<>());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

}  // namespace

std::vector<std::string> Viewer::kinds() const {
  std::vector<std::string> all;
  for (const auto& of : state_->shared.session) {
    std::vector<uint8_t> used(of->trace.kinds.size() + 1, 0);
    for (const Model::Task& task : of->model.tasks) {
      const size_t kind = std::min<size_t>(task.kind, of->trace.kinds.size());
      if (used[kind] == 0) all.push_back(kind_text(of->trace, task));
      used[kind] = 1;
    }
  }
  sort_unique(all);
  return all;
}

std::vector<std::string> Viewer::executors() const {
  std::vector<std::string> all;
  for (const auto& of : state_->shared.session)
    for (uint32_t i = 0; i < of->trace.executors.size(); i++)
      if (of->executors[i]) all.push_back(executor_text(of->trace, i));
  sort_unique(all);
  return all;
}

// ---- selection

void Viewer::select(size_t track, TaskIndex task) {
  const bool exists = state_->shared.session.has_task(track, task);
  state_->select(exists ? Item{Item::Kind::Task, static_cast<uint32_t>(track), task} : Item());
}

TaskIndex Viewer::selected() const {
  return state_->shared.selection.has_task() ? state_->selected().index : no_index;
}
size_t Viewer::selected_track() const { return state_->selected().track; }

bool Viewer::show_critical_path(std::string_view task) {
  for (uint32_t track = 0; track < traces(); track++) {
    const TaskIndex found = longest_of(model(track), find_tasks(trace(track), model(track), task));
    if (found == no_index) continue;
    select(track, found);
    return state_->shared.show_path(track, found);
  }
  return false;
}

Panel Viewer::panel() const { return state_->panels.panel(*state_->view); }

void Viewer::click(uint32_t link) {
  PanelTarget target;
  if (!state_->panels.target(*state_->view, link, target)) return;
  if (target.more)
    state_->panels.show_more();
  else if (target.task != no_index)
    state_->go_to(target.track, target.task, target.time);
  else
    state_->view->go_to_time(target.time);
}

std::string Viewer::tooltip() const { return state_->panels.tooltip(*state_->view); }
std::string Viewer::notice() const { return state_->panels.notice(); }
std::string Viewer::alarm() const { return state_->panels.alarm(); }

// ---- the pane

bool Viewer::task_table_shown() const { return state_->pane.shown(); }
void Viewer::set_task_table_shown(bool shown) { state_->show_pane(shown); }
const TaskTable& Viewer::task_table() { return state_->pane.table(); }
void Viewer::sort_tasks(TaskTable::Column column) { state_->pane.sort(column); }
void Viewer::choose_tasks(size_t row) { state_->pane.choose(row); }
FlamePane& Viewer::flame() { return state_->flame; }

// ---- bookmarks and notes

std::span<const Bookmark> Viewer::bookmarks() const { return state_->shared.bookmarks.all(); }

void Viewer::add_bookmark(double time, std::string text) { state_->insert_bookmark(time, text); }

void Viewer::rename_bookmark(size_t which, std::string_view text) {
  if (state_->shared.bookmarks.rename(which, text)) state_->shared.redraw();
}

void Viewer::remove_bookmark(size_t which) {
  if (state_->shared.bookmarks.remove(which)) state_->shared.redraw();
}

namespace {

// The frequency used to compute the session's times; 0: unknown.
uint64_t tick_frequency(const Session& session) {
  return session.empty() ? 0 : session[0].trace.info.tick_clock.frequency;
}

}  // namespace

std::string Viewer::save_notes() const {
  const Session& session = state_->shared.session;
  return state_->shared.bookmarks.save(session.zero(), tick_frequency(session));
}

Result<void> Viewer::load_notes(std::string_view json, bool same_zero) {
  Shared& shared = state_->shared;
  const Result<uint64_t> start =
      shared.bookmarks.load(json, shared.session.zero(), tick_frequency(shared.session));
  if (!start) return start.error();
  const auto later = static_cast<int64_t>(shared.session.zero() - *start);
  if (*start != 0 && later != 0 && traces() != 0) {
    if (later > 0 && (same_zero || trace(0).info.overwritten_packets != 0)) {
      shared.session.set_zero(*start);
      shared.selection.measure(0, 0, shared.selection.range_is_latest());
      state_->realigned();
    } else {
      shared.bookmarks.shift(-static_cast<double>(later));
    }
  }
  shared.text_version++;
  state_->shared.redraw();
  return {};
}

// ---- what is shown

std::vector<Viewer::CounterState> Viewer::counters() const {
  std::vector<CounterState> all;
  for (size_t track = 0; track < traces(); track++)
    for (size_t i = 0; i < model(track).counters.size(); i++)
      all.push_back({.track = track,
                     .name = safe_text(trace(track).strings[model(track).counters[i].name]),
                     .shown = state_->timeline.shows_counter(track, i)});
  return all;
}

void Viewer::show_counter(size_t which, bool shown) { state_->timeline.show_counter(which, shown); }

void Viewer::set_theme(const Theme& theme) {
  state_->theme = &theme;
  state_->shared.redraw();
}
const Theme& Viewer::theme() const { return *state_->theme; }

void Viewer::set_hint(bool shown, bool touch) { state_->timeline.set_hint(shown, touch); }
bool Viewer::help_shown() const { return state_->help; }
bool Viewer::search_shown() const { return state_->search_field; }
bool Viewer::filter_shown() const { return state_->filter_field; }
bool Viewer::legend_shown() const { return state_->timeline.legend(); }
void Viewer::set_help_shown(bool shown) { state_->help = shown; }
void Viewer::set_search_shown(bool shown) { state_->search_field = shown; }
void Viewer::set_filter_shown(bool shown) { state_->filter_field = shown; }
void Viewer::set_legend_shown(bool shown) { state_->timeline.set_legend(shown); }

}  // namespace skein
