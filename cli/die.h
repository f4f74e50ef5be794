// Exit codes, and how a command ends early.
//   0  done; nothing wrong was found
//   1  an analysis found an error, or something inside failed
//   2  bad usage, or an input that cannot be read
// `skein record` returns the exit code of the recorded program instead.
//
// An exception, not a Result: the failure ends the whole command from any depth, and the
// destructors on the way remove unfinished files and progress bars. What reads a trace returns a
// Result.
#pragma once

#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>

namespace skein::cli {

class CommandError : public std::runtime_error {
 public:
  CommandError(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

// Throws CommandError. `what` is "object: problem; next step", in lower case, without a full stop.
[[noreturn]] void die(int code, const std::string& what);

// Runs a command and returns its exit code. Writes message_line(what) (cli/output/terminal.h) to
// `err` for an exception; one that is no CommandError has code 1.
int run_reporting(const std::function<int()>& command, std::ostream& err);

}  // namespace skein::cli
