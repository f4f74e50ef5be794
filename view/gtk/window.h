// A window: a header bar with the most common actions, the picture, the panel. Owns the viewer and
// its loaders. Decisions that need no screen are in view/viewer.
#pragma once

#include <gtkmm.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "view/gtk/answers.h"
#include "view/gtk/help.h"
#include "view/gtk/flame_view.h"
#include "view/gtk/loader.h"
#include "view/gtk/panel.h"
#include "view/gtk/picture.h"
#include "view/gtk/popovers.h"
#include "view/gtk/settings.h"
#include "view/gtk/task_table.h"
#include "view/viewer/annotations.h"
#include "view/viewer/viewer.h"

namespace skein::desktop {

class Window : public Gtk::ApplicationWindow {
 public:
  // `theme`: empty: the last choice, or the desktop's light or dark.
  explicit Window(const std::string& theme);
  ~Window() override;

  // Replaces the shown traces; several are stacked. `annotations` belong to the first two.
  void open(const std::vector<std::string>& paths, std::optional<Annotations> annotations = {});
  // Shows the critical path once a trace with this task is loaded.
  void show_critical_path(const std::string& task) { critical_ = task; }
  // Adds a trace below the others.
  void add(const std::string& path);

 private:
  struct Source {
    std::string path;
    std::string title;
    std::optional<size_t> track = {};
    bool live = false;
    bool ended = false;   // was live
    bool failed = false;  // or cancelled
  };

  // ---- build.cc: widgets
  void build();
  void build_header();
  Gtk::Box* build_search();

  // ---- window.cc: reactions to input
  void run(Command command);
  bool key(guint keyval, Gdk::ModifierType state);
  void acted();  // something may have changed: sync() soon
  void sync();
  void sync_search();
  void sync_theme();
  void sync_notice();
  std::string notice() const;  // the text of the bar
  void sync_title();
  void sync_pane();
  void place_pane();
  void show_message(const std::string& text,
                    bool good = false);  // in the bar; empty: hides the message
  void show_help(bool shown);
  void searched();
  void search_now();
  void answered();

  // ---- sources.cc: traces and notes
  void load(size_t first);
  void show_progress(size_t which, double share);
  void cancel_loading();
  void loaded(size_t which, Loader::Loaded loaded);
  void load_notes(const std::string& trace);
  void save_notes();
  void remember_recent(const std::string& path);
  // Marks our traces among the recent files. A group would not: GTK 4.8 drops the groups if the
  // address of the first ends in a zero byte (it tests the pointer's first byte).
  static constexpr char recent_application[] = "skein-view";
  size_t last_linked() const;
  bool is_linked(size_t which) const;

  // ---- actions.cc: menus, dialogs, drops
  void add_actions();
  Glib::RefPtr<Gio::Menu> make_open_menu();
  Glib::RefPtr<Gio::Menu> make_main_menu();
  void choose(bool directory, bool below);
  void choose_export();
  void copy_picture();
  void listen_to_drops();
  void open_or_add(const std::vector<std::string>& paths);

  bool closed_ = false;  // widgets that are destroyed emit signals, which are ignored then
  Settings settings_;
  Viewer viewer_;
  Answers answers_;
  std::vector<Command> waiting_;  // run when the search completes: Enter goes to its first match
  std::vector<Source> sources_;
  std::vector<std::unique_ptr<Loader>> loaders_;
  size_t pending_ = 0;                      // sources that have not been read yet
  std::optional<Annotations> annotations_;  // between the first two
  std::string critical_;    // the task whose critical path is to be shown; empty: none
  std::string notes_path_;  // empty: not saved
  std::string notes_saved_;
  size_t bookmarks_seen_ = 0;
  sigc::connection notes_timer_;
  sigc::connection sync_timer_;
  sigc::connection search_timer_;

  Gtk::HeaderBar header_;
  Gtk::MenuButton open_;
  Gtk::MenuButton menu_;
  Gtk::MenuButton filter_button_;
  Gtk::MenuButton counters_button_;
  Gtk::MenuButton notes_button_;
  Gtk::ToggleButton table_button_;
  FilterPopover filter_;
  CountersPopover counters_;
  NotesPopover notes_;
  Gtk::Label title_;
  Gtk::Label status_;
  Gtk::SearchEntry search_;
  Gtk::Label found_;

  Gtk::Box bar_{Gtk::Orientation::HORIZONTAL, 8};
  Gtk::Label bar_text_;
  Gtk::Button alarm_{"Show"};  // selects the next stuck task
  std::string message_;        // shown until it is closed
  bool good_message_ = false;
  std::string dismissed_;  // a notice that the user closed
  Gtk::Box progress_{Gtk::Orientation::VERTICAL, 12};
  Gtk::ProgressBar progress_bar_;
  sigc::connection progress_timer_;
  Gtk::Paned paned_{Gtk::Orientation::HORIZONTAL};
  Gtk::Overlay overlay_;
  Picture picture_;
  PanelView panel_;
  Gtk::Paned split_{Gtk::Orientation::VERTICAL};
  TaskTableView table_;
  FlameView flame_;
  Gtk::Paned pane_{Gtk::Orientation::HORIZONTAL};  // both
  bool pane_placed_ = false;  // it has its height
  Gtk::Box welcome_{Gtk::Orientation::VERTICAL, 12};
  std::unique_ptr<HelpView> help_;
  std::string theme_shown_;
  Glib::RefPtr<Gio::SimpleAction> theme_action_;
  Glib::RefPtr<Gtk::FileChooserNative> chooser_;
};

}  // namespace skein::desktop
