#include "view/gtk/popovers.h"

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/text.h"

namespace skein::desktop {

namespace {

// Sets the entries to "any" and the choices, and selects the chosen one, or the first.
void set_choices(Gtk::DropDown& menu, const std::vector<std::string>& choices,
                 const std::string& chosen) {
  std::vector<Glib::ustring> texts{"any"};
  texts.insert(texts.end(), choices.begin(), choices.end());
  menu.set_model(Gtk::StringList::create(texts));
  const auto found = std::find(choices.begin(), choices.end(), chosen);
  menu.set_selected(found == choices.end() ? 0
                                           : static_cast<unsigned>(found - choices.begin()) + 1);
}

std::string choice(const Gtk::DropDown& menu, const std::vector<std::string>& choices) {
  const unsigned selected = menu.get_selected();
  return selected == 0 || selected > choices.size() ? std::string() : choices[selected - 1];
}

// Returns the duration in the entry, or `otherwise`; marks an invalid entry.
uint64_t duration_in(Gtk::Entry& entry, uint64_t otherwise) {
  const std::string text = entry.get_text();
  const std::optional<double> typed = parse_duration(text);
  const bool is_valid = typed && *typed >= 0 && *typed <= 9e18;
  if (text.empty() || is_valid)
    entry.remove_css_class("error");
  else
    entry.add_css_class("error");
  return is_valid ? static_cast<uint64_t>(std::llround(*typed)) : otherwise;
}

Gtk::Label* label_of(const char* text) {
  auto* label = Gtk::make_managed<Gtk::Label>(text);
  label->set_xalign(0);
  return label;
}

void set_scrolled(Gtk::ScrolledWindow& scrolled, Gtk::Widget& child) {
  scrolled.set_policy(Gtk::PolicyType::NEVER, Gtk::PolicyType::AUTOMATIC);
  scrolled.set_propagate_natural_height(true);
  scrolled.set_propagate_natural_width(true);
  scrolled.set_max_content_height(400);
  scrolled.set_child(child);
}

}  // namespace

FilterPopover::FilterPopover(Viewer& viewer, std::function<void(Filter)> apply)
    : viewer_(viewer), apply_(std::move(apply)) {
  grid_.set_margin(10);
  grid_.set_row_spacing(6);
  grid_.set_column_spacing(10);
  label_.set_placeholder_text("part of a label, name or location");
  label_.set_width_chars(26);
  shortest_.set_placeholder_text("1 ms");
  longest_.set_placeholder_text("2 s");
  clear_.set_halign(Gtk::Align::END);
  const std::pair<const char*, Gtk::Widget*> rows[] = {{"Label", &label_},
                                                       {"Kind", &kind_},
                                                       {"Executor", &executor_},
                                                       {"At least", &shortest_},
                                                       {"At most", &longest_}};
  int row = 0;
  for (const auto& [name, widget] : rows) {
    grid_.attach(*label_of(name), 0, row);
    grid_.attach(*widget, 1, row++);
  }
  grid_.attach(only_stuck_, 1, row++);
  grid_.attach(clear_, 1, row);
  set_child(grid_);

  signal_show().connect([this] {
    fill();
    label_.grab_focus();
  });
  for (Gtk::Entry* entry : {&label_, &shortest_, &longest_}) {
    entry->signal_changed().connect([this] { changed(); });
    entry->signal_activate().connect([this] { popdown(); });
  }
  for (Gtk::DropDown* menu : {&kind_, &executor_})
    menu->property_selected().signal_changed().connect([this] { changed(); });
  only_stuck_.signal_toggled().connect([this] { changed(); });
  clear_.signal_clicked().connect([this] { clear(); });
}

void FilterPopover::fill() {
  filling_ = true;
  const std::string kind = choice(kind_, kinds_);
  const std::string executor = choice(executor_, executors_);
  kinds_ = viewer_.kinds();
  executors_ = viewer_.executors();
  set_choices(kind_, kinds_, kind);
  set_choices(executor_, executors_, executor);
  filling_ = false;
}

void FilterPopover::changed() {
  if (filling_) return;
  apply_({.label = label_.get_text(),
          .kind = choice(kind_, kinds_),
          .executor = choice(executor_, executors_),
          .shortest = duration_in(shortest_, 0),
          .longest = duration_in(longest_, UINT64_MAX),
          .only_stuck = only_stuck_.get_active()});
}

void FilterPopover::clear() {
  filling_ = true;
  for (Gtk::Entry* entry : {&label_, &shortest_, &longest_}) entry->set_text("");
  kind_.set_selected(0);
  executor_.set_selected(0);
  only_stuck_.set_active(false);
  filling_ = false;
  changed();
}

CountersPopover::CountersPopover(Viewer& viewer, std::function<void()> acted)
    : viewer_(viewer), acted_(std::move(acted)) {
  box_.set_margin(10);
  set_scrolled(scrolled_, box_);
  set_child(scrolled_);
  signal_show().connect([this] { fill(); });
}

void CountersPopover::fill() {
  while (Gtk::Widget* child = box_.get_first_child()) box_.remove(*child);
  const auto counters = viewer_.counters();
  if (counters.empty()) box_.append(*label_of("This trace has no counters."));
  for (size_t i = 0; i < counters.size(); i++) {
    std::string name = counters[i].name;
    if (viewer_.traces() > 1) name += " (trace " + std::to_string(counters[i].track + 1) + ")";
    auto* button = Gtk::make_managed<Gtk::CheckButton>(name);
    button->set_active(counters[i].shown);
    button->signal_toggled().connect([this, i, button] {
      viewer_.show_counter(i, button->get_active());
      acted_();
    });
    box_.append(*button);
  }
}

NotesPopover::NotesPopover(Viewer& viewer, std::function<void()> acted)
    : viewer_(viewer), acted_(std::move(acted)) {
  box_.set_margin(10);
  list_.set_row_spacing(4);
  list_.set_column_spacing(6);
  set_scrolled(scrolled_, list_);
  text_.set_placeholder_text("New note at the centre; press Enter");
  text_.set_width_chars(40);
  place_.set_xalign(0);
  place_.set_wrap(true);
  place_.set_max_width_chars(44);
  place_.add_css_class("dim-label");
  box_.append(scrolled_);
  box_.append(text_);
  box_.append(place_);
  set_child(box_);
  signal_show().connect([this] {
    fill();
    text_.grab_focus();
  });
  text_.signal_activate().connect([this] {
    const auto& window = viewer_.window();  // not desktop::Window, which unity builds see
    viewer_.add_bookmark((window.from + window.to) / 2, text_.get_text());
    text_.set_text("");
    fill();
    acted_();
  });
}

void NotesPopover::set_place(const std::string& text) { place_.set_text(text); }

void NotesPopover::fill() {
  while (Gtk::Widget* child = list_.get_first_child()) list_.remove(*child);
  const auto bookmarks = viewer_.bookmarks();
  if (bookmarks.empty())
    list_.attach(*label_of("No bookmarks. Press b to add one at the pointer."), 0, 0);
  for (size_t i = 0; i < bookmarks.size(); i++) {
    const double time = bookmarks[i].time;
    auto* go = Gtk::make_managed<Gtk::Button>(time_text(static_cast<int64_t>(time), 1000));
    go->set_has_frame(false);
    go->set_tooltip_text("Go there");
    go->signal_clicked().connect([this, time] {
      const double half = (viewer_.window().to - viewer_.window().from) / 2;
      viewer_.show(time - half, time + half);
      acted_();
    });
    auto* text = Gtk::make_managed<Gtk::Entry>();
    text->set_text(bookmarks[i].text);
    text->set_hexpand(true);
    text->signal_changed().connect([this, i, text] { rename(i, text->get_text()); });
    auto* remove = Gtk::make_managed<Gtk::Button>();
    remove->set_icon_name("edit-delete-symbolic");
    remove->set_has_frame(false);
    remove->set_tooltip_text("Remove");
    remove->signal_clicked().connect([this, i] {
      // Later: removing the bookmark removes this button.
      Glib::signal_idle().connect_once([this, i] {
        viewer_.remove_bookmark(i);
        fill();
        acted_();
      });
    });
    const int row = static_cast<int>(i);
    list_.attach(*go, 0, row);
    list_.attach(*text, 1, row);
    list_.attach(*remove, 2, row);
  }
}

// Renames a bookmark. Bookmarks are ordered by time, and a new one follows those of equal time:
// inserts the others of that time again, after it.
void NotesPopover::rename(size_t which, const std::string& text) {
  const auto bookmarks = viewer_.bookmarks();
  if (which >= bookmarks.size()) return;
  const double time = bookmarks[which].time;
  std::vector<std::string> texts{text};
  for (size_t i = which + 1; i < bookmarks.size() && bookmarks[i].time == time; i++)
    texts.push_back(bookmarks[i].text);
  for (size_t i = 0; i < texts.size(); i++) viewer_.remove_bookmark(which);
  for (std::string& each : texts) viewer_.add_bookmark(time, std::move(each));
  acted_();
}

}  // namespace skein::desktop
