// The program `skein`: cli/command_line.cc parses its arguments, cli/commands.h lists its commands.
#include <fcntl.h>

#include <iostream>

#include "cli/command_line.h"
#include "cli/memory.h"

namespace {

// If a standard stream is closed, the first file that is opened would get its number, and
// `-o /dev/stdout` would overwrite the trace. Opened for the wrong direction, so that using it
// still fails.
void occupy_standard_streams() {
  for (const int stream : {0, 1, 2})
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null",
                  (stream == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);  // the lowest free number
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  skein::cli::report_uncaught_out_of_memory();
  return skein::cli::run_command_line(argc, argv, std::cout, std::cerr);
}
