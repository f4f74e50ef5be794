// The flame graph of a session: where the selected tasks spend their time, by the tasks that await
// each other. It follows the selection and the row that is chosen in the task table; a chosen frame
// fills the width, and highlights its tasks in the views and the table.
//
//   FlamePane pane(shared);
//   pane.set_shown(true);
//   pane.resize(600, 220);
//   paint(pane.picture());
//   pane.click(x, y);
//
// A search only highlights the frames that match: the graph is still of all tasks.
//
// While it is not shown it costs nothing. The stacks of a trace are found once, O(events); each
// selection, choice and time then takes O(intervals), of samples O(samples + stacks), and an input
// without them O(frames).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/ask/logical_samples.h"
#include "trace/ask/logical_times.h"
#include "view/draw/flame.h"
#include "view/viewer/pane/flame_time.h"
#include "view/viewer/shared.h"

namespace skein {

class FlamePane {
 public:
  explicit FlamePane(Shared& shared) : shared_(shared) {}

  bool shown() const { return shown_; }
  void set_shown(bool shown);  // hiding it clears the choice

  // May change the highlights of views (Shared::scene_version): the chosen frame follows the
  // selection. It stays chosen while the graph has it. Valid until the next call.
  const DrawList& picture();
  bool changed() const;  // since the last picture()
  void resize(float width, float height);

  std::vector<FlameTime> times() const;  // those of which the session has any
  // Unless it is set: the samples of a profile; of other traces, where tasks run.
  FlameTime time() const { return time_.value_or(of_profile() ? FlameTime::Cpu : FlameTime::Running); }
  bool of_profile() const;  // all traces are from the samples of profiles
  void set_time(FlameTime time);

  void pointer_move(float x, float y);
  void pointer_leave();
  void click(float x, float y);  // chooses the frame; the chosen one again: the one below it
  void wheel(float dy);
  // As in the DOM: arrows move to another frame, Enter chooses it, Escape clears the choice.
  // Returns false for other keys.
  bool key(std::string_view key);
  std::string tooltip() const;  // of the frame at the pointer or keys; empty: none

  bool chooses() const { return !path_.empty(); }
  void clear_choice();

 private:
  struct Found {  // of a trace
    std::weak_ptr<SessionTrace> of;
    const Findings* findings = nullptr;
    uint64_t end = 0;
    LogicalTimes times;
    std::optional<SampleIndex> logical = {}, physical = {}, off_cpu = {};  // when they are shown
  };
  Found& found_of(uint32_t track);
  const SampleIndex& index_of(Found& found, const Subject& subject) const;
  void build();
  void add_tree(const StackTree& tree, uint32_t track);
  void choose(uint32_t node);
  void point_to(uint32_t node);
  void highlight(std::vector<std::vector<uint8_t>> tasks,
                 std::vector<std::vector<SampleAt>> samples = {});
  uint32_t next(std::string_view key) const;
  bool is_built() const;
  std::string title() const;
  std::string weight_text(double weight) const;

  Shared& shared_;
  bool shown_ = false;
  std::optional<FlameTime> time_ = {};
  FlameViewport view_;
  std::vector<Found> found_;       // by track
  std::vector<std::string> path_;  // names from the outermost frame to the chosen one; empty: none

  // The picture, and what it was made of.
  StackTree tree_;
  FlameLayout layout_;
  std::vector<uint8_t> matches_;  // by node, of the search
  double matched_ = 0;            // their weight
  uint32_t pointed_ = no_node;
  uint32_t text_version_ = 0;  // 0: not built
  uint32_t choice_version_ = 0;
  std::string title_;
  bool drawn_ = false;
  DrawList list_;
};

}  // namespace skein
