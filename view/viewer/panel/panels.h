// Texts about an item, a measured range, or all traces.
//
//   Panels panels(shared);
//   show(panels.panel(view));
//   PanelTarget target;
//   if (panels.target(view, link, target)) go_to(target);
//
// The view is the one that the user looks at. Every other task and every time in a panel is a link.
// A panel is built on demand and kept until Shared::text_version changes. Lists are cut; "207 more"
// is a link to the rest.
#pragma once

#include <string>
#include <vector>

#include "view/viewer/panel/panel.h"
#include "view/viewer/views/view.h"

namespace skein {

class PanelWriter;

class Panels {
 public:
  explicit Panels(const Shared& shared) : shared_(shared) {}

  const Panel& panel(const View& view);
  // Returns false if the current panel has no such link.
  bool target(const View& view, uint32_t link, PanelTarget& target);
  // Makes lists longer until the selection changes.
  void show_more();

  std::string tooltip(const View& view) const;  // of the item under the pointer
  std::string text_of(const Item& item) const;  // of any item, in lines; empty for none
  std::string notice() const;                   // the losses, as a sentence
  std::string alarm() const;                    // the stuck tasks

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
  Item item_;                         // the item that the panel describes
  size_t more_ = 0;                   // additional lines of each list
};

}  // namespace skein
