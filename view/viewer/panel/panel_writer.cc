#include "view/viewer/panel/panel_writer.h"

namespace skein {

void PanelWriter::line(std::string_view name, std::string value) {
  panel_.lines.push_back({.name = std::string(name), .value = std::move(value)});
}

void PanelWriter::heading(std::string_view name, std::string value) {
  line(name, std::move(value));
  panel_.lines.back().heading = true;
}

void PanelWriter::link(std::string_view name, std::string value, PanelTarget target) {
  targets_.push_back(target);
  panel_.lines.push_back({.name = std::string(name),
                          .value = std::move(value),
                          .link = static_cast<uint32_t>(targets_.size())});
}

std::string PanelWriter::time(uint64_t ns) const {
  const double bounded = std::clamp(on_clock(ns), -9e18, 9e18);
  return time_text(static_cast<int64_t>(bounded), of_.model.end < 1'000'000 ? 1 : 1'000);
}

void PanelWriter::at_time(std::string_view name, uint64_t ns, std::string_view more) {
  link(name, time(ns) + std::string(more), {.track = track_, .time = on_clock(ns)});
}

void PanelWriter::task(std::string_view name, TaskIndex task, double time, std::string_view more) {
  std::string text = task_text(of_.trace, of_.model, task) + std::string(more);
  if (task >= of_.model.tasks.size())
    line(name, std::move(text));
  else
    link(name, std::move(text), {.track = track_, .task = task, .time = time});
}

void PanelWriter::more(std::string_view name, size_t count) {
  if (count != 0) link(name, grouped(count) + " more", {.more = true});
}

std::string_view verb(Model::Link link) {
  switch (link) {
    case Model::Link::Read:
      return "result was read by";
    case Model::Link::ReadFailure:
      return "failure was read by";
    case Model::Link::Resolve:
      return "ended";
    case Model::Link::Notify:
      return "woke";
    case Model::Link::Await:
      return "waits for";
    case Model::Link::Message:
      return "sent a message to";
  }
  return "";
}

}  // namespace skein
