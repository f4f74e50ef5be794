// Exit codes, and a function that ends a command early.
//   0  success; no problem found
//   1  an analysis found a problem, or an internal failure
//   2  bad usage, or an input that cannot be read
// `skein record` returns the exit code of the recorded program instead.
//
// Uses an exception, not a Result: the failure ends the whole command from any depth, and the
// destructors of the unwound frames remove unfinished files and progress bars. Functions that read
// a trace return a Result.
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

// Runs a command and returns its exit code. If it throws, writes message_line(what)
// (cli/output/terminal.h) to `err`; an exception other than CommandError has code 1.
int run_reporting(const std::function<int()>& command, std::ostream& err);

}  // namespace skein::cli
