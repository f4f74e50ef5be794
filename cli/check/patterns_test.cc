#include "cli/check/patterns.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace skein::cli;
using Names = std::vector<std::string>;

TEST_CASE("the first pattern that matches") {
  const Names patterns = {"[", "x+y", "b$"};
  CHECK(find_match(patterns, "a b") == &patterns[2]);
  CHECK(find_match(patterns, "xxy b") == &patterns[1]);
  CHECK(find_match(patterns, "none") == nullptr);
}

TEST_CASE("a line of a file that grows") {
  const Names patterns = {"never", "server is (up|ready)"};
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("skein-patterns-" + std::to_string(getpid()));
  OutputWatch watch(path.string(), patterns);
  CHECK(watch.match() == nullptr);
  std::ofstream file(path, std::ios::binary);
  file << "starting\nserver is " << std::flush;
  CHECK(watch.match() == nullptr);
  file << "ready" << std::flush;
  CHECK(watch.match() == nullptr);
  file << "\nmore\n" << std::flush;
  CHECK(watch.match() == &patterns[1]);
  std::filesystem::remove(path);
  CHECK(watch.match() == &patterns[1]);
}

}  // namespace
