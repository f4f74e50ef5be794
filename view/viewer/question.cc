// Search and filter on another thread: what that needs is copied or shared, all else stays here.
#include "view/viewer/state.h"

namespace skein {

// Of the trace only what does not change is read: `trace` and `model`.
struct Viewer::Question::Part {
  std::shared_ptr<State::Traced> of;
  Search search;
  std::vector<uint8_t> collapsed;
  std::vector<uint8_t> passes = {};
  Shown shown = {};
  Rows rows = {};
  std::vector<uint8_t> found = {};
};

Viewer::Question::Question() = default;
Viewer::Question::~Question() = default;

std::unique_ptr<Viewer::Question> Viewer::ask(std::optional<std::string> search,
                                              std::optional<skein::Filter> filter) const {
  const State& s = *state_;
  std::unique_ptr<Question> question(new Question);
  question->searches_ = search && *search != s.searched;
  question->filters_ = filter && !equal(*filter, s.filter);
  question->search_ = search ? *std::move(search) : s.searched;
  question->filter_ = filter ? *std::move(filter) : s.filter;
  question->version_ = s.asked_version;
  for (const auto& traced : s.traces)
    question->parts_.push_back(
        {.of = traced, .search = traced->search, .collapsed = traced->collapsed});
  return question;
}

void Viewer::Question::answer() {
  for (Part& part : parts_) {
    const Trace& trace = part.of->trace;
    const Model& model = part.of->model;
    if (filters_) {
      part.passes = passing(trace, model, part.search, filter_);
      part.shown = skein::shown(model, part.passes, part.collapsed);
      part.rows = arrange(trace, model, part.shown.tasks);
    }
    if ((filters_ || searches_) && !search_.empty()) part.search.run(search_, part.found);
  }
}

bool Viewer::take(Question& answered) {
  State& s = *state_;
  if (answered.version_ != s.asked_version || answered.parts_.size() != s.traces.size())
    return false;
  for (size_t i = 0; i < s.traces.size(); i++)
    if (answered.parts_[i].of != s.traces[i]) return false;
  if (!answered.filters_ && !answered.searches_) return true;
  for (Question::Part& part : answered.parts_) {
    State::Traced& of = *part.of;
    of.search = std::move(part.search);
    of.found = std::move(part.found);
    if (!answered.filters_) continue;
    of.passes = std::move(part.passes);
    of.shown = std::move(part.shown.tasks);
    of.hidden = std::move(part.shown.hidden);
    of.rows = std::move(part.rows);
    of.arranged = true;
  }
  if (answered.searches_) s.found_at = 0;
  s.searched = std::move(answered.search_);
  s.filter = std::move(answered.filter_);
  if (answered.filters_) s.arrange_tracks();
  s.settle_found();
  return true;
}

}  // namespace skein
