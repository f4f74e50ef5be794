// The program `skein`: cli/command_line.cc parses its arguments, cli/commands.h lists its commands.
#include <iostream>

#include "cli/command_line.h"

int main(int argc, char** argv) {
  return skein::cli::run_command_line(argc, argv, std::cout, std::cerr);
}
