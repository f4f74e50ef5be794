// What is known of what is selected, as lines of text: of an item, a measured range, or all traces.
//
//   Panels panels(shared);
//   show(panels.panel(view));
//   PanelTarget target;
//   if (panels.target(view, link, target)) go_to(target);
//
// The view is the one that the user looks at. Every other task and every time in a panel is a link.
// A panel is made when it is needed, and kept until Shared::text_version changes. Lists are cut;
// "207 more" is a link to the rest.
#pragma once

#include <string>
#include <vector>

#include "view/viewer/panel.h"
#include "view/viewer/view.h"

namespace skein {

class PanelWriter;

class Panels {
 public:
  explicit Panels(const Shared& shared) : shared_(shared) {}

  const Panel& panel(const View& view);
  // False: there is no such link in the panel as it is now.
  bool target(const View& view, uint32_t link, PanelTarget& target);
  // Lists become longer, until something else is selected.
  void show_more();

  std::string tooltip(const View& view) const;  // of what is under the pointer
  std::string text_of(const Item& item) const;  // of any item, in lines; empty: of nothing
  std::string notice() const;                   // what was lost, in a sentence
  std::string alarm() const;                    // what is stuck

 private:
  PanelWriter about(uint32_t track);  // ... with the trace's title, if there are several
  void write_item(const View& view);
  void write_range();
  void write_task(PanelWriter& out, TaskIndex task, const View& view);
  void write_path(PanelWriter& out);
  void write_linked(PanelWriter& out, TaskIndex task);

  const Shared& shared_;
  Panel panel_;
  std::vector<PanelTarget> targets_;  // link - 1
  uint32_t version_ = 0;              // of the panel; 0: none yet
  Item item_;                         // that the panel is about
  size_t more_ = 0;                   // lines of each list
};

}  // namespace skein
