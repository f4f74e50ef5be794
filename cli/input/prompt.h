// A line of input from a terminal, edited as people are used to, with what was typed before.
//
//   Prompt prompt(state_file("query_history"));
//   for (std::string line; prompt.read("skein> ", line) != Prompt::Got::End;) ...
//
// By libedit where it was there at build time (docs/dependencies.md says why that), else without
// editing.
#pragma once

#include <memory>
#include <string>

namespace skein::cli {

class Prompt {
 public:
  enum class Got { Line, End, Interrupted };  // a signal came: what was typed is forgotten

  // What was remembered before is read from `history`, and written there at the end; empty: not.
  explicit Prompt(std::string history);
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;
  ~Prompt();

  // `text` is shown before; `line` gets what was typed, without the end of the line.
  Got read(const char* text, std::string& line);
  void remember(const std::string& line);

 private:
  struct Editor;
  std::unique_ptr<Editor> editor_;
};

// $XDG_STATE_HOME/skein/<name>, or ~/.local/state/skein/<name>; its directory is there. Empty if
// that is impossible.
std::string state_file(const std::string& name);

}  // namespace skein::cli
