#include "view/viewer/search.h"

#include <algorithm>

namespace skein {

namespace {

char fold(char c) {
  if (c == '\0') return ' ';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// no_task if the text is not an id.
TaskId as_id(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  if (text.empty() || text.size() > 19) return no_task;
  TaskId id = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return no_task;
    id = id * 10 + static_cast<TaskId>(c - '0');
  }
  return id;
}

}  // namespace

std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = fold(c);
  return out;
}

bool contains_folded(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return fold(a) == b; }) != text.end() ||
         part.empty();
}

FoldedTexts fold_texts(const Strings& strings) {
  FoldedTexts made;
  made.begin.reserve(strings.size() + 1);
  made.begin.push_back(0);
  size_t size = 0;
  for (StringId id = 0; id < strings.size(); id++) {
    size += strings[id].size() + 1;
    made.begin.push_back(size);
  }
  made.texts.resize(size);
  for (StringId id = 0; id < strings.size(); id++) {
    const std::string_view text = strings[id];
    std::transform(text.begin(), text.end(),
                   made.texts.begin() + static_cast<ptrdiff_t>(made.begin[id]), fold);
  }
  return made;
}

Search::Search(const Trace& trace, const Model& model, FoldedTexts texts)
    : trace_(&trace), model_(&model) {
  if (!texts.begin.empty()) folded_ = std::make_shared<const FoldedTexts>(std::move(texts));
}

void Search::match_texts(std::string_view text) {
  if (!folded_) folded_ = std::make_shared<const FoldedTexts>(fold_texts(trace_->strings));
  const std::vector<size_t>& begin = folded_->begin;
  matched_.resize(begin.size() - 1);
  const std::string_view all = folded_->texts;
  // Every text that contains "ring.w" also contains "ring.".
  const bool narrower = !last_.empty() && text.find(last_) != std::string_view::npos;
  if (narrower) {
    std::erase_if(hits_, [&](StringId id) {
      if (all.substr(begin[id], begin[id + 1] - begin[id]).find(text) != std::string_view::npos)
        return false;
      matched_[id] = 0;
      return true;
    });
  } else {
    for (const StringId id : hits_) matched_[id] = 0;
    hits_.clear();
    size_t at = text.empty() ? std::string_view::npos : all.find(text);
    auto next = begin.begin();
    while (at != std::string_view::npos) {
      next = std::upper_bound(next, begin.end(), at);
      const auto id = static_cast<StringId>(next - begin.begin() - 1);
      hits_.push_back(id);
      matched_[id] = 1;
      at = all.find(text, *next);
    }
  }
  last_ = text;
}

void Search::run(std::string_view text, std::vector<uint8_t>& marks) {
  const std::string wanted = folded(text);
  match_texts(wanted);
  const Model& model = *model_;
  marks.assign(model.tasks.size(), 0);
  if (!hits_.empty()) {
    std::vector<uint8_t> kinds;
    for (const StringId kind : trace_->kinds) kinds.push_back(matched(kind));
    std::vector<uint8_t> locations;
    for (const Location& location : trace_->locations)
      locations.push_back(matched(location.file) || matched(location.function));
    for (size_t i = 0; i < marks.size(); i++) {
      const Model::Task& task = model.tasks[i];
      marks[i] = matched(task.label) || matched(task.name) || matched(task.reason) ||
                 (task.kind < kinds.size() && kinds[task.kind]) ||
                 (task.location < locations.size() && locations[task.location]);
    }
    for (const Model::Label& label : model.labels)
      if (matched(label.text) && label.task < marks.size()) marks[label.task] = 1;
    for (const Model::Span& span : model.spans)
      if (matched(span.name) && span.task < marks.size()) marks[span.task] = 1;
  }
  if (const TaskId id = as_id(wanted); id != no_task)
    if (const TaskIndex task = model.find(id); task < marks.size()) marks[task] = 1;
}

}  // namespace skein
