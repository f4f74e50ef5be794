// The popovers of the header bar: filter, counters, bookmarks and notes.
#pragma once

#include <gtkmm.h>

#include <functional>
#include <string>
#include <vector>

#include "view/viewer/viewer.h"

namespace skein::desktop {

// Applied while the user types.
class FilterPopover : public Gtk::Popover {
 public:
  // `apply` is called with the new filter and may apply it later.
  FilterPopover(Viewer& viewer, std::function<void(Filter)> apply);

  // Resets the filter.
  void clear();

 private:
  void fill();
  void changed();

  Viewer& viewer_;
  std::function<void(Filter)> apply_;
  bool filling_ = false;
  Gtk::Grid grid_;
  Gtk::Entry label_;
  Gtk::DropDown kind_;
  Gtk::DropDown executor_;
  Gtk::Entry shortest_;
  Gtk::Entry longest_;
  Gtk::CheckButton only_stuck_{"Only stuck"};
  Gtk::Button clear_{"Clear"};
  std::vector<std::string> kinds_;
  std::vector<std::string> executors_;
};

class CountersPopover : public Gtk::Popover {
 public:
  CountersPopover(Viewer& viewer, std::function<void()> acted);

 private:
  void fill();

  Viewer& viewer_;
  std::function<void()> acted_;
  Gtk::Box box_{Gtk::Orientation::VERTICAL, 2};
  Gtk::ScrolledWindow scrolled_;
};

class NotesPopover : public Gtk::Popover {
 public:
  NotesPopover(Viewer& viewer, std::function<void()> acted);

  void set_place(const std::string& text);  // where notes are saved

 private:
  void fill();
  void rename(size_t which, const std::string& text);

  Viewer& viewer_;
  std::function<void()> acted_;
  Gtk::Box box_{Gtk::Orientation::VERTICAL, 8};
  Gtk::Grid list_;
  Gtk::ScrolledWindow scrolled_;
  Gtk::Entry text_;
  Gtk::Label place_;
};

}  // namespace skein::desktop
