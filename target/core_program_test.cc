#include "target/core_program.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <map>

using namespace skein;

namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t bias = 0x555500000000;
constexpr uint64_t library_bias = 0x7f0000000000;
constexpr uint64_t dynamic_at = 0x3000;  // of both files, as linked
constexpr uint64_t stack = 0x7ffe00000000;

using Bytes = std::vector<uint8_t>;

template <typename Value>
void put(Bytes& to, size_t at, const Value& value) {
  std::memcpy(to.data() + at, &value, sizeof value);
}

void put_text(Bytes& to, size_t at, const char* text) {
  std::memcpy(to.data() + at, text, std::strlen(text) + 1);
}

// Ten entries of a dynamic section: a string table at 0x500, DT_DEBUG, and numbers.
std::vector<Elf64_Dyn> dynamic(uint64_t moved_by, uint64_t debug, uint64_t number) {
  std::vector<Elf64_Dyn> all = {{DT_STRTAB, {0x500 + moved_by}}, {DT_DEBUG, {debug}}};
  for (uint64_t i = 0; i < 7; i++) all.push_back({DT_RELASZ, {number + i}});
  all.push_back({DT_NULL, {0}});
  return all;
}

// Headers and code in the first page, data and the dynamic section in the fourth.
Bytes file(uint8_t id, uint64_t number) {
  Bytes bytes(4 * page);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 4;
  put(bytes, 0, header);
  const auto segment = [](uint32_t type, uint32_t flags, uint64_t at, uint64_t size) {
    Elf64_Phdr one = {};
    one.p_type = type;
    one.p_flags = flags;
    one.p_offset = one.p_vaddr = at;
    one.p_filesz = one.p_memsz = size;
    one.p_align = 4;
    return one;
  };
  const Elf64_Phdr all[] = {segment(PT_LOAD, PF_R | PF_X, 0, 0x1000),
                            segment(PT_LOAD, PF_R | PF_W, dynamic_at, 0x800),
                            segment(PT_DYNAMIC, PF_R | PF_W, dynamic_at, 160),
                            segment(PT_NOTE, PF_R, 0x400, 20)};
  for (size_t i = 0; i < std::size(all); i++) put(bytes, sizeof header + i * sizeof all[0], all[i]);
  const uint32_t note[] = {4, 4, NT_GNU_BUILD_ID};
  put(bytes, 0x400, note);
  put_text(bytes, 0x40c, "GNU");
  bytes[0x410] = id;
  const auto entries = dynamic(0, 0, number);
  std::memcpy(bytes.data() + dynamic_at, entries.data(), entries.size() * sizeof entries[0]);
  return bytes;
}

// The memory of a program and a library, without their code.
struct Memory {
  std::map<uint64_t, Bytes> parts = {};

  explicit Memory(bool has_headers) {
    if (has_headers) {
      const Bytes program = file(0xAB, 100);
      parts[bias] = Bytes(program.begin(), program.begin() + page);
    }
    Bytes data(page);
    const auto entries = dynamic(bias, bias + dynamic_at + 0x400, 100);
    std::memcpy(data.data(), entries.data(), entries.size() * sizeof entries[0]);
    // r_debug, then two entries of the linker's list: the program and the library.
    put(data, 0x408, uint64_t{bias + dynamic_at + 0x500});
    const uint64_t program[] = {bias, bias + dynamic_at + 0x7f8, bias + dynamic_at,
                                bias + dynamic_at + 0x540};
    put(data, 0x500, program);
    const uint64_t library[] = {library_bias, bias + dynamic_at + 0x600, library_bias + dynamic_at,
                                0};
    put(data, 0x540, library);
    put_text(data, 0x600, "/lib/library.so");
    parts[bias + dynamic_at] = data;
    parts[0x7f1000000000] = Bytes(page, 1);
  }

  void add_stack(const char* executed) {
    Bytes bytes(page);
    put(bytes, 0x100, uint64_t{stack + 0x800});  // the environment
    const uint64_t list[] = {AT_PAGESZ, page, AT_PHDR, bias + sizeof(Elf64_Ehdr), AT_PHENT, 56,
                             AT_PHNUM,  4,    AT_EXECFN, stack + 0x900, AT_NULL, 0};
    put(bytes, 0x110, list);
    put_text(bytes, 0x800, "PWD=/home");
    put_text(bytes, 0x900, executed);
    parts[stack] = bytes;
  }

  CoreProgram find(Files& files, const CoreProgramSearch& search) const {
    std::vector<CorePart> all;
    for (const auto& [begin, bytes] : parts) all.push_back({begin, bytes});
    return find_core_program(all, files, search);
  }
};

MemoryFiles disk() {
  MemoryFiles files;
  files.add("/home/program", file(0xAB, 100));
  files.add("/home/other", file(0xCD, 300));
  files.add("/lib/library.so", file(0xEF, 200));
  return files;
}

void check_found(const CoreProgram& found) {
  CHECK(found.path == "/home/program");
  CHECK(found.begin == bias);
  REQUIRE(found.files.size() == 4);
  CHECK(found.files[0].begin == bias);
  CHECK(found.files[0].end == bias + page);
  CHECK(found.files[1].begin == bias + dynamic_at);
  CHECK(found.files[1].offset == dynamic_at);
  CHECK(found.files[1].path == "/home/program");
  CHECK(found.files[2].begin == library_bias);
  CHECK(found.files[3].path == "/lib/library.so");
}

}  // namespace

TEST_CASE("the program that the user names, and its libraries") {
  MemoryFiles files = disk();
  for (const bool has_headers : {true, false}) {
    CAPTURE(has_headers);
    check_found(Memory(has_headers).find(files, {.program = "/home/program"}));
  }
}

TEST_CASE("the program that was executed") {
  MemoryFiles files = disk();
  for (const char* const executed : {"/home/program", "program", "./program"}) {
    CAPTURE(executed);
    Memory memory(true);
    memory.add_stack(executed);
    const CoreProgram found = memory.find(files, {});
    CHECK(found.executed == executed);
    CHECK(found.build_id == "ab000000");
    check_found(found);
  }
}

TEST_CASE("another program is refused") {
  MemoryFiles files = disk();
  const CoreProgram found = Memory(false).find(files, {.program = "/home/other"});
  CHECK(found.files.empty());
  CHECK(found.problem == "/home/other: the core has nothing of this program");
  Memory memory(true);
  memory.add_stack("program");
  CHECK(memory.find(files, {.program = "/home/other"}).problem ==
        "/home/other: the file has build id cd000000, the process that wrote the core had ab000000");
  CHECK(memory.find(files, {.program = "/home/missing"}).problem ==
        "/home/missing: not a program that can be read");
}

TEST_CASE("nothing to find") {
  MemoryFiles files = disk();
  CHECK(Memory(true).find(files, {}).files.empty());
  CHECK(find_core_program({}, files, {.program = "/home/program"}).files.empty());
  Memory memory(false);
  for (auto& [begin, bytes] : memory.parts) bytes.resize(64);
  CHECK(memory.find(files, {.program = "/home/program"}).files.empty());
}

TEST_CASE("lists without an end") {
  MemoryFiles files = disk();
  Memory memory(false);
  Bytes& data = memory.parts[bias + dynamic_at];
  put(data, 0x540 + 24, uint64_t{bias + dynamic_at + 0x500});  // the first follows the last
  check_found(memory.find(files, {.program = "/home/program"}));
}
