// Arenas in made-up memory of guests: right ones, and ones that lie.
#include "target/guest/arena.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <skein/format.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "target/guest/arena_files.h"
#include "target/guest/guest_memory.h"

using namespace skein;

namespace {

constexpr uint64_t arena_page = format::kArenaPage;
constexpr uint64_t arena_address = 8 * arena_page;
constexpr uint64_t arena_size = 8 * arena_page;

format::ArenaHeader arena_header() {
  format::ArenaHeader header{};
  header.magic[0] = format::kArenaMagicFirst;
  header.magic[1] = format::kArenaMagicSecond;
  header.version = format::kArenaVersion;
  header.address = arena_address;
  header.size = arena_size;
  header.uuid[0] = 7;
  header.clock = static_cast<uint32_t>(format::ArenaClock::kTsc);
  header.ticks = 500;
  header.realtime_ns = 1'700'000'000'500'000'000;
  header.ticks_per_second = 1000;
  std::strcpy(header.procname, "unikernel");
  header.regions = 2;
  std::strcpy(header.region[0].name, ".tasks");
  header.region[0].offset = arena_page;
  header.region[0].size = 2 * arena_page;
  std::strcpy(header.region[1].name, "s00000-0");
  header.region[1].offset = 3 * arena_page;
  header.region[1].size = arena_page;
  return header;
}

std::vector<uint8_t> page_of(const format::ArenaHeader& header) {
  std::vector<uint8_t> page(arena_page);
  std::memcpy(page.data(), &header, sizeof header);
  return page;
}

// The problem of a header that was changed.
std::string problem(const std::function<void(format::ArenaHeader&)>& change) {
  format::ArenaHeader header = arena_header();
  change(header);
  const Result<Arena> arena = read_arena(page_of(header));
  return arena ? "" : arena.error().message();
}

// Memory with pages at positions; all of it has data.
class MadeUpMemory : public GuestMemory {
 public:
  explicit MadeUpMemory(size_t pages) : bytes_(pages * arena_page) {}
  void put(uint64_t position, const format::ArenaHeader& header) {
    std::memcpy(bytes_.data() + position, &header, sizeof header);
  }
  bool read(uint64_t position, std::span<uint8_t> to) const override {
    if (position > bytes_.size() || to.size() > bytes_.size() - position) return false;
    std::memcpy(to.data(), bytes_.data() + position, to.size());
    return true;
  }
  std::vector<MemoryRange> data() const override { return {{0, bytes_.size()}}; }
  bool may_be_at(uint64_t position, uint64_t address, uint64_t size) const override {
    return position == address && size <= bytes_.size() - position;
  }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace

TEST_CASE("an arena's header") {
  const auto arena = read_arena(page_of(arena_header()));
  REQUIRE(arena);
  CHECK(arena->address == arena_address);
  CHECK(arena->program == "unikernel");
  REQUIRE(arena->files.size() == 2);
  CHECK(arena->files[1].name == "s00000-0");
  CHECK(arena->files[1].offset == 3 * arena_page);
  CHECK(arena->note_ticks == 0);
}

TEST_CASE("the metadata of an arena: UTC of tick 0") {
  const auto arena = read_arena(page_of(arena_header()));
  REQUIRE(arena);
  const std::string text = arena_metadata(*arena, "web");  // 500 ticks are half a second
  CHECK(text.find("offset_s = 1700000000;") != text.npos);
  CHECK(text.find("offset = 0;") != text.npos);
  CHECK(text.find("freq = 1000;") != text.npos);
  CHECK(text.find("hostname = \"web\"") != text.npos);
}

TEST_CASE("a header that lies is rejected, with the reason") {
  using Header = format::ArenaHeader;
  CHECK(problem([](Header&) {}) == "");
  CHECK(problem([](Header& h) { h.magic[1]++; }) == "no arena begins here");
  CHECK(problem([](Header& h) { h.version = 9; }) ==
        "arena of version 9; this skein reads version 1");
  CHECK(problem([](Header& h) { h.address++; }).find("its address") != std::string::npos);
  CHECK(problem([](Header& h) {
          h.address = UINT64_MAX / arena_page * arena_page;
        }).find("last address") != std::string::npos);
  for (const uint64_t size :
       {uint64_t{0}, arena_page, arena_page * 2 + 1, UINT64_MAX, uint64_t{1} << 40})
    CHECK(problem([&](Header& h) { h.size = size; }).find("its size") != std::string::npos);
  CHECK(problem([](Header& h) { h.ticks_per_second = 0; }).find("ticks per second") !=
        std::string::npos);
  CHECK(problem([](Header& h) { h.clock = 3; }).find("clock") != std::string::npos);
  CHECK(problem([](Header& h) { h.regions = 49; }) == "damaged arena: 49 regions");
  CHECK(problem([](Header& h) { h.regions = UINT32_MAX; }).find("regions") != std::string::npos);
  CHECK(problem([](Header& h) { h.region[1].offset = 2 * arena_page; }) ==
        "damaged arena: regions .tasks and s00000-0 overlap");
  CHECK(problem([](Header& h) { h.region[1].offset = 0; }).find("outside") != std::string::npos);
  CHECK(problem([](Header& h) { h.region[1].size = 6 * arena_page; }).find("outside") !=
        std::string::npos);
  CHECK(problem([](Header& h) {
          h.region[1].size = UINT64_MAX - arena_page + 1;
        }).find("outside") != std::string::npos);
  CHECK(problem([](Header& h) { h.region[1].offset++; }).find("pages") != std::string::npos);
  CHECK(problem([](Header& h) { h.region[1].size = 0; }).find("pages") != std::string::npos);
  std::vector<std::string> names = {"",   ".",   "..",     "metadata", "a/b",
                                    "s1", "s-1", "names-", "names-x",  "s00000-0000000000"};
  for (const std::string& name : names)
    CHECK_MESSAGE(problem([&](Header& h) {
                    std::memset(h.region[1].name, 0, sizeof h.region[1].name);
                    std::memcpy(h.region[1].name, name.data(),
                                std::min(name.size(), sizeof h.region[1].name));
                  }) != "",
                  name);
  CHECK(problem([](Header& h) {
          std::strcpy(h.region[1].name, ".tasks");
        }).find("two regions are named") != std::string::npos);
  CHECK_FALSE(read_arena(std::vector<uint8_t>(100)));
}

TEST_CASE("an arena is found at the address in its header, and not at another") {
  MadeUpMemory memory(64);
  CHECK(find_arena(memory).error().what == "no arena in its memory");
  memory.put(arena_address + 20 * arena_page, arena_header());  // a copy, such as of a file
  CHECK(find_arena(memory).error().what == "no arena in its memory");
  memory.put(arena_address, arena_header());
  const auto found = find_arena(memory);
  REQUIRE(found);
  CHECK(found->position == arena_address);

  format::ArenaHeader other = arena_header();
  other.uuid[0] = 8;
  other.address = 30 * arena_page;
  memory.put(other.address, other);
  CHECK(find_arena(memory).error().what == "2 arenas in its memory");
}

TEST_CASE("an arena is found beside memory that cannot be read") {
  struct Holed : MadeUpMemory {
    using MadeUpMemory::MadeUpMemory;
    bool read(uint64_t position, std::span<uint8_t> to) const override {
      const bool in_hole = position < 5 * arena_page && position + to.size() > 4 * arena_page;
      return !in_hole && MadeUpMemory::read(position, to);
    }
  };
  Holed memory(64);
  memory.put(arena_address, arena_header());
  const auto found = find_arena(memory);
  REQUIRE(found);
  CHECK(found->position == arena_address);
}

TEST_CASE("an arena that ends after the memory, and one that is damaged") {
  MadeUpMemory memory(64);
  format::ArenaHeader header = arena_header();
  header.size = 64 * arena_page;
  memory.put(arena_address, header);
  CHECK(find_arena(memory).error().what == "no arena in its memory");
  header.size = 1;
  memory.put(arena_address, header);
  CHECK(find_arena(memory).error().what == "damaged arena: its size is 1 bytes");
}

TEST_CASE("the files of an arena, with those that the guest adds") {
  MadeUpMemory memory(64);
  memory.put(arena_address, arena_header());
  ArenaFiles files(memory, *find_arena(memory), "web");
  CHECK(*files.list("") == std::vector<std::string>{".tasks", "metadata", "s00000-0"});
  CHECK(files.type("/s00000-0") == FileType::File);
  CHECK(files.type("/s00000-1") == FileType::Missing);
  CHECK(files.type("") == FileType::Directory);
  CHECK(files.open("/s00000-0")->size() == arena_page);
  CHECK(files.head("/.tasks", 128)->size() == 128);
  CHECK_FALSE(files.open("/s00000-1"));
  CHECK(files.open("metadata")->size() > 1000);

  format::ArenaHeader more = arena_header();
  more.regions = 3;
  std::strcpy(more.region[2].name, "names-0");
  more.region[2].offset = 4 * arena_page;
  more.region[2].size = arena_page;
  memory.put(arena_address, more);
  CHECK(*files.list("") == std::vector<std::string>{".tasks", "metadata", "names-0", "s00000-0"});
  more.uuid[0] = 9;  // the guest was started again: another trace
  more.regions = 1;
  memory.put(arena_address, more);
  CHECK(files.list("")->size() == 4);
}

TEST_CASE("a file of RAM: the hole below 4 GiB, and where arm64's memory begins") {
  char path[] = "/tmp/skein-ram-XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  constexpr uint64_t gigabyte = uint64_t{1} << 30;
  REQUIRE(ftruncate(file, static_cast<off_t>(5 * gigabyte)) == 0);  // a hole
  const auto memory = open_ram_file(path);
  REQUIRE(memory);
  CHECK((*memory)->may_be_at(4096, 4096, 4096));
  CHECK((*memory)->may_be_at(4096, gigabyte + 4096, 4096));
  CHECK((*memory)->may_be_at(3 * gigabyte, 4 * gigabyte, 4096));
  CHECK_FALSE((*memory)->may_be_at(4096, 8192, 4096));
  CHECK_FALSE((*memory)->may_be_at(5 * gigabyte - 4096, 5 * gigabyte - 4096, 8192));
  CHECK((*memory)->data().empty());

  const format::ArenaHeader header = arena_header();
  REQUIRE(pwrite(file, &header, sizeof header, static_cast<off_t>(arena_address)) > 0);
  const auto found = find_arena(**memory);
  REQUIRE(found);
  CHECK(found->position == arena_address);
  close(file);
  unlink(path);
  CHECK_FALSE(open_ram_file(path));
  CHECK_FALSE(open_ram_file("/tmp"));
}

TEST_CASE("the name of a guest, as on QEMU's command line") {
  const auto name = [](std::vector<std::string> words) { return guest_name(words); };
  CHECK(name({"qemu-system-x86_64", "-name", "web"}) == "web");
  CHECK(name({"qemu-system-x86_64", "-name", "guest=web,debug-threads=on", "-m", "64"}) == "web");
  CHECK(name({"qemu-system-x86_64", "-name", "debug-threads=on,guest=web"}) == "web");
  CHECK(name({"qemu-system-x86_64", "-name", "a,,b,process=x"}) == "a,b");
  CHECK(name({"qemu-system-x86_64", "-name", "process=x"}).empty());
  CHECK(name({"qemu-system-x86_64", "-name"}).empty());
  CHECK(name({}).empty());
}
