#include "view/gtk/help.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "view/viewer/keys.h"

namespace skein::desktop {

const WindowKey window_keys[13] = {
    {"win.open-directory", "<Control>o", "Ctrl+o", "Open a trace directory"},
    {"win.open-file", "<Control><Shift>o", "Ctrl+Shift+o", "Open a trace file"},
    {"win.add-directory", "<Control>d", "Ctrl+d", "Add a trace directory below, to compare"},
    {"win.add-file", "<Control><Shift>d", "Ctrl+Shift+d", "Add a trace file below"},
    {"win.export", "<Control>e", "Ctrl+e", "Export the picture: PNG, SVG, PDF"},
    {"win.copy", "<Control><Shift>c", "Ctrl+Shift+c", "Copy the picture"},
    {"win.new-window", "<Control>n", "Ctrl+n", "Open a new window"},
    {"win.panel", "F9", "F9", "Show or hide the panel"},
    {"win.notes", "<Control>b", "Ctrl+b", "Show bookmarks and notes"},
    {nullptr, nullptr, "F10", "Open the menu"},
    {"win.fullscreen", "F11", "F11", "Toggle full screen"},
    {"win.close", "<Control>w", "Ctrl+w", "Close the window"},
    {"app.quit", "<Control>q", "Ctrl+q", "Quit"},
};

namespace {

struct Line {
  std::string keys;
  std::string help;
};

struct Section {
  std::string_view title;
  std::vector<Line> lines;
};

// Adds a line to the section with this title, which is created if necessary.
void add_line(std::vector<Section>& sections, std::string_view title, std::string keys,
              std::string_view help) {
  auto found = std::find_if(sections.begin(), sections.end(),
                            [&](const Section& section) { return section.title == title; });
  if (found == sections.end()) found = sections.insert(found, Section{title, {}});
  found->lines.push_back({std::move(keys), std::string(help)});
}

void show_section(Gtk::Box& column, const Section& section) {
  auto* heading = Gtk::make_managed<Gtk::Label>(std::string(section.title));
  heading->set_xalign(0);
  heading->add_css_class("heading");
  column.append(*heading);
  auto* grid = Gtk::make_managed<Gtk::Grid>();
  grid->set_column_spacing(12);
  grid->set_row_spacing(2);
  grid->set_margin_bottom(8);
  int row = 0;
  for (const Line& line : section.lines) {
    auto* keys = Gtk::make_managed<Gtk::Label>();
    keys->set_markup("<tt>" + Glib::Markup::escape_text(line.keys) + "</tt>");
    keys->set_xalign(0);
    keys->set_yalign(0);
    keys->set_wrap(true);
    keys->set_max_width_chars(18);
    keys->set_width_chars(15);
    auto* help = Gtk::make_managed<Gtk::Label>(line.help);
    help->set_xalign(0);
    help->set_yalign(0);
    help->set_wrap(true);
    help->set_max_width_chars(34);
    help->set_hexpand(true);
    grid->attach(*keys, 0, row);
    grid->attach(*help, 1, row++);
  }
  column.append(*grid);
}

// "Shift+n Shift+F3" -> "Shift+n, Shift+F3"
std::string shown_keys(std::string_view keys) {
  std::string text;
  for (const char c : keys) text += c == ' ' ? std::string(", ") : std::string(1, c);
  return text;
}

}  // namespace

HelpView::HelpView(std::function<void()> close, int width) {
  add_css_class("skein-help");
  set_halign(Gtk::Align::CENTER);
  set_valign(Gtk::Align::CENTER);
  set_margin(20);

  auto* columns = Gtk::make_managed<Gtk::Box>(Gtk::Orientation::HORIZONTAL, 28);
  columns->set_margin(18);
  constexpr int readable = 380;  // pixels per column
  const auto count = static_cast<size_t>(std::clamp(width / readable, 1, 3));
  std::vector<Gtk::Box*> column(count);
  for (Gtk::Box*& each : column) {
    each = Gtk::make_managed<Gtk::Box>(Gtk::Orientation::VERTICAL, 4);
    columns->append(*each);
  }

  std::vector<Section> sections;
  for (const KeyBinding& key : key_bindings())
    add_line(sections, key.group, shown_keys(key.keys), key.help);
  const size_t commands_end = sections.size();
  for (const MouseBinding& mouse : mouse_bindings())
    add_line(sections, "Mouse", std::string(mouse.gesture), mouse.help);
  for (const WindowKey& key : window_keys) add_line(sections, "Window", key.shown, key.help);
  for (size_t i = 0; i < sections.size(); i++)
    show_section(*column[std::min(i < commands_end ? i / 3 : 2, count - 1)], sections[i]);
  auto* button = Gtk::make_managed<Gtk::Button>("Close");
  button->set_halign(Gtk::Align::END);
  button->signal_clicked().connect(std::move(close));
  column.back()->append(*button);

  auto* scrolled = Gtk::make_managed<Gtk::ScrolledWindow>();
  scrolled->set_policy(Gtk::PolicyType::AUTOMATIC, Gtk::PolicyType::AUTOMATIC);
  scrolled->set_propagate_natural_width(true);
  scrolled->set_propagate_natural_height(true);
  scrolled->set_child(*columns);
  set_child(*scrolled);
}

}  // namespace skein::desktop
