#include "view/gtk/window.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "view/gtk/keyval.h"
#include "view/gtk/main_loop.h"
#include "view/viewer/keys.h"

namespace skein::desktop {

namespace {

bool is_dark(const Theme& theme) { return theme.name.find("dark") != std::string_view::npos; }

// Returns false and does nothing if the text is unchanged: a new text means a new layout.
bool change_text(Gtk::Label& label, const std::string& text) {
  if (label.get_text().raw() == text) return false;
  label.set_text(text);
  return true;
}

}  // namespace

Window::Window(const std::string& theme)
    : settings_(load_settings()),
      answers_(viewer_, post_to_main_loop, [this] { answered(); }),
      filter_(viewer_, [this](Filter filter) { answers_.filter(std::move(filter)); }),
      counters_(viewer_, [this] { acted(); }),
      notes_(viewer_,
             [this] {
               bookmarks_seen_ = SIZE_MAX;  // a text may have changed
               acted();
             }),
      picture_(viewer_, [this] { acted(); }),
      panel_([this](uint32_t link) {
        viewer_.click(link);
        acted();
      }),
      table_(viewer_, [this] { acted(); }),
      flame_(viewer_, [this] { acted(); }) {
  const auto settings = Gtk::Settings::get_for_display(get_display());
  const bool dark =
      settings->property_gtk_application_prefer_dark_theme().get_value() ||
      settings->property_gtk_theme_name().get_value().find("dark") != Glib::ustring::npos;
  const Theme* chosen = find_theme(theme.empty() ? settings_.theme : theme);
  viewer_.set_theme(chosen ? *chosen : *find_theme(dark ? "dark" : "light"));
  viewer_.set_legend_shown(settings_.legend);
  viewer_.set_task_table_shown(settings_.pane);
  set_default_size(settings_.width, settings_.height);
  add_actions();
  build();
  listen_to_drops();
  signal_close_request().connect(
      [this] {
        save_notes();
        get_default_size(settings_.width,
                         settings_.height);  // tracks resizes; not get_width()
        save_settings(settings_);
        closed_ = true;
        loaders_.clear();
        sync_timer_.disconnect();
        search_timer_.disconnect();
        progress_timer_.disconnect();
        return false;
      },
      false);
  sync();
}

Window::~Window() {
  closed_ = true;
  notes_timer_.disconnect();
  sync_timer_.disconnect();
  search_timer_.disconnect();
  progress_timer_.disconnect();
}

// A focused text field gets its keys; all others go to the picture, wherever the focus is.
bool Window::key(guint keyval, Gdk::ModifierType state) {
  const auto other = Gdk::ModifierType::SUPER_MASK | Gdk::ModifierType::META_MASK;
  if ((state & other) != Gdk::ModifierType{}) return false;
  const std::string name = key_name(keyval);
  const Modifiers modifiers = modifiers_of(state);
  if (name.empty()) return false;
  if (Gtk::Widget* focus = get_focus()) {
    if (focus->get_ancestor(Gtk::Popover::get_type())) return false;
    const bool types = dynamic_cast<Gtk::Text*>(focus) != nullptr;
    if (types && name == "Enter" && modifiers.shift) return false;
    if (types && name != "F1" && name != "F3") return false;
    constexpr std::array<std::string_view, 6> in_lists = {"ArrowUp", "ArrowDown", "Home",
                                                          "End",     "PageUp",    "PageDown"};
    if (focus->is_ancestor(table_) &&
        std::find(in_lists.begin(), in_lists.end(), name) != in_lists.end())
      return false;
    if (!modifiers.shift && !modifiers.control && !modifiers.alt && flame_.key(name)) return true;
  }
  const KeyBinding* found = find_key(name, modifiers);
  if (!found) {
    viewer_.key(name, modifiers);  // any key hides the hint
    picture_.refresh();
    return false;
  }
  run(found->command);
  return true;
}

void Window::run(Command command) {
  if (search_timer_.connected()) search_now();
  const bool steps = command == Command::SearchNext || command == Command::SearchPrevious;
  if (!waiting_.empty() || (steps && answers_.is_searching())) return waiting_.push_back(command);
  const bool searches = viewer_.search_shown();
  viewer_.run(command);
  if (searches && !viewer_.search_shown()) answers_.forget_search();  // the command cleared it
  if (command == Command::Search) {
    search_.grab_focus();
    search_.select_region(0, -1);
  }
  acted();
}

// Searches when no key event is pending: in a trace where a search takes longer than a key press,
// only the last text is searched.
void Window::searched() {
  if (!search_timer_.connected())
    search_timer_ = Glib::signal_idle().connect([this] {
      search_now();
      return false;
    });
}

void Window::search_now() {
  search_timer_.disconnect();
  const std::string text = search_.get_text();
  answers_.search(text);
  viewer_.set_search_shown(!text.empty());
  acted();
}

void Window::answered() {
  if (closed_) return;
  if (!answers_.is_searching())
    for (const Command command : std::exchange(waiting_, {})) run(command);
  acted();
}

void Window::acted() {
  if (closed_) return;
  picture_.refresh();
  if (sync_timer_.connected()) return;
  sync_timer_ = Glib::signal_idle().connect([this] {
    sync();
    return false;
  });
}

void Window::sync() {
  picture_.refresh();
  settings_.legend = viewer_.legend_shown();
  if (panel_.get_visible()) panel_.show_panel(viewer_.panel());
  sync_search();
  sync_theme();
  sync_notice();
  sync_title();
  sync_pane();
  show_help(viewer_.help_shown());
  if (viewer_.filter_shown() && !filter_.get_visible()) filter_button_.popup();
  if (!viewer_.filter_shown() && filter_.get_visible()) viewer_.set_filter_shown(true);
  if (viewer_.bookmarks().size() != bookmarks_seen_) {
    bookmarks_seen_ = viewer_.bookmarks().size();
    notes_timer_.disconnect();
    notes_timer_ = Glib::signal_timeout().connect(
        [this] {
          save_notes();
          return false;
        },
        500);
  }
  welcome_.set_visible(viewer_.traces() == 0 && pending_ == 0);
  filter_button_.set_label(viewer_.filters() ? "Filter: on" : "Filter");
}

void Window::sync_search() {
  if (!viewer_.search_shown() && !search_.get_text().empty() && !search_.has_focus())
    search_.set_text("");
  if (answers_.is_searching()) return;  // the matches are of another text
  const Viewer::Found found = viewer_.found();
  std::string text;
  if (search_.get_text().empty())
    text = "";
  else if (found.count == 0)
    text = "no matches";
  else if (found.at == 0)
    text = grouped(found.count) + (found.count == 1 ? " match" : " matches");
  else
    text = grouped(found.at) + " of " + grouped(found.count);
  change_text(found_, text);
}

void Window::sync_theme() {
  const Theme& theme = viewer_.theme();
  if (theme.name == theme_shown_) return;
  const bool first = theme_shown_.empty();
  theme_shown_ = theme.name;
  Gtk::Settings::get_for_display(get_display())
      ->property_gtk_application_prefer_dark_theme()
      .set_value(is_dark(theme));
  theme_action_->change_state(Glib::ustring(theme_shown_));
  if (!first) settings_.theme = theme_shown_;
}

// Losses come first: they may explain why a task seems stuck.
std::string Window::notice() const {
  std::string text = viewer_.notice();
  const std::string alarm = viewer_.alarm();
  if (alarm.empty()) return text;
  return text.append(text.empty() ? "" : " ").append(alarm).append(".");
}

void Window::sync_notice() {
  std::string text = message_.empty() ? notice() : message_;
  if (message_.empty() && text == dismissed_) text.clear();
  alarm_.set_visible(message_.empty() && !viewer_.alarm().empty());
  change_text(bar_text_, text);
  if (good_message_ && !message_.empty())
    bar_.add_css_class("good");
  else
    bar_.remove_css_class("good");
  bar_.set_visible(!text.empty());
}

void Window::sync_title() {
  std::string title;
  size_t events = 0;
  size_t tasks = 0;
  bool live = false;
  bool ended = false;
  for (const Source& source : sources_) {
    if (source.failed && sources_.size() > 1) continue;
    title += (title.empty() ? "" : ", ") + source.title;
    live = live || source.live;
    ended = ended || source.ended;
    if (!source.track) continue;
    events += viewer_.trace(*source.track).events.size();
    for (const Model::Task& task : viewer_.model(*source.track).tasks) tasks += !task.is_resource;
  }
  std::string status = counted(events, "event") + ", " + counted(tasks, "task");
  if (viewer_.traces() == 0) status = pending_ > 0 ? "reading" : "";
  std::string state;
  if (pending_ > 0)
    state = "reading";
  else if (live)
    state = "running";
  else if (ended)
    state = "ended";
  if (live)
    status += ", running";
  else if (ended)
    status += ", the program has ended";
  change_text(title_, title.empty() ? "skein" : title);
  const std::string full =
      title.empty() ? "skein" : title + (state.empty() ? "" : " (" + state + ")") + " - skein";
  if (get_title().raw() != full) set_title(full);
  change_text(status_, status);
  status_.set_visible(!status.empty());
}

void Window::sync_pane() {
  const bool shown = viewer_.task_table_shown();
  if (shown != pane_.get_visible()) {
    const Gtk::Widget* focus = get_focus();
    const bool had_focus = focus && focus->is_ancestor(pane_);
    pane_.set_visible(shown);
    pane_placed_ = false;
    if (had_focus) picture_.grab_focus();
  }
  settings_.pane = shown;
  table_button_.set_active(shown);
  if (!shown) return;
  place_pane();
  table_.refresh();
  flame_.refresh();  // its selection includes the chosen row
  table_.refresh();  // marks the tasks of the chosen frame
  picture_.refresh();  // the chosen row or frame may be of other tasks now
}

// Gives the pane its height once the window has one, and then remembers what the user makes of it.
void Window::place_pane() {
  const int height = split_.get_height();
  if (!pane_.get_visible() || height <= 1) return;
  if (!pane_placed_) {
    pane_placed_ = true;
    split_.set_position(std::max(height - settings_.pane_height, height / 3));
    constexpr int whole_table = 700;
    pane_.set_position(std::min(whole_table, split_.get_width() * 62 / 100));
  } else if (const int now = height - split_.get_position(); now >= 60) {
    settings_.pane_height = now;
  }
}

void Window::show_message(const std::string& text, bool good) {
  message_ = text;
  good_message_ = good;
  acted();
}

void Window::show_help(bool shown) {
  if (shown == (help_ != nullptr)) return;
  if (!shown) {
    overlay_.remove_overlay(*help_);
    help_.reset();
    picture_.grab_focus();
    return;
  }
  help_ = std::make_unique<HelpView>(
      [this] {
        viewer_.set_help_shown(false);
        acted();
      },
      overlay_.get_width());
  overlay_.add_overlay(*help_);
}

}  // namespace skein::desktop
