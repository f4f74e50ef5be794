// Search and filter on another thread: copies or shares the data they need; the rest stays here.
#include "view/viewer/state.h"
#include "view/viewer/viewer.h"

namespace skein {

// Reads only the constant parts of the trace: `trace` and `model`.
struct Viewer::Question::TraceWork {
  std::shared_ptr<SessionTrace> of;
  bool is_live = false;
  std::shared_ptr<const Findings> findings;  // null: not known yet
  Finder::Results results;
  std::vector<uint8_t> collapsed;
  Shown shown = {};
  Rows rows = {};
};

Viewer::Question::Question() = default;
Viewer::Question::~Question() = default;

std::unique_ptr<Viewer::Question> Viewer::ask(std::optional<std::string> search,
                                              std::optional<skein::Filter> filter) const {
  const ViewerState& s = *state_;
  const Finder& finder = s.shared.finder;
  std::unique_ptr<Question> question(new Question);
  question->searches_ = search && *search != finder.text();
  question->filters_ = filter && *filter != finder.filter();
  question->search_ = search ? *std::move(search) : finder.text();
  question->filter_ = filter ? *std::move(filter) : finder.filter();
  question->version_ = finder.version() + s.timeline.rows_version();
  for (size_t i = 0; i < traces(); i++)
    question->work_.push_back({.of = s.shared.session.shared(i),
                               .is_live = s.shared.session[i].life.running,
                               .findings = s.shared.findings.shared(i),
                               .results = {.search = finder.search_of(i)},
                               .collapsed = s.timeline.collapsed(i)});
  return question;
}

void Viewer::Question::answer() {
  for (TraceWork& work : work_) {
    const Trace& trace = work.of->trace;
    const Model& model = work.of->model;
    if (filters_) {
      if (filter_.only_stuck && !work.findings)
        work.findings = std::make_shared<const Findings>(trace, model, work.is_live);
      work.results.passes =
          passing(trace, model, work.results.search, filter_, work.findings.get());
      work.shown = skein::shown(model, work.results.passes, work.collapsed);
      work.rows = arrange(trace, model, work.shown.tasks);
    }
    if ((filters_ || searches_) && !search_.empty())
      work.results.search.run(search_, work.results.found);
  }
}

bool Viewer::take(Question& answered) {
  ViewerState& s = *state_;
  Finder& finder = s.shared.finder;
  // Both versions only grow: an equal sum means that neither has changed.
  if (answered.version_ != finder.version() + s.timeline.rows_version() ||
      answered.work_.size() != traces())
    return false;
  for (size_t i = 0; i < traces(); i++)
    if (answered.work_[i].of != s.shared.session.shared(i)) return false;
  if (!answered.filters_ && !answered.searches_) return true;
  for (size_t i = 0; i < traces(); i++) {
    Question::TraceWork& work = answered.work_[i];
    finder.take(i, std::move(work.results), answered.filters_);
    if (work.findings && !s.shared.findings.known(i))
      s.shared.findings.set_trace(i, std::move(work.findings));
    if (answered.filters_) s.timeline.take(i, std::move(work.shown), std::move(work.rows));
  }
  if (answered.searches_) finder.set_text(answered.search_);
  finder.set_filter(answered.filter_);
  if (answered.filters_) s.timeline.update_tracks();
  finder.settle(s.selected());
  s.shared.found();
  return true;
}

}  // namespace skein
