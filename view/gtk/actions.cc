// The window's menus, dialogs and drops.
#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "view/gtk/application.h"
#include "view/gtk/save_picture.h"
#include "view/gtk/window.h"
#include "view/viewer/keys.h"

namespace skein::desktop {

namespace {

constexpr size_t most_recent = 12;

// A trace directory may be chosen through its file named "metadata".
std::string trace_of(const std::string& path) {
  const std::filesystem::path chosen(path);
  return chosen.filename() == "metadata" ? chosen.parent_path().string() : path;
}

Glib::ustring run_action(std::string_view command) {
  return "win.run('" + std::string(command) + "')";
}

void append_commands(Gio::Menu& menu, std::initializer_list<Command> list) {
  for (const Command command : list)
    menu.append(std::string(binding(command).help), run_action(binding(command).name));
}

// In microseconds. Avoids get_modified(), which frees memory that it does not own (gtkmm 4.8).
gint64 opened(const Gtk::RecentInfo& item) {
  GDateTime* time = gtk_recent_info_get_modified(const_cast<GtkRecentInfo*>(item.gobj()));
  return g_date_time_to_unix(time) * G_USEC_PER_SEC + g_date_time_get_microsecond(time);
}

}  // namespace

void Window::add_actions() {
  add_action("open-directory", [this] { choose(true, false); });
  add_action("open-file", [this] { choose(false, false); });
  add_action("add-directory", [this] { choose(true, true); });
  add_action("add-file", [this] { choose(false, true); });
  add_action("export", [this] { choose_export(); });
  add_action("copy", [this] { copy_picture(); });
  add_action("new-window", [this] {
    open_window(*get_application(), std::string(viewer_.theme().name)).open({});
  });
  add_action("panel", [this] {
    settings_.panel = !settings_.panel;
    panel_.set_visible(settings_.panel);
    acted();
  });
  add_action("notes", [this] { notes_button_.popup(); });
  add_action("fullscreen", [this] { is_fullscreen() ? unfullscreen() : fullscreen(); });
  add_action("close", [this] { close(); });
  add_action_with_parameter(
      "open-recent", Glib::VARIANT_TYPE_STRING, [this](const Glib::VariantBase& path) {
        open({Glib::VariantBase::cast_dynamic<Glib::Variant<Glib::ustring>>(path).get()});
      });
  add_action_with_parameter(
      "run", Glib::VARIANT_TYPE_STRING, [this](const Glib::VariantBase& name) {
        const Glib::ustring text =
            Glib::VariantBase::cast_dynamic<Glib::Variant<Glib::ustring>>(name).get();
        if (const KeyBinding* found = find_command(text.raw())) run(found->command);
        picture_.grab_focus();
      });
  theme_action_ = add_action_radio_string(
      "theme",
      [this](const Glib::ustring& name) {
        if (const Theme* theme = find_theme(name.raw())) viewer_.set_theme(*theme);
        picture_.refresh();
        acted();
      },
      std::string(viewer_.theme().name));
}

// Rebuilt each time it is opened, because the recent files change.
Glib::RefPtr<Gio::Menu> Window::make_open_menu() {
  auto menu = Gio::Menu::create();
  auto open = Gio::Menu::create();
  open->append("Open a trace directory …", "win.open-directory");
  open->append("Open a trace file …", "win.open-file");
  menu->append_section(open);
  auto below = Gio::Menu::create();
  below->append("Add a directory below …", "win.add-directory");
  below->append("Add a file below …", "win.add-file");
  menu->append_section("Compare", below);

  std::vector<Glib::RefPtr<Gtk::RecentInfo>> items;
  for (const auto& item : Gtk::RecentManager::get_default()->get_items())
    if (item->has_application(recent_application) && item->is_local() && item->exists())
      items.push_back(item);
  std::sort(items.begin(), items.end(),
            [](const auto& a, const auto& b) { return opened(*a) > opened(*b); });
  items.resize(std::min(items.size(), most_recent));
  auto recent = Gio::Menu::create();
  for (const auto& item : items) {
    std::string label = safe_text(item->get_uri_display().raw(), 80);
    for (size_t at = 0; (at = label.find('_', at)) != std::string::npos; at += 2)
      label.insert(at, "_");  // a single one is a mnemonic
    auto entry = Gio::MenuItem::create(label, "");
    entry->set_action_and_target("win.open-recent", Glib::Variant<Glib::ustring>::create(
                                                        Glib::filename_from_uri(item->get_uri())));
    recent->append_item(entry);
  }
  if (!items.empty()) menu->append_section("Recent", recent);
  return menu;
}

Glib::RefPtr<Gio::Menu> Window::make_main_menu() {
  auto menu = Gio::Menu::create();
  auto file = Gio::Menu::create();
  file->append("Export the picture …", "win.export");
  file->append("Copy the picture", "win.copy");
  file->append("New window", "win.new-window");
  menu->append_section(file);
  auto view = Gio::Menu::create();
  view->append("Panel", "win.panel");
  append_commands(*view.get(),
                  {Command::ToggleTaskTable, Command::ToggleLegend, Command::ToggleArrows,
                   Command::ToggleCounters, Command::FitRows, Command::ExpandAll});
  auto theme = Gio::Menu::create();
  for (const Theme& each : themes)
    theme->append(std::string(each.name), "win.theme('" + std::string(each.name) + "')");
  view->append_submenu("Theme", theme);
  menu->append_section(view);
  auto help = Gio::Menu::create();
  help->append("Keys and mouse", run_action(binding(Command::Help).name));
  help->append("Close the window", "win.close");
  help->append("Quit", "app.quit");
  menu->append_section(help);
  return menu;
}

void Window::choose(bool directory, bool below) {
  chooser_ = Gtk::FileChooserNative::create(
      below ? "Add a trace below" : "Open a trace", *this,
      directory ? Gtk::FileChooser::Action::SELECT_FOLDER : Gtk::FileChooser::Action::OPEN,
      below ? "_Add" : "_Open", "_Cancel");
  chooser_->set_modal(true);
  chooser_->signal_response().connect([this, below](int response) {
    if (response != Gtk::ResponseType::ACCEPT || !chooser_->get_file()) return;
    const std::string path = trace_of(chooser_->get_file()->get_path());
    if (path.empty()) return show_message("Cannot open: not a local file");
    below ? add(path) : open({path});
  });
  chooser_->show();
}

void Window::choose_export() {
  chooser_ = Gtk::FileChooserNative::create("Export the picture: .png, .svg or .pdf", *this,
                                            Gtk::FileChooser::Action::SAVE, "_Export", "_Cancel");
  chooser_->set_modal(true);
  const std::string stem = sources_.empty() || sources_[0].path == "-"
                               ? std::string("skein")
                               : std::filesystem::path(sources_[0].title).stem().string();
  chooser_->set_current_name(stem + ".png");
  chooser_->signal_response().connect([this](int response) {
    if (response != Gtk::ResponseType::ACCEPT || !chooser_->get_file()) return;
    const std::string path = chooser_->get_file()->get_path();
    viewer_.pointer_leave();  // its line is not part of the picture
    const Result<void> written = export_picture(viewer_, path, title_.get_text(), 2);
    if (written)
      show_message("Saved: " + safe_text(path, 500), true);
    else
      show_message(safe_text(written.error().message(), 500));
  });
  chooser_->show();
}

void Window::copy_picture() {
  get_clipboard()->set_texture(picture_texture(viewer_, get_scale_factor()));
}

void Window::open_or_add(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  if (viewer_.traces() == 0) return open(paths);
  for (const std::string& path : paths) add(path);
}

void Window::listen_to_drops() {
  auto target = Gtk::DropTarget::create(GDK_TYPE_FILE_LIST, Gdk::DragAction::COPY);
  target->signal_drop().connect(
      [this](const Glib::ValueBase& value, double, double) {
        std::vector<std::string> paths;
        for (auto* item = static_cast<GSList*>(g_value_get_boxed(value.gobj())); item;
             item = item->next)
          if (char* path = g_file_get_path(static_cast<GFile*>(item->data))) {
            paths.push_back(trace_of(path));
            g_free(path);
          }
        open_or_add(paths);
        return !paths.empty();
      },
      false);
  add_controller(target);
}

}  // namespace skein::desktop
