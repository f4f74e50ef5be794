// CLI11 numbers its errors from 100 up; to the user each of them is bad usage.
#include <ostream>

#include "cli/commands.h"

namespace skein::cli {

int exit_code(const CLI::App& app, const CLI::ParseError& error, std::ostream& out,
              std::ostream& err) {
  if (error.get_exit_code() == 0) return app.exit(error, out, err);  // --help, --version
  if (error.get_name() == "RuntimeError") return error.get_exit_code();
  const auto unknown = app.remaining();
  const bool no_such_command = error.get_name() == "RequiredError" && !unknown.empty();
  err << "skein: " << (no_such_command ? "no such command: " + unknown.front() : error.what())
      << "; try: skein --help\n";
  return 2;
}

}  // namespace skein::cli
