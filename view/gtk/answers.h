// Runs searches and filters on another thread, so that the window stays responsive over ten million
// events.
//
//   Answers answers(viewer, post_to_main_loop, [&] { ... });
//   answers.search("ring");        // returns at once; the viewer changes later
//   answers.search("ring.write");  // supersedes "ring": its result is dropped
//
// At most one thread. Requests wait while it works, and only the last one is kept.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "view/viewer/viewer.h"

namespace skein::desktop {

class Answers {
 public:
  // Runs `work` later on the thread that created this. May be called on any thread.
  using Post = std::function<void(std::function<void()> work)>;

  // `answered` is called on the thread that created this when the viewer has changed. The viewer
  // must outlive this.
  Answers(Viewer& viewer, Post post, std::function<void()> answered);
  // Does not wait.
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  void search(std::string text);
  void filter(Filter filter);
  bool is_searching() const { return search_.has_value(); }
  void forget_search();  // from now on the viewer's own search counts
  void forget();         // ... and its filter

 private:
  void ask();
  void arrived(const std::shared_ptr<Viewer::Question>& question);

  Viewer& viewer_;
  Post post_;
  std::function<void()> answered_;
  std::optional<std::string> search_;  // pending
  std::optional<Filter> filter_;
  bool working_ = false;                     // a thread is running
  std::shared_ptr<Viewer::Question> asked_;  // null: the result of the running thread is not needed
  std::shared_ptr<Answers*> self_;           // expires with this
};

}  // namespace skein::desktop
