// Reads lines from a terminal, with line editing and a history.
//
//   Prompt prompt(state_file("query_history"));
//   for (std::string line; prompt.read("skein> ", line) != Prompt::Result::End;) ...
//
// Uses libedit if it was available at build time (docs/dependencies.md explains the choice);
// otherwise there is neither editing nor a history.
#pragma once

#include <memory>
#include <string>

namespace skein::cli {

class Prompt {
 public:
  enum class Result { Line, End, Interrupted };  // Interrupted: a signal; discards the input line

  // Loads the history from the file `history`; the destructor saves it there. Empty: no file.
  explicit Prompt(std::string history);
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;
  ~Prompt();

  // Shows the prompt `text` and stores the input in `line`, without the line break.
  Result read(const char* text, std::string& line);
  // Adds a line to the history.
  void remember(const std::string& line);

 private:
  struct Editor;
  std::unique_ptr<Editor> editor_;
};

// Returns $XDG_STATE_HOME/skein/<name> or ~/.local/state/skein/<name>, and creates its directory.
// Empty on failure.
std::string state_file(const std::string& name);

}  // namespace skein::cli
