#include "target/process.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "target/elf.h"

using namespace skein;

namespace {

// A child that waits in pause() and is killed at the end.
class Child {
 public:
  Child() : pid_(fork()) {
    if (pid_ == 0)
      for (;;) pause();
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  uint64_t pid() const { return static_cast<uint64_t>(pid_); }

 private:
  pid_t pid_;
};

uint64_t address_of(const void* object) { return reinterpret_cast<uint64_t>(object); }

const char text[] = "what the child has in memory";

}  // namespace

TEST_CASE("a running process: its memory, mappings, threads and files") {
  const Child child;
  const auto opened = open_process(child.pid());
  REQUIRE(opened);
  const Target& target = **opened;
  CHECK(target.pid() == child.pid());
  CHECK(target.name().starts_with("target_test"));

  std::array<uint8_t, sizeof text> bytes;
  REQUIRE(target.read(address_of(text), bytes) == bytes.size());
  CHECK(memcmp(bytes.data(), text, sizeof text) == 0);

  const Mapping* mapping = find_mapping(target.mappings(), address_of(text));
  REQUIRE(mapping != nullptr);
  CHECK(mapping->file.ends_with("/target_test"));
  const auto file = target.file_of(*mapping);
  REQUIRE(file);
  CHECK(memcmp(file->bytes().data() + mapping->offset + (address_of(text) - mapping->begin), text,
               sizeof text) == 0);
  CHECK(build_id_of_file(target, *mapping) == build_id(file->bytes()));

  const auto threads = target.threads();
  REQUIRE(!threads.empty());  // the thread sanitizer adds one
  CHECK(threads[0].id == child.pid());
  CHECK(threads[0].name.starts_with("target_test"));
}

TEST_CASE("reading ends where memory does") {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const two =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(two != MAP_FAILED);
  munmap(static_cast<char*>(two) + page, page);
  memset(two, 7, page);
  const auto opened = open_process(static_cast<uint64_t>(getpid()));
  REQUIRE(opened);
  const Target& target = **opened;
  std::array<uint8_t, 64> bytes;
  CHECK(target.read(address_of(two) + page - 10, bytes) == 10);
  CHECK(target.read(address_of(two) + page, bytes) == 0);
  CHECK(target.read(0, bytes) == 0);

  std::array<std::array<uint8_t, 8>, 4> parts;
  const uint64_t end = address_of(two) + page;
  std::array<Piece, 4> pieces{{{.address = end - 8, .to = parts[0]},
                               {.address = end, .to = parts[1]},
                               {.address = end - 3, .to = parts[2]},
                               {.address = end - 16, .to = parts[3]}}};
  target.Target::read(pieces);
  for (Piece& piece : pieces) piece.count = 99;
  target.read(std::span<Piece>(pieces));
  CHECK(pieces[0].count == 8);
  CHECK(pieces[1].count == 0);
  CHECK(pieces[2].count == 3);
  CHECK(pieces[3].count == 8);
  CHECK(parts[3][7] == 7);
  munmap(two, page);
}

TEST_CASE("more pieces than a system call takes") {
  const auto opened = open_process(static_cast<uint64_t>(getpid()));
  REQUIRE(opened);
  std::vector<uint32_t> values(5000);
  for (uint32_t i = 0; i < values.size(); i++) values[i] = i;
  std::vector<uint32_t> copies(values.size());
  std::vector<Piece> pieces;
  for (size_t i = 0; i < values.size(); i++)
    pieces.push_back({.address = address_of(&values[i]),
                      .to = {reinterpret_cast<uint8_t*>(&copies[i]), sizeof copies[i]}});
  (*opened)->read(std::span<Piece>(pieces));
  CHECK(copies == values);
}

TEST_CASE("pages that were written, among terabytes that were not") {
  constexpr uint64_t size = uint64_t{1} << 42;
  constexpr uint64_t page = 4096;
  auto* const memory = static_cast<uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (memory == MAP_FAILED) return;
  const uint64_t begin = address_of(memory);
  const auto opened = open_process(static_cast<uint64_t>(getpid()));
  REQUIRE(opened);
  const Target& target = **opened;
  constexpr uint64_t places[] = {5 * page, uint64_t{1} << 30};
  for (const uint64_t place : places) memory[place] = 1;
  if (target.first_data(begin, begin + page) == begin) return;  // it may not be known
  const auto near = [&](uint64_t found, uint64_t place) {  // a page may be a huge one
    return found <= begin + place && found > begin + place - (uint64_t{2} << 20);
  };
  CHECK(near(target.first_data(begin + page, begin + size / 64), places[0]));
  CHECK(target.first_data(begin + places[0] + 8, begin + size / 64) == begin + places[0] + 8);
  CHECK(near(target.first_data(begin + (uint64_t{4} << 20), begin + size / 64), places[1]));
  CHECK(target.first_data(begin + (uint64_t{2} << 30), begin + (uint64_t{4} << 30)) ==
        begin + (uint64_t{4} << 30));
  CHECK(target.first_data(begin, begin) == begin);
  munmap(memory, size);
}

TEST_CASE("a process that has ended") {
  auto child = std::make_unique<Child>();
  const uint64_t pid = child->pid();
  const auto opened = open_process(pid);
  REQUIRE(opened);
  child.reset();
  std::array<uint8_t, 4> bytes;
  CHECK((*opened)->read(address_of(text), bytes) == 0);
  CHECK((*opened)->threads().empty());
  const auto again = open_process(pid);
  REQUIRE(!again);
  CHECK(again.error().message() == "process " + std::to_string(pid) + ": no such process");
}

TEST_CASE("numbers that are no process of the user") {
  CHECK(!open_process(0));
  CHECK(!open_process(UINT64_MAX));
  const auto kernel = open_process(2);  // kthreadd; in a container, perhaps another process
  if (!kernel) CHECK(!kernel.error().what.empty());
}
