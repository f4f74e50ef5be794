#include "view/gtk/task_table.h"

#include <algorithm>

#include "base/text.h"

namespace skein::desktop {

namespace {

using By = TaskTable::Column;

constexpr size_t states = static_cast<size_t>(By::States);
// Running, runnable, waiting: distinct for colour-blind users, too; as in the page.
constexpr std::array<const char*, 3> colours = {"#009e73", "#e69f00", "#9aa3b2"};

bool same_texts(const TaskTable& a, const TaskTable& b) {
  return a.selection == b.selection && a.omitted == b.omitted &&
         std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                    [](const TaskTable::Row& x, const TaskTable::Row& y) {
                      return x.texts == y.texts && x.shares == y.shares && x.framed == y.framed;
                    });
}

Gtk::Widget* make_bar(const std::array<double, 3>& shares) {
  auto* bar = Gtk::make_managed<Gtk::DrawingArea>();
  bar->set_content_width(150);
  bar->set_content_height(11);
  bar->set_valign(Gtk::Align::CENTER);
  bar->set_draw_func([shares](const Cairo::RefPtr<Cairo::Context>& cairo, int width, int height) {
    double x = 0;
    for (size_t i = 0; i < shares.size(); i++) {
      const Gdk::RGBA colour(colours[i]);
      cairo->set_source_rgb(colour.get_red(), colour.get_green(), colour.get_blue());
      cairo->rectangle(x, 0, shares[i] * width, height);
      cairo->fill();
      x += shares[i] * width;
    }
  });
  return bar;
}

// "■ running · ■ runnable · ■ waiting", with the colours of the bars.
std::string states_markup() {
  std::string text(task_table_columns[states].name);
  std::string markup;
  for (const char* colour : colours) {
    const size_t end = std::min(text.find(" \u00b7 "), text.size());
    markup += std::string(markup.empty() ? "" : "  ") + "<span foreground=\"" + colour +
              "\">\u25a0</span> " + Glib::Markup::escape_text(text.substr(0, end));
    text.erase(0, end + std::string_view(" \u00b7 ").size());
  }
  return markup;
}

}  // namespace

TaskTableView::TaskTableView(Viewer& viewer, std::function<void()> acted)
    : Gtk::Box(Gtk::Orientation::VERTICAL), viewer_(viewer), acted_(std::move(acted)) {
  add_css_class("skein-table");
  selection_.set_xalign(0);
  selection_.set_ellipsize(Pango::EllipsizeMode::END);
  selection_.add_css_class("dim-label");
  selection_.set_margin(4);
  append(selection_);
  build_head();

  list_.set_selection_mode(Gtk::SelectionMode::SINGLE);
  list_.signal_row_selected().connect([this](Gtk::ListBoxRow* row) {
    if (filling_ || !row) return;
    just_selected_ = true;
    Glib::signal_idle().connect_once([this] { just_selected_ = false; });
    const auto index = static_cast<size_t>(row->get_index());
    if (index >= shown_.rows.size() || shown_.rows[index].chosen) return;
    viewer_.choose_tasks(index);
    acted_();
  });
  list_.signal_row_activated().connect([this](Gtk::ListBoxRow* row) {
    if (just_selected_) return;
    viewer_.choose_tasks(static_cast<size_t>(row->get_index()));
    acted_();
  });
  note_.set_xalign(0);
  note_.set_margin(4);
  note_.add_css_class("dim-label");
  auto* below = Gtk::make_managed<Gtk::Box>(Gtk::Orientation::VERTICAL);
  below->append(list_);
  below->append(note_);
  window_.set_child(*below);
  window_.set_policy(Gtk::PolicyType::AUTOMATIC, Gtk::PolicyType::AUTOMATIC);
  window_.set_vexpand(true);
  head_window_.set_hadjustment(window_.get_hadjustment());
  append(window_);
}

void TaskTableView::build_head() {
  for (size_t i = 0; i < TaskTable::columns; i++) {
    widths_[i] = Gtk::SizeGroup::create(Gtk::SizeGroup::Mode::HORIZONTAL);
    buttons_[i].set_has_frame(false);
    auto* label = Gtk::make_managed<Gtk::Label>();
    label->set_xalign(i == 0 || i == states ? 0 : 1);
    buttons_[i].set_child(*label);
    buttons_[i].signal_clicked().connect([this, i] {
      viewer_.sort_tasks(static_cast<By>(i));
      acted_();
    });
    widths_[i]->add_widget(buttons_[i]);
    head_.append(buttons_[i]);
  }
  head_window_.set_child(head_);
  head_window_.set_policy(Gtk::PolicyType::EXTERNAL, Gtk::PolicyType::NEVER);
  append(head_window_);
}

Gtk::ListBoxRow* TaskTableView::make_row(const TaskTable::Row& row) {
  auto* box = Gtk::make_managed<Gtk::Box>();
  for (size_t i = 0; i < TaskTable::columns; i++) {
    Gtk::Widget* cell = nullptr;
    if (i == states) {
      cell = make_bar(row.shares);
      cell->set_tooltip_text(row.texts[i]);
    } else {
      auto* label = Gtk::make_managed<Gtk::Label>(row.texts[i]);
      label->set_xalign(i == 0 ? 0 : 1);
      if (i == 0) {
        label->set_ellipsize(Pango::EllipsizeMode::END);
        label->set_width_chars(28);
        label->set_max_width_chars(40);
        label->set_tooltip_text(row.texts[i]);
      }
      cell = label;
    }
    cell->set_margin_start(i == states ? 14 : 6);
    cell->set_margin_end(6);
    // The margins are not part of the cell, but of its column.
    auto* column = Gtk::make_managed<Gtk::Box>();
    column->append(*cell);
    column->set_hexpand(false);  // not from the cell
    cell->set_hexpand(true);
    widths_[i]->add_widget(*column);
    box->append(*column);
  }
  auto* made = Gtk::make_managed<Gtk::ListBoxRow>();
  made->set_child(*box);
  if (row.framed) made->add_css_class("framed");
  return made;
}

void TaskTableView::refresh() {
  const TaskTable& table = viewer_.task_table();
  const bool is_same = same_texts(table, shown_);
  shown_ = table;
  for (size_t i = 0; i < TaskTable::columns; i++) {
    const bool sorts = shown_.sorted == static_cast<By>(i);
    const std::string arrow = !sorts ? "" : shown_.descending ? " \u25be" : " \u25b4";
    auto* label = static_cast<Gtk::Label*>(buttons_[i].get_child());
    const std::string text =
        (i == states ? states_markup() : std::string(task_table_columns[i].name)) + arrow;
    if (label->get_label().raw() != text) label->set_markup(text);
    buttons_[i].set_tooltip_text(std::string(columns_of(shown_)[i].help));
  }
  if (!is_same) fill();
  select_chosen();
}

void TaskTableView::fill() {
  selection_.set_text("Tasks of: " + shown_.selection);
  note_.set_text(shown_.rows.empty() ? "No tasks."
                 : shown_.omitted == 0
                     ? ""
                     : counted(shown_.omitted, "more row is", "more rows are") + " not shown.");
  note_.set_visible(!note_.get_text().empty());
  filling_ = true;
  const Gtk::Root* root = get_root();
  const Gtk::Widget* focus = root ? root->get_focus() : nullptr;
  const bool had_focus = focus && focus->is_ancestor(list_);
  while (Gtk::Widget* child = list_.get_first_child()) list_.remove(*child);
  for (const TaskTable::Row& row : shown_.rows) list_.append(*make_row(row));
  filling_ = false;
  if (!had_focus) return;
  size_t at = 0;
  for (size_t i = 0; i < shown_.rows.size(); i++)
    if (shown_.rows[i].chosen) at = i;
  if (Gtk::ListBoxRow* row = list_.get_row_at_index(static_cast<int>(at))) row->grab_focus();
}

void TaskTableView::select_chosen() {
  filling_ = true;
  Gtk::ListBoxRow* chosen = nullptr;
  for (size_t i = 0; i < shown_.rows.size() && !chosen; i++)
    if (shown_.rows[i].chosen) chosen = list_.get_row_at_index(static_cast<int>(i));
  if (!chosen)
    list_.unselect_all();
  else if (!chosen->is_selected())
    list_.select_row(*chosen);
  filling_ = false;
}

}  // namespace skein::desktop
