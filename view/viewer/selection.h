// The user's selection in a session: an item and a measured range of time. All views show the same
// selection.
//
// At most one of the two is `latest`: panels describe it, and "fit" shows it.
#pragma once

#include "trace/session/session.h"
#include "view/draw/draw_list.h"

namespace skein {

class Selection {
 public:
  const Item& item() const { return item_; }
  bool has_item() const { return item_.kind != Item::Kind::Nothing; }
  bool has_task() const { return item_.kind == Item::Kind::Task; }
  bool has_lane() const { return item_.kind == Item::Kind::Lane; }
  bool is(uint32_t track, TaskIndex task) const {
    return item_ == Item{Item::Kind::Task, track, task};
  }
  // Item::Kind::Nothing clears the selection.
  void select(const Item& item) {
    item_ = item;
    range_is_latest_ = false;
    is_match_ = false;
    if (!has_task()) related_ = false;
  }

  // Whether a command of the search selected the item: the user looks at one match of many.
  bool is_match() const { return is_match_; }
  void set_match() { is_match_ = has_item(); }

  // The index of the selected item changed; Nothing: the item no longer exists.
  void replace(const Item& item) {
    item_ = item;
    if (!has_task()) related_ = false;
  }

  // Whether the tasks related to the selected one are highlighted.
  bool related() const { return related_; }
  void set_related(bool related) { related_ = related && has_task(); }

  // The measured range on the common clock, in the order of measuring. Equal: no range.
  double from() const { return from_; }
  double to() const { return to_; }
  bool measures() const { return from_ != to_; }
  bool range_is_latest() const { return range_is_latest_; }
  void measure(double from, double to, bool latest) {
    from_ = from;
    to_ = to;
    range_is_latest_ = latest;
  }

  // The interval of the item on the common clock. Returns false if it has no duration.
  bool extent(const Session& session, double& from, double& to) const;

 private:
  Item item_;
  bool related_ = false;
  bool is_match_ = false;
  double from_ = 0;
  double to_ = 0;
  bool range_is_latest_ = false;
};

}  // namespace skein
