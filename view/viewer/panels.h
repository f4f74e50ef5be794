// What is known of what is selected, as lines of text: of an item, a measured range, or all traces.
//
//   Panels panels(shared, timeline);
//   show(panels.panel());
//   Panels::Target target;
//   if (panels.target(link, target)) go_to(target);
//
// Every other task and every time in a panel is a link. A panel is made when it is needed, and
// kept until Shared::text_version changes. Lists are cut; "207 more" is a link to the rest.
#pragma once

#include <string>
#include <vector>

#include "view/viewer/timeline.h"

namespace skein {

// A line of the panel; `link` is what click() takes, 0: none.
struct PanelLine {
  std::string name;   // "waits for"
  std::string value;  // "ring.write (#1205)"
  uint32_t link = 0;
  bool heading = false;  // of the lines that follow: value stands out, name need not be shown
};
struct Panel {
  std::string title;
  std::vector<PanelLine> lines;
};

class PanelWriter;

class Panels {
 public:
  // A task, a time, a task at a time, or more lines of the panel itself.
  struct Target {
    uint32_t track = 0;
    TaskIndex task = no_index;
    double time = no_time;
    bool more = false;
  };

  Panels(const Shared& shared, const Timeline& timeline) : shared_(shared), timeline_(timeline) {}

  const Panel& panel();
  // False: there is no such link in the panel as it is now.
  bool target(uint32_t link, Target& target);
  // Lists become longer, until something else is selected.
  void show_more();

  std::string tooltip() const;                  // of what is under the pointer
  std::string text_of(const Item& item) const;  // of any item, in lines; empty: of nothing
  std::string notice() const;                   // what was lost, in a sentence
  std::string alarm() const;                    // what is stuck

 private:
  PanelWriter about(uint32_t track);  // ... with the trace's title, if there are several
  void write_item();
  void write_range();
  void write_task(PanelWriter& out, TaskIndex task);
  void write_path(PanelWriter& out);
  void write_linked(PanelWriter& out, TaskIndex task);

  const Shared& shared_;
  const Timeline& timeline_;
  Panel panel_;
  std::vector<Target> targets_;  // link - 1
  uint32_t version_ = 0;         // of the panel; 0: none yet
  Item item_;                    // that the panel is about
  size_t more_ = 0;              // lines of each list
};

}  // namespace skein
