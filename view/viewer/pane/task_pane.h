// The task table of a session: follows the selection, keeps the order and the chosen row.
//
//   TaskPane pane(shared);
//   pane.set_shown(true);
//   draw(pane.table());
//   pane.sort(TaskTable::Column::Self);
//   pane.choose(0);  // highlights the tasks of the first row in all views
//
// While it is not shown it costs nothing. A table is built on demand, O(tasks + activations +
// waits), and kept until Shared::text_version changes.
#pragma once

#include <string>
#include <vector>

#include "trace/ask/stats.h"
#include "view/viewer/pane/task_table.h"
#include "view/viewer/shared.h"

namespace skein {

class TaskPane {
 public:
  explicit TaskPane(Shared& shared) : shared_(shared) {}

  bool shown() const { return shown_; }
  void set_shown(bool shown);  // hiding it clears the choice

  // May change the highlights of views (Shared::scene_version): the chosen row follows the
  // selection. It stays chosen while the table has a row with its name.
  const TaskTable& table();
  // The same column again: reversed. At first the largest is on top; names begin with A.
  void sort(TaskTable::Column column);
  void choose(size_t row);  // of table(); the chosen one again, or one that does not exist: none
  bool chooses() const { return !chosen_.empty(); }
  void clear_choice();

 private:
  struct Group {
    TaskGroup of;
    uint32_t track = 0;
    uint32_t number = 0;  // in groups_of_[track]
    std::string name;     // as shown
  };
  void find_groups();
  void order();
  void highlight();
  void mark_framed();

  Shared& shared_;
  bool shown_ = false;
  uint32_t version_ = 0;                         // of the groups; 0: none yet
  std::vector<Group> groups_;                    // in the order of the table
  std::vector<std::vector<uint32_t>> group_of_;  // by track and task
  TaskTable table_;
  uint32_t framed_version_ = 0;  // of the marks in the rows
  std::string chosen_;  // its name; empty: none
};

}  // namespace skein
