#include "view/gtk/help.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "view/viewer/keys.h"

namespace skein::desktop {

const WindowKey window_keys[13] = {
    {"win.open-directory", "<Control>o", "Ctrl+o", "Open a directory that skein recorded"},
    {"win.open-file", "<Control><Shift>o", "Ctrl+Shift+o", "Open a trace file"},
    {"win.add-directory", "<Control>d", "Ctrl+d", "Add a directory below, to compare"},
    {"win.add-file", "<Control><Shift>d", "Ctrl+Shift+d", "Add a trace file below"},
    {"win.export", "<Control>e", "Ctrl+e", "Export the picture: PNG, SVG, PDF"},
    {"win.copy", "<Control><Shift>c", "Ctrl+Shift+c", "Copy the picture"},
    {"win.new-window", "<Control>n", "Ctrl+n", "Another window"},
    {"win.panel", "F9", "F9", "Panel on and off"},
    {"win.notes", "<Control>b", "Ctrl+b", "Bookmarks and notes"},
    {nullptr, nullptr, "F10", "The menu"},
    {"win.fullscreen", "F11", "F11", "Full screen"},
    {"win.close", "<Control>w", "Ctrl+w", "Close the window"},
    {"app.quit", "<Control>q", "Ctrl+q", "Quit"},
};

namespace {

struct Line {
  std::string keys;
  std::string help;
};

void add_section(Gtk::Box& column, std::string_view title, const std::vector<Line>& lines) {
  auto* heading = Gtk::make_managed<Gtk::Label>(std::string(title));
  heading->set_xalign(0);
  heading->add_css_class("heading");
  column.append(*heading);
  auto* grid = Gtk::make_managed<Gtk::Grid>();
  grid->set_column_spacing(12);
  grid->set_row_spacing(2);
  grid->set_margin_bottom(8);
  int row = 0;
  for (const Line& line : lines) {
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

HelpView::HelpView(std::function<void()> close) {
  add_css_class("skein-help");
  set_halign(Gtk::Align::CENTER);
  set_valign(Gtk::Align::CENTER);
  set_margin(20);

  auto* columns = Gtk::make_managed<Gtk::Box>(Gtk::Orientation::HORIZONTAL, 28);
  columns->set_margin(18);
  Gtk::Box* column[3];
  for (Gtk::Box*& each : column) {
    each = Gtk::make_managed<Gtk::Box>(Gtk::Orientation::VERTICAL, 4);
    columns->append(*each);
  }

  std::vector<std::string_view> groups;
  for (const KeyBinding& first : key_bindings()) {
    if (std::find(groups.begin(), groups.end(), first.group) != groups.end()) continue;
    groups.push_back(first.group);
    std::vector<Line> lines;
    for (const KeyBinding& binding : key_bindings())
      if (binding.group == first.group)
        lines.push_back({shown_keys(binding.keys), std::string(binding.help)});
    add_section(*column[(groups.size() - 1) / 3], first.group, lines);
  }
  std::vector<Line> lines;
  for (const MouseBinding& binding : mouse_bindings())
    lines.push_back({std::string(binding.gesture), std::string(binding.help)});
  add_section(*column[2], "Mouse", lines);
  lines.clear();
  for (const WindowKey& key : window_keys) lines.push_back({key.shown, key.help});
  add_section(*column[2], "Window", lines);
  auto* button = Gtk::make_managed<Gtk::Button>("Close");
  button->set_halign(Gtk::Align::END);
  button->signal_clicked().connect(std::move(close));
  column[2]->append(*button);

  auto* scrolled = Gtk::make_managed<Gtk::ScrolledWindow>();
  scrolled->set_policy(Gtk::PolicyType::AUTOMATIC, Gtk::PolicyType::AUTOMATIC);
  scrolled->set_propagate_natural_width(true);
  scrolled->set_propagate_natural_height(true);
  scrolled->set_child(*columns);
  set_child(*scrolled);
}

}  // namespace skein::desktop
