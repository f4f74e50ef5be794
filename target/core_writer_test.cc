#include "target/core_writer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "base/file.h"
#include "target/core_file.h"

using namespace skein;

namespace {

constexpr uint64_t begin_of_memory = 0x10000;

// Sixteen pages, each byte of which is the number of its page, and a file.
class SmallTarget : public Target {
 public:
  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return 4711; }
  Architecture architecture() const override { return Architecture::X86_64; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override {
    TargetThread thread{.id = 4712};
    thread.registers.set(7, 0x11223344);
    thread.registers.set(16, 0x55667788);
    thread.registers.set(3, 77);
    return {thread};
  }
  using Target::read;
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    const Mapping* mapping = find_mapping(mappings_, address);
    if (mapping == nullptr) return 0;
    const size_t count = std::min<size_t>(to.size(), mapping->end - address);
    for (size_t i = 0; i < count; i++) to[i] = static_cast<uint8_t>((address + i) / 4096);
    return count;
  }
  Result<Contents> file_of(const Mapping&) const override { return Error{.what = "no file"}; }

 private:
  std::string name_ = "server";
  std::vector<Mapping> mappings_ = {{.begin = begin_of_memory,
                                     .end = begin_of_memory + 16 * 4096,
                                     .readable = true,
                                     .writable = true},
                                    {.begin = 0x40000,
                                     .end = 0x42000,
                                     .readable = true,
                                     .offset = 4096,
                                     .file = "/usr/bin/server"}};
};

std::string written(const CoreWriter& writer) {
  std::string all;
  const uint64_t size = writer.write([&](std::string_view bytes) {
    all += bytes;
    return true;
  });
  CHECK(size == all.size());
  return all;
}

Result<std::unique_ptr<CoreFile>> read_back(const std::string& bytes, MemoryFiles& files) {
  files.add("core", std::vector<uint8_t>(bytes.begin(), bytes.end()));
  return read_core("core", files);
}

size_t count_at(const Target& target, uint64_t address) {
  std::vector<uint8_t> bytes(100);
  return target.read(address, bytes);
}

}  // namespace

TEST_CASE("a core is written and read back") {
  const SmallTarget target;
  CoreWriter writer(target);
  writer.add(begin_of_memory + 3 * 4096 + 5, 1);         // page 3
  writer.add(begin_of_memory + 3 * 4096, 2 * 4096 + 1);  // pages 3 to 5
  writer.add(begin_of_memory, 1);
  writer.add(begin_of_memory - 4096, 100);  // not mapped
  writer.add(UINT64_MAX - 10, 100);
  writer.note = {1, 2, 3};
  MemoryFiles files;
  const auto core = read_back(written(writer), files);
  REQUIRE(core);
  CHECK((*core)->name() == "server");
  CHECK((*core)->pid() == 4711);
  CHECK((*core)->missing_bytes() == 0);
  const auto note = (*core)->saved_frames();
  CHECK(std::vector<uint8_t>(note.begin(), note.end()) == writer.note);
  const auto threads = (*core)->threads();
  REQUIRE(threads.size() == 1);
  CHECK(threads[0].id == 4712);
  CHECK(threads[0].registers.get(7) == 0x11223344);
  CHECK(threads[0].registers.get(16) == 0x55667788);
  CHECK(threads[0].registers.get(3) == 77);
  CHECK(threads[0].registers.get(0) == 0);
  for (uint64_t page = 0; page < 16; page++) {
    const bool is_there = page == 0 || (page >= 3 && page <= 5);
    std::vector<uint8_t> bytes(4096);
    const uint64_t address = begin_of_memory + page * 4096;
    CHECK((*core)->read(address, bytes) >= (is_there ? 4096 : 0));
    CHECK((count_at(**core, address) != 0) == is_there);
    if (is_there) CHECK(bytes[17] == static_cast<uint8_t>(address / 4096));
  }
  const Mapping* file = find_mapping((*core)->mappings(), 0x41000);
  REQUIRE(file != nullptr);
  CHECK(file->file == "/usr/bin/server");
  CHECK(file->offset == 4096);
}

TEST_CASE("an output that fails") {
  const SmallTarget target;
  CoreWriter writer(target);
  writer.add(begin_of_memory, 4096 * 3);
  int calls = 0;
  writer.write([&](std::string_view) { return ++calls < 2; });
  CHECK(calls == 2);
}
