// The widgets of a window and their layout; window.cc implements their actions.
#include "view/gtk/window.h"
#include "view/viewer/keys.h"

namespace skein::desktop {

namespace {

constexpr const char* style = R"(
.skein-help { background: @theme_bg_color; }
.skein-bar { padding: 2px 10px; background: alpha(@warning_color, 0.25); }
.skein-bar.good { background: alpha(@theme_selected_bg_color, 0.2); }
.skein-status { font-size: smaller; }
.skein-table button { padding: 0 6px; min-height: 22px; font-weight: normal; }
.skein-table row { padding: 0; min-height: 20px; }
.skein-table row.framed { box-shadow: inset 3px 0 @theme_selected_bg_color; }
.skein-flame dropdown button { padding: 0 4px; min-height: 18px; }
)";

Gtk::Button* icon_button(const char* icon, const std::string& tooltip) {
  auto* button = Gtk::make_managed<Gtk::Button>();
  button->set_icon_name(icon);
  button->set_tooltip_text(tooltip);
  button->set_focusable(false);  // the picture keeps the keyboard focus
  return button;
}

}  // namespace

void Window::build() {
  auto css = Gtk::CssProvider::create();
  css->load_from_data(style);
  Gtk::StyleContext::add_provider_for_display(get_display(), css,
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  build_header();

  bar_.add_css_class("skein-bar");
  bar_text_.set_xalign(0);
  bar_text_.set_wrap(true);
  bar_text_.set_hexpand(true);
  bar_text_.set_selectable(true);
  bar_text_.set_focusable(false);
  auto* close = icon_button("window-close-symbolic", "Close");
  close->set_has_frame(false);
  close->signal_clicked().connect([this] {
    if (message_.empty()) dismissed_ = notice();
    message_.clear();
    acted();
  });
  alarm_.set_focusable(false);
  alarm_.set_has_frame(false);
  alarm_.set_tooltip_text("Select the next stuck task (e)");
  alarm_.signal_clicked().connect([this] { run(Command::NextStuck); });
  bar_.append(bar_text_);
  bar_.append(alarm_);
  bar_.append(*close);

  progress_bar_.set_show_text(true);
  progress_bar_.set_size_request(400, -1);
  auto* cancel = Gtk::make_managed<Gtk::Button>("Cancel");
  cancel->set_halign(Gtk::Align::CENTER);
  cancel->signal_clicked().connect([this] { cancel_loading(); });
  progress_.append(progress_bar_);
  progress_.append(*cancel);
  progress_.set_valign(Gtk::Align::CENTER);
  progress_.set_halign(Gtk::Align::CENTER);
  progress_.set_visible(false);

  welcome_.set_halign(Gtk::Align::CENTER);
  welcome_.set_valign(Gtk::Align::CENTER);
  auto* title = Gtk::make_managed<Gtk::Label>("No trace is open");
  title->add_css_class("title-2");
  welcome_.append(*title);
  const std::pair<const char*, const char*> choices[] = {
      {"Open a trace directory …", "win.open-directory"}, {"Open a trace file …", "win.open-file"}};
  for (const auto& [label, action] : choices) {
    auto* button = Gtk::make_managed<Gtk::Button>(label);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button->gobj()), action);
    welcome_.append(*button);
  }
  welcome_.append(*Gtk::make_managed<Gtk::Label>("… or drop one here."));

  overlay_.set_child(picture_);
  overlay_.add_overlay(welcome_);
  overlay_.add_overlay(progress_);
  panel_.set_size_request(310, -1);
  panel_.set_visible(settings_.panel);
  split_.set_start_child(overlay_);
  pane_.set_start_child(table_);
  pane_.set_end_child(flame_);
  pane_.set_shrink_end_child(false);
  split_.set_end_child(pane_);
  split_.set_resize_end_child(false);
  split_.set_shrink_start_child(false);
  pane_.set_size_request(-1, 60);
  pane_.set_visible(false);
  split_.property_max_position().signal_changed().connect([this] {
    if (!pane_placed_) place_pane();
  });
  split_.property_position().signal_changed().connect([this] {
    if (pane_placed_) place_pane();
  });
  paned_.set_start_child(split_);
  paned_.set_end_child(panel_);
  paned_.set_resize_end_child(false);
  paned_.set_shrink_start_child(false);
  paned_.set_shrink_end_child(false);
  paned_.set_vexpand(true);

  auto* box = Gtk::make_managed<Gtk::Box>(Gtk::Orientation::VERTICAL);
  box->append(bar_);
  box->append(paned_);
  set_child(*box);

  auto keys = Gtk::EventControllerKey::create();
  keys->set_propagation_phase(Gtk::PropagationPhase::CAPTURE);
  keys->signal_key_pressed().connect(
      [this](guint keyval, guint, Gdk::ModifierType state) { return key(keyval, state); }, false);
  add_controller(keys);
}

void Window::build_header() {
  set_titlebar(header_);
  open_.set_label("Open");
  open_.set_tooltip_text("Open traces, or add one below to compare (Ctrl+o)");
  open_.set_create_popup_func([this] { open_.set_menu_model(make_open_menu()); });
  header_.pack_start(open_);

  auto* zoom = Gtk::make_managed<Gtk::Box>();
  zoom->add_css_class("linked");
  const std::pair<const char*, Command> buttons[] = {{"zoom-out-symbolic", Command::ZoomOut},
                                                     {"zoom-in-symbolic", Command::ZoomIn},
                                                     {"zoom-fit-best-symbolic", Command::FitAll},
                                                     {"edit-undo-symbolic", Command::UndoZoom}};
  for (const auto& [icon, command] : buttons) {
    const KeyBinding& key = binding(command);
    auto* button = icon_button(icon, std::string(key.help) + " (" +
                                         std::string(key.keys.substr(0, key.keys.find(' '))) + ")");
    button->signal_clicked().connect([this, which = command] { run(which); });
    zoom->append(*button);
  }
  header_.pack_start(*zoom);

  title_.add_css_class("title");
  title_.set_ellipsize(Pango::EllipsizeMode::END);
  status_.add_css_class("dim-label");
  status_.add_css_class("skein-status");
  status_.set_ellipsize(Pango::EllipsizeMode::END);
  auto* titles = Gtk::make_managed<Gtk::Box>(Gtk::Orientation::VERTICAL);
  titles->set_valign(Gtk::Align::CENTER);
  titles->append(title_);
  titles->append(status_);
  header_.set_title_widget(*titles);

  menu_.set_icon_name("open-menu-symbolic");
  menu_.set_menu_model(make_main_menu());
  menu_.set_tooltip_text("Menu (F10)");
  menu_.set_primary(true);  // GTK binds F10 to it
  notes_button_.set_icon_name("user-bookmarks-symbolic");
  notes_button_.set_tooltip_text("Bookmarks and notes (Ctrl+b)");
  notes_button_.set_popover(notes_);
  counters_button_.set_label("Counters");
  counters_button_.set_tooltip_text("Select the counters to show");
  counters_button_.set_popover(counters_);
  filter_button_.set_label("Filter");
  filter_button_.set_tooltip_text("Filter tasks (Shift+f)");
  filter_button_.set_popover(filter_);
  table_button_.set_icon_name("view-list-symbolic");
  table_button_.set_tooltip_text("Table: where the time of the selected tasks goes (g)");
  table_button_.set_focusable(false);
  table_button_.signal_toggled().connect([this] {
    if (table_button_.get_active() != viewer_.task_table_shown()) run(Command::ToggleTaskTable);
  });
  auto* help = Gtk::make_managed<Gtk::Button>("?");
  help->set_tooltip_text("Keys and mouse (?)");
  help->set_focusable(false);
  help->signal_clicked().connect([this] { run(Command::Help); });
  filter_.signal_closed().connect([this] { viewer_.set_filter_shown(false); });
  for (Gtk::Popover* popover :
       {static_cast<Gtk::Popover*>(&filter_), static_cast<Gtk::Popover*>(&counters_),
        static_cast<Gtk::Popover*>(&notes_)})
    popover->signal_closed().connect([this] { picture_.grab_focus(); });

  Gtk::Box* finding = build_search();
  for (Gtk::Widget* widget :
       {static_cast<Gtk::Widget*>(&menu_), static_cast<Gtk::Widget*>(help),
        static_cast<Gtk::Widget*>(&notes_button_), static_cast<Gtk::Widget*>(&table_button_),
        static_cast<Gtk::Widget*>(&counters_button_), static_cast<Gtk::Widget*>(&filter_button_),
        static_cast<Gtk::Widget*>(&found_), static_cast<Gtk::Widget*>(finding)})
    header_.pack_end(*widget);
}

// The search field and its buttons.
Gtk::Box* Window::build_search() {
  // Avoids set_placeholder_text(), which expects a GtkEntry before 4.10.
  g_object_set(search_.gobj(), "placeholder-text", "Search (/)", nullptr);
  search_.set_width_chars(18);
  search_.signal_changed().connect([this] { searched(); });
  search_.signal_activate().connect([this] { run(Command::SearchNext); });
  search_.signal_stop_search().connect([this] {
    run(Command::ClearSearch);
    picture_.grab_focus();
  });
  found_.set_width_chars(10);
  found_.set_xalign(0);
  auto* finding = Gtk::make_managed<Gtk::Box>();
  finding->add_css_class("linked");
  auto* previous = icon_button("go-up-symbolic", "Previous match (Shift+n)");
  previous->signal_clicked().connect([this] { run(Command::SearchPrevious); });
  auto* next = icon_button("go-down-symbolic", "Next match (n, Enter)");
  next->signal_clicked().connect([this] { run(Command::SearchNext); });
  finding->append(search_);
  finding->append(*previous);
  finding->append(*next);
  return finding;
}

}  // namespace skein::desktop
