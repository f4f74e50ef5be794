#include "view/gtk/answers.h"

#include <thread>

namespace skein::desktop {

Answers::Answers(Viewer& viewer, Post post, std::function<void()> answered)
    : viewer_(viewer),
      post_(std::move(post)),
      answered_(std::move(answered)),
      self_(std::make_shared<Answers*>(this)) {}

Answers::~Answers() = default;

void Answers::search(std::string text) {
  search_ = std::move(text);
  asked_.reset();
  ask();
}

void Answers::filter(Filter filter) {
  filter_ = std::move(filter);
  asked_.reset();
  ask();
}

void Answers::forget_search() {
  search_.reset();
  asked_.reset();
}

void Answers::forget() {
  filter_.reset();
  forget_search();
}

void Answers::ask() {
  if (working_ || (!search_ && !filter_)) return;
  working_ = true;
  asked_ = viewer_.ask(search_, filter_);
  const std::weak_ptr<Answers*> self = self_;
  std::thread([question = asked_, post = post_, self] {
    question->answer();
    post([question, self] {
      if (const auto answers = self.lock()) (*answers)->arrived(question);
    });
  }).detach();
}

void Answers::arrived(const std::shared_ptr<Viewer::Question>& question) {
  working_ = false;
  const bool taken = question == asked_ && viewer_.take(*question);
  if (taken) forget();
  ask();  // newer requests, or the same one on changed data
  if (taken) answered_();
}

}  // namespace skein::desktop
