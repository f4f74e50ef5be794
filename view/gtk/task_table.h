// The pane below the picture: the table of the selected tasks.
#pragma once

#include <gtkmm.h>

#include <array>
#include <functional>

#include "view/viewer/viewer.h"

namespace skein::desktop {

class TaskTableView : public Gtk::Box {
 public:
  // `acted` is called after each input.
  TaskTableView(Viewer& viewer, std::function<void()> acted);

  // Shows the viewer's table. Does nothing if it is unchanged.
  void refresh();

 private:
  void build_head();
  void fill();
  Gtk::ListBoxRow* make_row(const TaskTable::Row& row);
  void select_chosen();

  Viewer& viewer_;
  std::function<void()> acted_;
  TaskTable shown_;
  bool filling_ = false;        // signals of the list are not the user's
  bool just_selected_ = false;  // the click that selected a row also activates it
  Gtk::Label selection_;
  Gtk::Box head_;
  Gtk::ScrolledWindow head_window_;  // scrolls sideways with the list
  std::array<Gtk::Button, TaskTable::columns> buttons_;
  std::array<Glib::RefPtr<Gtk::SizeGroup>, TaskTable::columns> widths_;
  Gtk::ListBox list_;
  Gtk::ScrolledWindow window_;
  Gtk::Label note_;
};

}  // namespace skein::desktop
