// What a command prints when it lists tests.
#pragma once

#include <string>
#include <vector>

namespace skein::cli {

struct Listing {
  std::string output = {};
  int status = -1;  // as of waitpid(); -1: it could not be run
  int error = 0;    // ... and why: errno
};

// Runs a command that prints a list, in `folder` (empty: the current one), with nothing on its
// standard input and its errors to ours, or nowhere. Kills it after 30 s or 256 MB of output.
Listing run_listing(const std::vector<std::string>& command, const std::string& folder,
                    bool shows_errors);

bool has_exited(const Listing& listing);
bool has_succeeded(const Listing& listing);  // with the exit code 0

}  // namespace skein::cli
