// Has searches and filters answered on a thread of their own: the window stays alive over ten
// million events.
//
//   Answers answers(viewer, post_to_main_loop, [&] { ... });
//   answers.search("ring");        // returns at once; the viewer changes later
//   answers.search("ring.write");  // nobody asks for "ring" any more: its answer is dropped
//
// One thread at most; what is asked while it works waits, and of that only the last.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "view/viewer/viewer.h"

namespace skein::desktop {

class Answers {
 public:
  // Has `work` done later on the thread that made this. May be called on any thread.
  using Post = std::function<void(std::function<void()> work)>;

  // `answered` is called, on the thread that made this, when the viewer has changed. The viewer
  // lives longer.
  Answers(Viewer& viewer, Post post, std::function<void()> answered);
  // Does not wait.
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  void search(std::string text);
  void filter(Filter filter);
  bool is_searching() const { return search_.has_value(); }
  void forget_search();  // the viewer's own counts from now on
  void forget();         // ... and its filter

 private:
  void ask();
  void arrived(const std::shared_ptr<Viewer::Question>& question);

  Viewer& viewer_;
  Post post_;
  std::function<void()> answered_;
  std::optional<std::string> search_;  // not answered yet
  std::optional<Filter> filter_;
  bool working_ = false;                     // the thread
  std::shared_ptr<Viewer::Question> asked_;  // none: nobody asks for what it works at
  std::shared_ptr<Answers*> self_;           // as long as there is this
};

}  // namespace skein::desktop
