#include "base/notes_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/replace_file.h"

using namespace skein;
namespace fs = std::filesystem;

namespace {

struct Folder {
  std::string path = "/tmp/skein-notes-XXXXXX";
  Folder() { REQUIRE(mkdtemp(path.data())); }
  ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("the notes file is beside the trace, not in it") {
  CHECK(notes_path("/a/net.ctf") == "/a/net.ctf.skein-notes.json");
  CHECK(notes_path("/a/recorded") == "/a/recorded.skein-notes.json");
  CHECK(notes_path("/a/recorded/") == "/a/recorded.skein-notes.json");
  CHECK(notes_path("/a/recorded/.") == "/a/recorded.skein-notes.json");
  CHECK(notes_path("/a/b/../recorded//") == "/a/recorded.skein-notes.json");
  CHECK(notes_path("x") == fs::current_path().string() + "/x.skein-notes.json");
  CHECK(notes_path("-").empty());
}

TEST_CASE("a file is replaced completely or not at all") {
  const Folder folder;
  const std::string path = folder.path + "/notes";
  CHECK(*read_notes_file(path) == "");
  REQUIRE(replace_file(path, "one"));
  CHECK(*read_notes_file(path) == "one");
  REQUIRE(chmod(path.c_str(), 0644) == 0);
  REQUIRE(replace_file(path, "two, longer"));
  CHECK(*read_notes_file(path) == "two, longer");
  struct stat status;
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0644);

  const auto failed = replace_file(folder.path + "/missing/notes", "x");
  REQUIRE(!failed);
  CHECK(failed.error().message().find("No such file") != std::string::npos);
  // A directory is in the way: the temporary file is removed.
  fs::create_directories(folder.path + "/directory/full");
  CHECK(!replace_file(folder.path + "/directory", "x"));
  size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path)) entries++;
  CHECK(entries == 2);
  CHECK(!read_notes_file(folder.path + "/directory"));
}
