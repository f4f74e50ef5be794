#include "target/core_file.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <array>
#include <cstring>

#include "target/elf.h"

using namespace skein;

namespace {

using Bytes = std::vector<uint8_t>;

void append(Bytes& to, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) to.push_back(i < 8 ? static_cast<uint8_t>(value >> 8 * i) : 0);
}

void append_text(Bytes& to, std::string_view text, size_t size) {
  for (size_t i = 0; i < size; i++)
    to.push_back(i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
}

void pad(Bytes& to, size_t unit) {
  while (to.size() % unit != 0) to.push_back(0);
}

void append_note(Bytes& to, std::string_view name, uint32_t type, const Bytes& data) {
  append(to, name.size() + 1, 4);
  append(to, data.size(), 4);
  append(to, type, 4);
  append_text(to, name, name.size() + 1);
  pad(to, 4);
  to.insert(to.end(), data.begin(), data.end());
  pad(to, 4);
}

struct Segment {
  uint32_t type;
  uint32_t flags;
  uint64_t address;
  uint64_t memory_size;
  Bytes bytes;
};

Bytes elf(uint16_t type, const std::vector<Segment>& segments) {
  Bytes file;
  append_text(file,
              std::string_view("\x7f"
                               "ELF\2\1\1",
                               7),
              16);
  append(file, type, 2);
  append(file, EM_X86_64, 2);
  append(file, 1, 4);
  append(file, 0, 8);   // entry
  append(file, 64, 8);  // segments
  append(file, 0, 8 + 4);
  append(file, 64, 2);
  append(file, 56, 2);
  append(file, segments.size(), 2);
  append(file, 0, 6);
  uint64_t offset = 64 + 56 * segments.size();
  for (const Segment& s : segments) {
    append(file, s.type, 4);
    append(file, s.flags, 4);
    append(file, offset, 8);
    append(file, s.address, 8);
    append(file, 0, 8);
    append(file, s.bytes.size(), 8);
    append(file, s.memory_size, 8);
    append(file, 4, 8);
    offset += s.bytes.size();
  }
  for (const Segment& s : segments) file.insert(file.end(), s.bytes.begin(), s.bytes.end());
  return file;
}

Bytes thread_note(uint32_t id, uint16_t signal, uint64_t first_register) {
  Bytes data;
  append(data, 0, 12);
  append(data, signal, 2);
  append(data, 0, 32 - 14);
  append(data, id, 4);
  append(data, 0, 112 - 36);
  for (uint64_t i = 0; i < 27; i++) append(data, first_register + i, 8);
  append(data, 0, 8);
  return data;
}

Bytes program_note(uint32_t pid, std::string_view name, std::string_view arguments) {
  Bytes data;
  append(data, 0, 24);
  append(data, pid, 4);
  append(data, 0, 12);
  append_text(data, name, 16);
  append_text(data, arguments, 80);
  return data;
}

Bytes files_note(uint64_t begin, uint64_t end, uint64_t page, std::string_view path) {
  Bytes data;
  append(data, 1, 8);
  append(data, 4096, 8);
  append(data, begin, 8);
  append(data, end, 8);
  append(data, page, 8);
  append_text(data, path, path.size() + 1);
  return data;
}

Bytes library(uint8_t id) {
  Bytes notes;
  append_note(notes, "GNU", NT_GNU_BUILD_ID, Bytes(4, id));
  Bytes file = elf(ET_DYN, {{PT_NOTE, PF_R, 64 + 56, notes.size(), notes}});
  file.resize(0x3000, id);
  return file;
}

// A core with two threads, a heap page, and a library whose first page only was dumped.
Bytes core() {
  Bytes notes;
  append_note(notes, "CORE", NT_PRSTATUS, thread_note(4712, 11, 1000));
  append_note(notes, "CORE", NT_PRPSINFO, program_note(4711, "server", "server --port 80 "));
  append_note(notes, "CORE", NT_FILE, files_note(0x10000, 0x13000, 0, "/lib/lib.so"));
  append_note(notes, "CORE", NT_PRSTATUS, thread_note(4711, 0, 202 - 15));
  append_note(notes, "LINUX", NT_X86_XSTATE, Bytes(100, 1));
  const Bytes first = library(0xAB);
  return elf(ET_CORE,
             {{PT_NOTE, 0, 0, 0, notes},
              {PT_LOAD, PF_R, 0x10000, 0x1000, Bytes(first.begin(), first.begin() + 0x1000)},
              {PT_LOAD, PF_R | PF_X, 0x11000, 0x1000, {}},
              {PT_LOAD, PF_R | PF_W, 0x12000, 0x1000, {}},
              {PT_LOAD, PF_R | PF_W, 0x20000, 0x2000, Bytes(0x1800, 5)}});
}

size_t read(const Target& target, uint64_t address, size_t size, uint8_t& last) {
  Bytes bytes(size);
  const size_t count = target.read(address, bytes);
  last = count == 0 ? 0 : bytes[count - 1];
  return count;
}

}  // namespace

TEST_CASE("a core: threads, program, mappings") {
  MemoryFiles files;
  files.add("core", core());
  const auto opened = read_core("core", files);
  REQUIRE(opened);
  const CoreFile& target = **opened;
  CHECK(target.pid() == 4711);
  CHECK(target.name() == "server");
  CHECK(target.command_line() == "server --port 80");
  CHECK(target.signal() == 11);
  CHECK(target.missing_bytes() == 0);
  CHECK(target.architecture() == Architecture::X86_64);

  const auto threads = target.threads();
  REQUIRE(threads.size() == 2);
  CHECK(threads[0].id == 4712);
  CHECK(threads[0].registers.get(15) == 1000);  // r15 is the first of the structure
  CHECK(threads[0].registers.get(16) == 1016);  // rip
  CHECK(threads[0].registers.get(7) == 1019);   // rsp
  CHECK(threads[0].registers.get(17) == std::nullopt);
  CHECK(threads[0].state == TargetThread::State::Unknown);
  CHECK(threads[1].id == 4711);
  CHECK(threads[1].state == TargetThread::State::Sleeping);  // orig_rax is 202
  CHECK(threads[1].wait_channel == "futex");

  REQUIRE(target.mappings().size() == 4);
  CHECK(target.mappings()[1].file == "/lib/lib.so");
  CHECK(target.mappings()[1].offset == 0x1000);
  CHECK(target.mappings()[1].executable);
  CHECK(target.mappings()[3].file.empty());
}

TEST_CASE("memory of a core, and of the files that it had mapped") {
  MemoryFiles files;
  files.add("core", core());
  uint8_t last = 0;
  SUBCASE("dumped memory") {
    const auto target = read_core("core", files);
    REQUIRE(target);
    CHECK(read(**target, 0x20000, 16, last) == 16);
    CHECK(last == 5);
    CHECK(read(**target, 0x217F8, 16, last) == 8);  // the rest was not dumped
    CHECK(read(**target, 0x21800, 16, last) == 0);
    CHECK(read(**target, 0x1FFF0, 16, last) == 0);
  }
  SUBCASE("a file with the right build id") {
    files.add("/lib/lib.so", library(0xAB));
    const auto target = read_core("core", files);
    REQUIRE(target);
    CHECK(read(**target, 0x10FF8, 16, last) == 16);  // from the core and the file
    CHECK(last == 0xAB);
    CHECK(read(**target, 0x11FF8, 16, last) == 8);  // what was writable is not in the file
  }
  SUBCASE("a file with another build id") {
    files.add("/lib/lib.so", library(0xCD));
    const auto target = read_core("core", files);
    REQUIRE(target);
    CHECK(read(**target, 0x11000, 16, last) == 0);
    const auto file = (*target)->file_of((*target)->mappings()[1]);
    REQUIRE(!file);
    CHECK(file.error().message() ==
          "/lib/lib.so: the file has build id cdcdcdcd, the process that wrote the core had "
          "abababab; install the version that was running");
  }
  SUBCASE("no file") {
    const auto target = read_core("core", files);
    REQUIRE(target);
    CHECK(read(**target, 0x10FF8, 16, last) == 8);
    CHECK(!(*target)->file_of((*target)->mappings()[1]));
  }
}

TEST_CASE("mapped files without a segment, as in gdb's cores") {
  Bytes notes;
  append_note(notes, "CORE", NT_PRSTATUS, thread_note(1, 0, 0));
  append_note(notes, "CORE", NT_FILE, files_note(0x10000, 0x13000, 0, "/lib/lib.so"));
  const Bytes first = library(0xAB);
  MemoryFiles files;
  files.add(
      "core",
      elf(ET_CORE, {{PT_NOTE, 0, 0, 0, notes},
                    {PT_LOAD, PF_R, 0x10000, 0x1000, Bytes(first.begin(), first.begin() + 0x1000)},
                    {PT_LOAD, PF_R | PF_W, 0x12000, 0x1000, Bytes(0x1000, 5)}}));
  files.add("/lib/lib.so", library(0xAB));
  const auto target = read_core("core", files);
  REQUIRE(target);
  REQUIRE((*target)->mappings().size() == 3);
  const Mapping& between = (*target)->mappings()[1];
  CHECK(between.begin == 0x11000);
  CHECK(between.end == 0x12000);
  CHECK(between.offset == 0x1000);
  CHECK(between.file == "/lib/lib.so");
  uint8_t last = 0;
  CHECK(read(**target, 0x11FF0, 32, last) == 32);
  CHECK(last == 5);
}

TEST_CASE("a core that was cut short") {
  const Bytes whole = core();
  size_t accepted = 0;
  for (size_t size = 0; size < whole.size(); size += 61) {
    MemoryFiles files;
    files.add("core", Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)));
    const auto target = read_core("core", files);
    if (!target) {
      CHECK(!target.error().what.empty());
      continue;
    }
    accepted++;
    CHECK((*target)->missing_bytes() == whole.size() - size);
    uint8_t last = 0;
    read(**target, 0x20000, 0x2000, last);
  }
  CHECK(accepted > 100);
}

TEST_CASE("other files than cores") {
  MemoryFiles files;
  files.add("text",
            std::string_view("hello, I am not an ELF file, but long enough to be one......"));
  files.add("library", library(1));
  Bytes narrow = core();
  narrow[EI_CLASS] = ELFCLASS32;
  files.add("narrow", narrow);
  CHECK(read_core("text", files).error().message() == "text: not an ELF file");
  CHECK(read_core("library", files).error().message() ==
        "library: an executable or library, not a core file");
  CHECK(read_core("narrow", files).error().message() ==
        "narrow: a 32-bit program; skein reads 64-bit programs only");
  CHECK(!read_core("missing", files));
  CHECK(is_core(core()));
  CHECK(!is_core(library(1)));
  CHECK(!is_core({}));
}

TEST_CASE("sizes that do not fit") {
  for (const size_t field : std::initializer_list<size_t>{64 + 8, 64 + 32, 64 + 40, 64 + 56 + 8,
                                                          64 + 56 + 16, 64 + 56 + 32, 32, 56}) {
    Bytes bytes = core();
    std::memset(bytes.data() + field, 0xFF, field == 56 ? 2 : 8);
    MemoryFiles files;
    files.add("core", bytes);
    const auto target = read_core("core", files);
    if (!target) continue;
    uint8_t last = 0;
    for (const Mapping& mapping : (*target)->mappings()) read(**target, mapping.begin, 64, last);
  }
}
