#include "symbol/symbol_cache.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "symbol/line_answers.h"

namespace skein {

namespace {

namespace fs = std::filesystem;

struct TemporaryFolder {
  TemporaryFolder() {
    char name[] = "/tmp/skein-symbol-cache-XXXXXX";
    path = mkdtemp(name);
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  std::string path;
};

std::vector<uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  stat(path.c_str(), &status);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("the symbol cache returns what was stored, for the same version") {
  const TemporaryFolder temporary;
  const std::string folder = temporary.path + "/cache/skein";
  const SymbolCache cache(folder);
  CHECK(!cache.load("ab12.lines", 1));
  REQUIRE(cache.store("ab12.lines", 1, bytes_of("hello")));
  CHECK(cache.load("ab12.lines", 1) == bytes_of("hello"));
  CHECK(!cache.load("ab12.lines", 2));
  CHECK(mode_of(folder) == 0700);
  CHECK(mode_of(folder + "/ab12.lines") == 0600);
  REQUIRE(cache.store("ab12.lines", 1, bytes_of("other")));
  CHECK(cache.load("ab12.lines", 1) == bytes_of("other"));
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 1);  // no temporary files
  CHECK(SymbolCache().store("ab12.lines", 1, bytes_of("x")));
  CHECK(!SymbolCache().load("ab12.lines", 1));
}

TEST_CASE("a damaged file of the symbol cache is ignored and replaced") {
  const TemporaryFolder temporary;
  const SymbolCache cache(temporary.path);
  const std::string path = temporary.path + "/ab12.lines";
  REQUIRE(cache.store("ab12.lines", 1, bytes_of("hello")));
  std::string good(29, '\0');
  std::ifstream(path).read(good.data(), 29);
  for (size_t i = 0; i < good.size(); i++) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    std::ofstream(path) << bad;
    CHECK_MESSAGE(!cache.load("ab12.lines", 1), i);
    std::ofstream(path) << good.substr(0, i);
    CHECK_MESSAGE(!cache.load("ab12.lines", 1), i);
  }
  std::ofstream(path) << good;
  CHECK(cache.load("ab12.lines", 1) == bytes_of("hello"));
  std::ofstream(path) << good << "x";
  CHECK(!cache.load("ab12.lines", 1));
  REQUIRE(cache.store("ab12.lines", 1, bytes_of("again")));
  CHECK(cache.load("ab12.lines", 1) == bytes_of("again"));
}

TEST_CASE("files and folders that others may write to are not used") {
  const TemporaryFolder temporary;
  const SymbolCache cache(temporary.path);
  REQUIRE(cache.store("ab12.lines", 1, bytes_of("hello")));
  const std::string path = temporary.path + "/ab12.lines";
  chmod(path.c_str(), 0620);
  CHECK(!cache.load("ab12.lines", 1));
  chmod(path.c_str(), 0600);
  CHECK(cache.load("ab12.lines", 1));
  chmod(temporary.path.c_str(), 0777);
  CHECK(!cache.load("ab12.lines", 1));
  CHECK(!cache.store("ab12.lines", 1, bytes_of("x")));
  chmod(temporary.path.c_str(), 0700);
  // A link, a pipe, a folder in the place of the file.
  fs::rename(path, temporary.path + "/there");
  fs::create_symlink(temporary.path + "/there", path);
  CHECK(!cache.load("ab12.lines", 1));
  fs::remove(path);
  mkfifo(path.c_str(), 0600);
  CHECK(!cache.load("ab12.lines", 1));
  fs::remove(path);
  fs::create_directory(path);
  CHECK(!cache.load("ab12.lines", 1));
  CHECK(!cache.store("ab12.lines", 1, bytes_of("x")));
  for (const char* key : {"", "../skein-no-key", "a/b", ".x", "a\n"}) {
    CHECK(cache.store(key, 1, bytes_of("x")));
    CHECK(!cache.load(key, 1));
  }
  CHECK(!fs::exists(temporary.path + "/../skein-no-key"));
}

TEST_CASE("the symbol cache removes what was used least recently") {
  const TemporaryFolder temporary;
  constexpr uint64_t file = 24 + 100;
  const SymbolCache cache(temporary.path, 3 * file);
  const std::vector<uint8_t> bytes(100, 7);
  for (const char* key : {"a", "b", "c"}) REQUIRE(cache.store(key, 1, bytes));
  const auto age = [&](const char* key, int seconds) {
    fs::last_write_time(temporary.path + "/" + key,
                        fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  };
  age("a", 30);
  age("b", 20);
  age("c", 10);
  CHECK(cache.load("a", 1));  // used again
  REQUIRE(cache.store("d", 1, bytes));
  CHECK(cache.load("a", 1));
  CHECK(!cache.load("b", 1));
  CHECK(cache.load("c", 1));
  CHECK(cache.load("d", 1));
  CHECK(!cache.store("e", 1, std::vector<uint8_t>(4 * file)));
  CHECK(cache.load("d", 1));
}

TEST_CASE("answers about lines survive packing, and damaged ones are refused") {
  LineAnswers answers;
  answers.places[1] = LinePlace{.file = "a.cc", .line = 3, .column = 7};
  answers.places[2] = std::nullopt;
  answers.insides[{1, "f"}] = LinePlace{.file = "a.cc", .line = 4};
  answers.insides[{1, "g"}] = std::nullopt;
  answers.calls[{7, "f"}] = {{.address = 8, .end = 9, .function = "_Z1fv"}, {10, 11, ""}};
  answers.calls[{7, "g"}] = {};
  answers.members[{1, "x", "y"}] = 24;
  answers.members[{1, "x", "z"}] = std::nullopt;
  answers.missing = {{7, false}, {8, true}};
  const std::vector<uint8_t> bytes = answers.packed();
  const auto back = LineAnswers::unpack(bytes);
  REQUIRE(back);
  CHECK(back->places == answers.places);
  CHECK(back->places.at(1)->column == 7);
  CHECK(back->insides == answers.insides);
  CHECK(back->members == answers.members);
  CHECK(back->missing == answers.missing);
  CHECK(back->calls.size() == 2);
  CHECK(back->calls.at({7, "f"})[0].function == "_Z1fv");
  CHECK(back->calls.at({7, "f"})[1].end == 11);
  for (size_t i = 0; i < bytes.size(); i++) CHECK(!LineAnswers::unpack(std::span(bytes).first(i)));
  std::mt19937 random(1);
  for (int i = 0; i < 10'000; i++) {
    std::vector<uint8_t> damaged = bytes;
    damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    if (const auto some = LineAnswers::unpack(damaged)) CHECK(some->size() <= bytes.size());
  }
}

}  // namespace skein
