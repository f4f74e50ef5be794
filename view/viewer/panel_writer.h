// Lines for the panel, about one trace.
#pragma once

#include "view/viewer/state.h"

namespace skein {

class PanelWriter {
 public:
  PanelWriter(Panel& panel, std::vector<Viewer::State::Target>& targets,
              const Viewer::State::Traced& of, uint32_t track)
      : panel_(panel), targets_(targets), of_(of), track_(track) {}

  const Viewer::State::Traced& of() const { return of_; }
  uint32_t track() const { return track_; }
  // A time of this trace on the common time line, and as a text: what the axis says there.
  double on_line(uint64_t ns) const { return static_cast<double>(ns) + of_.offset; }
  std::string time(uint64_t ns) const;

  void title(std::string text) { panel_.title = std::move(text); }
  // Values are safe to show.
  void line(std::string_view name, std::string value);
  void heading(std::string_view name, std::string value);
  void link(std::string_view name, std::string value, Viewer::State::Target target);
  void at_time(std::string_view name, uint64_t ns, std::string_view more = {});
  // With a time: there one comes to see that moment.
  void task(std::string_view name, TaskIndex task, double time = no_time,
            std::string_view more = {});

 private:
  Panel& panel_;
  std::vector<Viewer::State::Target>& targets_;
  const Viewer::State::Traced& of_;
  uint32_t track_;
};

}  // namespace skein
