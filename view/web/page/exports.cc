// The viewer as a WebAssembly module: plain functions and plain buffers (page.d.ts declares them
// for the page). One page, one viewer, one thread.
//
// Input texts are UTF-8 in memory from `allocate`. Output texts are the result of the last call
// that has one: `result()` and `result_size()`. Structured output is JSON.
#include <skein/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/escape.h"
#include "base/file.h"
#include "base/text.h"
#include "trace/read/reader.h"
#include "view/paint/geometry.h"
#include "view/paint/paint.h"
#include "view/viewer/annotations.h"
#include "view/viewer/keys.h"
#include "view/viewer/pane/flame_pane.h"
#include "view/viewer/viewer.h"
#include "view/web/document/pack.h"

#define EXPORT(name) extern "C" __attribute__((export_name(#name), visibility("default")))

using namespace skein;

namespace {

struct Page {
  MemoryFiles files;
  Viewer viewer;
  std::unique_ptr<uint32_t[]> pixels;
  size_t pixel_count = 0;
  std::vector<Primitive> rest;  // for the page to draw
  const DrawList* rest_of = nullptr;
  SignOfLife life;
  std::array<double, 11> stroke{};
  std::string result;
};
Page* page;

Modifiers modifiers(int bits) {
  return {.shift = (bits & 1) != 0, .control = (bits & 2) != 0, .alt = (bits & 4) != 0};
}

// Writes JSON, one member at a time.
class Json {
 public:
  explicit Json(std::string& out) : out_(out) { out_.clear(); }
  Json& open(char bracket) {
    comma();
    out_ += bracket;
    first_ = true;
    return *this;
  }
  Json& close(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
  }
  Json& key(std::string_view name) {
    comma();
    append_json(out_, name);
    out_ += ':';
    first_ = true;
    return *this;
  }
  Json& text(std::string_view value) {
    comma();
    append_json(out_, value);
    return *this;
  }
  Json& number(uint64_t value) {
    comma();
    out_ += std::to_string(value);
    return *this;
  }
  Json& flag(bool value) {
    comma();
    out_ += value ? "true" : "false";
    return *this;
  }

 private:
  void comma() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

std::string take(const char* text, size_t size) { return std::string(text, size); }

// The first primitive that is above texts (the legend's background, a readout's).
size_t first_of_overlay(const DrawList& list) {
  size_t first = 0;
  while (first < list.primitives.size() && list.primitives[first].ink != Ink::Panel) first++;
  return first;
}

// Sets the error's text; empty on success.
void set_error(const Error* error) { page->result = error != nullptr ? error->message() : ""; }

}  // namespace

EXPORT(start) void start() { page = new Page; }

EXPORT(allocate) void* allocate(size_t size) { return std::malloc(size); }
EXPORT(release) void release(void* at) { std::free(at); }

EXPORT(result) const char* result() { return page->result.data(); }
EXPORT(result_size) size_t result_size() { return page->result.size(); }

// ---- traces ----

EXPORT(add_file)
void add_file(const char* path, size_t path_size, const uint8_t* bytes, size_t size) {
  page->files.add(take(path, path_size), std::vector<uint8_t>(bytes, bytes + size));
}

// A file packed by pack.h; `size` is the unpacked size.
EXPORT(add_packed_file)
void add_packed_file(const char* path, size_t path_size, const uint8_t* bytes, size_t packed_size,
                     size_t size) {
  page->files.add(take(path, path_size), web::unpack({bytes, packed_size}, size));
}

// Changes parts of an existing file (bundle.h). `bytes` holds their contents, one after the other;
// `parts` has the offset and size of each; `new_size` is the new size of the file.
EXPORT(patch_file)
void patch_file(const char* path, size_t path_size, const uint8_t* bytes, size_t size,
                const uint32_t* parts, size_t parts_size, size_t new_size) {
  const std::string name = take(path, path_size);
  const auto old = page->files.open(name);
  if (!old) return;  // such an update is never sent
  std::vector<uint8_t> file(old->bytes().begin(), old->bytes().end());
  file.resize(new_size);
  for (; parts_size >= 2 * sizeof *parts; parts += 2, parts_size -= 2 * sizeof *parts) {
    const size_t at = parts[0], length = parts[1];
    if (at > new_size || length > new_size - at || length > size) return;
    std::copy(bytes, bytes + length, file.begin() + static_cast<ptrdiff_t>(at));
    bytes += length;
    size -= length;
  }
  page->files.add(name, std::move(file));
}
EXPORT(remove_file) void remove_file(const char* path, size_t path_size) {
  page->files.remove(take(path, path_size));
}
EXPORT(forget_files) void forget_files() { page->files = {}; }

// Reads the trace at `path` of the files as number `which`: a new one, or a longer version of an
// existing one. The result is the error's text, or empty.
EXPORT(open_trace)
void open_trace(size_t which, const char* path, size_t path_size, const char* title,
                size_t title_size) {
  auto trace = read_trace(page->files, take(path, path_size), {}, page->viewer.tick_clocks());
  if (!trace) return set_error(&trace.error());
  if (which < page->viewer.traces())
    page->viewer.update(which, LoadedTrace(*std::move(trace), page->life));
  else
    page->viewer.add(LoadedTrace(*std::move(trace), page->life), take(title, title_size));
  set_error(nullptr);
}

// Sets the last time when the recording program was running, in ns since 1970, and whether it still
// is: for open_trace() and go_on().
EXPORT(set_life) void set_life(double utc, bool running) {
  page->life = {.utc = static_cast<uint64_t>(utc), .running = running};
}
EXPORT(go_on) void go_on() {
  for (size_t i = 0; i < page->viewer.traces(); i++) page->viewer.set_liveness(i, page->life);
}

// set_links() sets annotations of two traces (annotations.h); both functions align the traces at
// their starts.
EXPORT(set_links) void set_links(const uint8_t* bytes, size_t size) {
  if (const auto annotations = read_annotations({bytes, size})) page->viewer.link(*annotations);
}
EXPORT(begin_together) void begin_together() { page->viewer.align_by_start(); }

EXPORT(event_count) double event_count() {
  double count = 0;
  for (size_t i = 0; i < page->viewer.traces(); i++)
    count += static_cast<double>(page->viewer.trace(i).events.size());
  return count;
}

// ---- picture ----

EXPORT(resize) void resize(float width, float height) { page->viewer.resize(width, height); }
EXPORT(changed) bool changed() { return page->viewer.changed(); }

// Paints the scene except `primitives()`, as width * height pixels of 4 bytes, R G B A.
EXPORT(paint) const void* paint(float scale, uint32_t width, uint32_t height) {
  const size_t count = static_cast<size_t>(width) * height;
  if (count > page->pixel_count) {
    page->pixels = {};  // frees the old ones first
    // All are painted over. Not a vector, which would be cleared word by word.
    page->pixels = std::make_unique_for_overwrite<uint32_t[]>(count);
    page->pixel_count = count;
  }
  const DrawList& list = page->viewer.scene();
  const size_t overlay = first_of_overlay(list);
  paint_pixels(list, 0, overlay, page->viewer.theme(), PixelOrder::Rgba, scale, width, height,
               {page->pixels.get(), count});
  page->rest_of = &list;
  page->rest.clear();
  for (size_t i = 0; i < list.primitives.size(); i++)
    if (i >= overlay || list.primitives[i].shape == Shape::Text)
      page->rest.push_back(list.primitives[i]);
  return page->pixels.get();
}
// Puts the readouts, which are above the scene, into `primitives()`.
EXPORT(readouts) void readouts() {
  page->rest_of = &page->viewer.readouts();
  page->rest = page->rest_of->primitives;
}
EXPORT(scene_version) uint32_t scene_version() { return page->viewer.scene_version(); }
// The primitives that `paint` did not paint (texts and what is above texts), or those of
// `readouts`.
EXPORT(primitives) const void* primitives() { return page->rest.data(); }
EXPORT(primitive_count) size_t primitive_count() { return page->rest.size(); }
// The geometry of a line or arrow in `primitives()`, as doubles: start, end of the stroke, width,
// and the three points of an arrow's head, or zeros. Null if it is invisible.
EXPORT(stroke) const void* stroke(size_t which) {
  const auto stroke = find_stroke(page->rest[which], 1);
  if (!stroke) return nullptr;
  page->stroke = {stroke->from.x, stroke->from.y, stroke->to.x, stroke->to.y, stroke->width};
  size_t at = 5;
  for (const Point& point : stroke->head) {
    page->stroke[at++] = point.x;
    page->stroke[at++] = point.y;
  }
  return page->stroke.data();
}
EXPORT(texts) const char* texts() { return page->rest_of->texts.data(); }
EXPORT(texts_size) size_t texts_size() { return page->rest_of->texts.size(); }
// Three bytes per ink: red, green, blue.
EXPORT(colours) const void* colours() { return page->viewer.theme().colours.data(); }
// Shows the critical path of the task with this id of a trace. Returns false if the trace is not
// loaded yet.
EXPORT(show_path) bool show_path(size_t which, uint64_t task) {
  if (which >= page->viewer.traces()) return false;
  page->viewer.select(which, page->viewer.model(which).find(task));
  page->viewer.run(Command::CriticalPath);
  page->viewer.run(Command::FitSelection);
  return page->viewer.selected() != no_index;
}
EXPORT(list_text) void list_text() { page->result = to_text(page->viewer.picture()); }

// ---- input ----

EXPORT(pointer_move) void pointer_move(float x, float y) { page->viewer.pointer_move(x, y); }
EXPORT(pointer_leave) void pointer_leave() { page->viewer.pointer_leave(); }
EXPORT(pointer_down) void pointer_down(float x, float y, int bits) {
  page->viewer.pointer_down(x, y, modifiers(bits));
}
EXPORT(pointer_up) void pointer_up(float x, float y) { page->viewer.pointer_up(x, y); }
EXPORT(double_click) void double_click(float x, float y) { page->viewer.double_click(x, y); }
EXPORT(wheel) void wheel(float x, float y, float dx, float dy, int bits) {
  page->viewer.wheel(x, y, dx, dy, modifiers(bits));
}
EXPORT(pinch) void pinch(float x, float y, float factor) { page->viewer.pinch(x, y, factor); }
EXPORT(key) bool key(const char* name, size_t size, int bits) {
  return page->viewer.key({name, size}, modifiers(bits));
}
// Runs a command by its name in the table of keys.
EXPORT(run_command) void run_command(const char* name, size_t size) {
  if (const KeyBinding* found = find_command({name, size})) page->viewer.run(found->command);
}
EXPORT(show) void show(double from, double to) { page->viewer.show(from, to); }
EXPORT(window_from) double window_from() { return page->viewer.window().from; }
EXPORT(window_to) double window_to() { return page->viewer.window().to; }
EXPORT(set_hint) void set_hint(bool shown, bool touch) { page->viewer.set_hint(shown, touch); }
EXPORT(set_theme) void set_theme(const char* name, size_t size) {
  if (const Theme* theme = find_theme({name, size})) page->viewer.set_theme(*theme);
}

// ---- search, filter, panel, notes: results as JSON ----

EXPORT(found) void found() {
  const Viewer::Found found = page->viewer.found();
  Json(page->result)
      .open('{')
      .key("count")
      .number(found.count)
      .key("at")
      .number(found.at)
      .key("searched")
      .flag(!page->viewer.searched().empty())
      .close('}');
}
EXPORT(search) void search(const char* text, size_t size) {
  page->viewer.search({text, size});
  found();
}

EXPORT(set_filter)
void set_filter(const char* label, size_t label_size, const char* kind, size_t kind_size,
                const char* executor, size_t executor_size, double shortest, double longest,
                bool only_stuck) {
  page->viewer.set_filter({.label = take(label, label_size),
                           .kind = take(kind, kind_size),
                           .executor = take(executor, executor_size),
                           .shortest = shortest > 0 ? static_cast<uint64_t>(shortest) : 0,
                           .longest = longest > 0 ? static_cast<uint64_t>(longest) : UINT64_MAX,
                           .only_stuck = only_stuck});
}
EXPORT(filters) bool filters() { return page->viewer.filters(); }

// [kinds, executors]: the choices of the filter.
EXPORT(choices) void choices() {
  Json json(page->result);
  json.open('[').open('[');
  for (const std::string& kind : page->viewer.kinds()) json.text(kind);
  json.close(']').open('[');
  for (const std::string& executor : page->viewer.executors()) json.text(executor);
  json.close(']').close(']');
}

EXPORT(panel) void panel() {
  const Panel panel = page->viewer.panel();
  Json json(page->result);
  json.open('{').key("title").text(panel.title).key("lines").open('[');
  for (const PanelLine& line : panel.lines)
    json.open('[').text(line.name).text(line.value).number(line.link).flag(line.heading).close(']');
  json.close(']').close('}');
}
EXPORT(click) void click(uint32_t link) { page->viewer.click(link); }
EXPORT(tooltip) void tooltip() { page->result = page->viewer.tooltip(); }
EXPORT(notice) void notice() { page->result = page->viewer.notice(); }
EXPORT(alarm) void alarm() { page->result = page->viewer.alarm(); }

EXPORT(task_table_shown) bool task_table_shown() { return page->viewer.task_table_shown(); }
EXPORT(set_task_table_shown) void set_task_table_shown(bool shown) {
  page->viewer.set_task_table_shown(shown);
}
// Shares are in thousandths.
EXPORT(task_table) void task_table() {
  const TaskTable& table = page->viewer.task_table();
  Json json(page->result);
  json.open('{').key("selection").text(table.selection).key("omitted").number(table.omitted);
  json.key("sorted").number(static_cast<size_t>(table.sorted));
  json.key("descending").flag(table.descending).key("columns").open('[');
  for (const TaskColumn& column : columns_of(table))
    json.open('[').text(column.name).text(column.help).close(']');
  json.close(']').key("rows").open('[');
  for (const TaskTable::Row& row : table.rows) {
    json.open('[').flag(row.chosen).flag(row.framed).open('[');
    for (const double share : row.shares) json.number(static_cast<uint64_t>(1000 * share + 0.5));
    json.close(']');
    for (const std::string& text : row.texts) json.text(text);
    json.close(']');
  }
  json.close(']').close('}');
}
EXPORT(sort_tasks) void sort_tasks(uint32_t column) {
  page->viewer.sort_tasks(static_cast<TaskTable::Column>(column));
}
EXPORT(choose_tasks) void choose_tasks(size_t row) { page->viewer.choose_tasks(row); }

// Puts its picture into `primitives()`. The result is [time, [[time, choice, help], ...]]: what is
// shown, and the choices.
EXPORT(flame) void flame() {
  FlamePane& pane = page->viewer.flame();
  page->rest_of = &pane.picture();
  page->rest = page->rest_of->primitives;
  Json json(page->result);
  json.open('[').number(static_cast<size_t>(pane.time())).open('[');
  for (const FlameTime time : pane.times()) {
    const auto number = static_cast<size_t>(time);
    const FlameTimeText& text = flame_times[number];
    json.open('[').number(number).text(text.choice).text(text.help).close(']');
  }
  json.close(']').close(']');
}
EXPORT(of_profile) bool of_profile() { return page->viewer.flame().of_profile(); }
EXPORT(flame_changed) bool flame_changed() { return page->viewer.flame().changed(); }
EXPORT(flame_resize) void flame_resize(float width, float height) {
  page->viewer.flame().resize(width, height);
}
EXPORT(flame_move) void flame_move(float x, float y) { page->viewer.flame().pointer_move(x, y); }
EXPORT(flame_click) void flame_click(float x, float y) { page->viewer.flame().click(x, y); }
EXPORT(flame_wheel) void flame_wheel(float dy) { page->viewer.flame().wheel(dy); }
EXPORT(flame_key) bool flame_key(const char* name, size_t size) {
  return page->viewer.flame().key({name, size});
}
EXPORT(flame_tooltip) void flame_tooltip() { page->result = page->viewer.flame().tooltip(); }
EXPORT(set_flame_time) void set_flame_time(uint32_t time) {
  page->viewer.flame().set_time(static_cast<FlameTime>(time));
}

EXPORT(counters) void counters() {
  Json json(page->result);
  json.open('[');
  for (const Viewer::CounterState& counter : page->viewer.counters())
    json.open('[').text(counter.name).flag(counter.shown).number(counter.track).close(']');
  json.close(']');
}
EXPORT(show_counter) void show_counter(size_t which, bool shown) {
  page->viewer.show_counter(which, shown);
}

EXPORT(bookmarks) void bookmarks() {
  Json json(page->result);
  json.open('[');
  for (const Bookmark& bookmark : page->viewer.bookmarks())
    json.open('[').text(duration_text(bookmark.time)).text(bookmark.text).close(']');
  json.close(']');
}
EXPORT(add_bookmark) void add_bookmark(double time, const char* text, size_t size) {
  page->viewer.add_bookmark(time, take(text, size));
}
EXPORT(rename_bookmark) void rename_bookmark(size_t which, const char* text, size_t size) {
  page->viewer.rename_bookmark(which, {text, size});
}
EXPORT(remove_bookmark) void remove_bookmark(size_t which) { page->viewer.remove_bookmark(which); }
EXPORT(go_to_bookmark) void go_to_bookmark(size_t which) {
  const auto all = page->viewer.bookmarks();
  if (which >= all.size()) return;
  const Window& window = page->viewer.window();
  const double half = (window.to - window.from) / 2;
  page->viewer.show(all[which].time - half, all[which].time + half);
}
EXPORT(save_notes) void save_notes() { page->result = page->viewer.save_notes(); }
EXPORT(load_notes) void load_notes(const char* json, size_t size, bool same_zero) {
  const Result<void> loaded = page->viewer.load_notes({json, size}, same_zero);
  set_error(loaded ? nullptr : &loaded.error());
}

EXPORT(help_shown) bool help_shown() { return page->viewer.help_shown(); }
EXPORT(search_shown) bool search_shown() { return page->viewer.search_shown(); }
EXPORT(filter_shown) bool filter_shown() { return page->viewer.filter_shown(); }
EXPORT(set_help_shown) void set_help_shown(bool shown) { page->viewer.set_help_shown(shown); }
EXPORT(set_search_shown) void set_search_shown(bool shown) { page->viewer.set_search_shown(shown); }
EXPORT(set_filter_shown) void set_filter_shown(bool shown) { page->viewer.set_filter_shown(shown); }
EXPORT(legend_shown) bool legend_shown() { return page->viewer.legend_shown(); }
EXPORT(set_legend_shown) void set_legend_shown(bool shown) { page->viewer.set_legend_shown(shown); }
EXPORT(keys) void keys() {
  Json json(page->result);
  json.open('[');
  for (const KeyBinding& binding : key_bindings())
    json.open('[')
        .text(binding.name)
        .text(binding.group)
        .text(binding.keys)
        .text(binding.help)
        .close(']');
  for (const MouseBinding& binding : mouse_bindings())
    json.open('[').text("").text("Mouse").text(binding.gesture).text(binding.help).close(']');
  for (const MouseBinding& binding : touch_bindings())
    json.open('[').text("").text("Touch").text(binding.gesture).text(binding.help).close(']');
  json.close(']');
}
EXPORT(theme_names) void theme_names() {
  Json json(page->result);
  json.open('[');
  for (const Theme& theme : themes) json.text(theme.name);
  json.close(']');
}
EXPORT(theme_name) void theme_name() { page->result = page->viewer.theme().name; }
