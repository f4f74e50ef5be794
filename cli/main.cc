// The program `skein`: cli/command_line.cc parses its arguments, cli/commands.h lists its commands.
#include <iostream>

#include "cli/command_line.h"
#include "cli/memory.h"

int main(int argc, char** argv) {
  skein::cli::report_uncaught_out_of_memory();
  return skein::cli::run_command_line(argc, argv, std::cout, std::cerr);
}
