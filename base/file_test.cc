#include "base/file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/disk_files.h"

using namespace skein;

namespace {

// A temporary folder for one test, removed by the destructor.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "skein-file-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }

  std::string write(const std::string& name, std::string_view text) const {
    const std::string file = path + "/" + name;
    FILE* out = std::fopen(file.c_str(), "wb");
    REQUIRE(out != nullptr);
    std::fwrite(text.data(), 1, text.size(), out);
    std::fclose(out);
    return file;
  }

  std::string path;
};

std::string text(const Contents& contents) {
  return {contents.bytes().begin(), contents.bytes().end()};
}

}  // namespace

TEST_CASE("a file on disk, mapped and copied") {
  Folder folder;
  DiskFiles disk;
  const std::string path = folder.write("a", "hello");
  CHECK(disk.type(path) == FileType::File);
  CHECK(text(disk.open(path).value()) == "hello");
  CHECK(text(disk.open(path, Access::Copy).value()) == "hello");
}

TEST_CASE("moving contents does not move the bytes") {
  Folder folder;
  DiskFiles disk;
  for (Access access : {Access::Map, Access::Copy}) {
    Contents first = disk.open(folder.write("a", "hello"), access).value();
    const uint8_t* data = first.bytes().data();
    Contents second = std::move(first);
    CHECK(second.bytes().data() == data);
    CHECK(text(second) == "hello");
    CHECK(first.size() == 0);
  }
}

TEST_CASE("an empty file is empty, not an error") {
  Folder folder;
  DiskFiles disk;
  CHECK(disk.open(folder.write("empty", "")).value().size() == 0);
}

TEST_CASE("open reports the reason of a failure") {
  Folder folder;
  DiskFiles disk;
  CHECK(disk.type(folder.path + "/none") == FileType::Missing);
  CHECK(disk.open(folder.path + "/none").error().message() ==
        folder.path + "/none: No such file or directory; check the path");
  CHECK(disk.type(folder.path) == FileType::Directory);
  CHECK(disk.open(folder.path).error().what == "is a directory");
}

TEST_CASE("the size of a copy is limited") {
  Folder folder;
  DiskFiles disk(4);
  CHECK(disk.open(folder.write("four", "1234"), Access::Copy).value().size() == 4);
  CHECK(disk.open(folder.write("five", "12345"), Access::Copy).error().what == "more than 4 bytes");
}

TEST_CASE("a pipe is read to its end") {
  DiskFiles disk;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], "through", 7) == 7);
  close(ends[1]);
  CHECK(text(disk.open("/dev/fd/" + std::to_string(ends[0])).value()) == "through");
  close(ends[0]);
}

TEST_CASE("open returns the bytes that head read from a pipe") {
  Folder folder;
  const std::string path = folder.path + "/fifo";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&] {
    const int file = ::open(path.c_str(), O_WRONLY);
    CHECK(write(file, "through", 7) == 7);
    close(file);
  });
  DiskFiles disk;
  CHECK(disk.type(path) == FileType::Other);
  CHECK(disk.head(path, 3).value() == std::vector<uint8_t>{'t', 'h', 'r'});
  CHECK(disk.head(path, 2).value().size() >= 2);
  CHECK(text(disk.open(path).value()) == "through");
  writer.join();
}

TEST_CASE("a FIFO without a writer and a socket are errors") {
  Folder folder;
  DiskFiles disk;
  const std::string fifo = folder.path + "/fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(disk.open(fifo).error().what == "a FIFO without a writer");
  const std::string path = folder.path + "/socket";
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  REQUIRE(path.size() < sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int socket_file = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(socket_file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(disk.head(path, 1).error().what == "a socket, not a trace");
  close(socket_file);
}

TEST_CASE("the head of a short file is the whole file") {
  Folder folder;
  DiskFiles disk;
  const std::string path = folder.write("a", "hello");
  CHECK(disk.head(path, 4).value() == std::vector<uint8_t>{'h', 'e', 'l', 'l'});
  CHECK(disk.head(path, 99).value().size() == 5);
  CHECK_FALSE(disk.head(path + "none", 4));
}

TEST_CASE("open returns the bytes that head read from standard input") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], "through", 7) == 7);
  close(ends[1]);
  const int input = dup(STDIN_FILENO);
  REQUIRE(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  close(ends[0]);
  {
    DiskFiles disk;
    CHECK(disk.head("-", 3).value() == std::vector<uint8_t>{'t', 'h', 'r'});
    CHECK(disk.head("-", 5).value().size() == 5);
    CHECK(text(disk.open("-").value()) == "through");
  }
  if (input >= 0) {
    dup2(input, STDIN_FILENO);
    close(input);
  }
}

TEST_CASE("the entries of a directory are sorted") {
  Folder folder;
  DiskFiles disk;
  folder.write("b", "");
  folder.write("a", "");
  CHECK(disk.list(folder.path).value() == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(disk.list(folder.path + "/none"));
}

TEST_CASE("files in memory behave like files on disk") {
  MemoryFiles fake;
  fake.add("dir/b", "bee");
  fake.add("dir/a/deep", "d");
  fake.add("single", "s");
  CHECK(fake.type("dir") == FileType::Directory);
  CHECK(fake.type("dir/b") == FileType::File);
  CHECK(fake.type("di") == FileType::Missing);
  CHECK(fake.list("dir").value() == std::vector<std::string>{"a", "b"});
  CHECK(text(fake.open("dir/b").value()) == "bee");
  CHECK(fake.head("single", 9).value() == std::vector<uint8_t>{'s'});
  CHECK(fake.open("dir").error().what == "is a directory");
  CHECK(fake.open("none").error().message() == "none: No such file or directory; check the path");
}

TEST_CASE("only regular files exist in a directory of UnlinkedFiles") {
  Folder folder;
  const std::string trace = folder.path + "/trace";
  std::filesystem::create_directory(trace);
  folder.write("secret", "swordfish");
  folder.write("trace/file", "contents");
  std::filesystem::create_symlink("../secret", trace + "/link");
  std::filesystem::create_symlink("..", trace + "/folder");
  REQUIRE(mkfifo((trace + "/fifo").c_str(), 0600) == 0);
  std::filesystem::create_symlink("trace", folder.path + "/named");
  for (const std::string& named : {trace, trace + "/", folder.path + "/named"}) {
    UnlinkedFiles files({named});
    CHECK(files.type(named) == FileType::Directory);
    CHECK(text(files.open(named + "/file").value()) == "contents");
    for (const char* name : {"/link", "/fifo", "/folder"}) {
      CHECK(files.type(named + name) != FileType::File);
      CHECK(files.type(named + name) != FileType::Directory);
      CHECK_FALSE(files.open(named + name));
      CHECK_FALSE(files.open(named + name, Access::Copy));
      CHECK_FALSE(files.head(named + name, 4));
    }
    CHECK(files.open(named + "/link").error().what == "a symbolic link");
    CHECK(files.open(named + "/fifo").error().what == "not a regular file");
  }
  // A link that is itself named is followed.
  UnlinkedFiles files({trace + "/link"});
  CHECK(text(files.open(trace + "/link").value()) == "swordfish");
}

TEST_CASE("a hole at the end of a large file is not read") {
  Folder folder;
  const std::string path = folder.write("sparse", "data");
  if (truncate(path.c_str(), off_t{1} << 40) != 0) return;  // the file system has smaller files
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  REQUIRE(status.st_blocks < 10'000);
  DiskFiles disk;
  for (const Access access : {Access::Map, Access::Copy}) {
    const auto contents = disk.open(path, access);
    REQUIRE(contents);
    CHECK(contents->size() < 1 << 20);
    CHECK(text(*contents).starts_with("data"));
  }
  const std::string empty = folder.write("empty", "");
  REQUIRE(truncate(empty.c_str(), off_t{1} << 40) == 0);
  CHECK(disk.open(empty).value().size() == 0);
}
