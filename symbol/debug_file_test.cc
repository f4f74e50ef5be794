#include "symbol/debug_file.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdlib>

#include "base/file.h"
#include "symbol/functions.h"
#include "symbol/tiny_elf.h"
#include "symbol/xz.h"

#ifdef SKEIN_HAS_LZMA
#include <lzma.h>
#endif

namespace skein {

namespace {

constexpr const char* id = "0123456789abcdef";
constexpr const char* other_id = "fedcba9876543210";
constexpr const char* in_packages = "/usr/lib/debug/.build-id/01/23456789abcdef.debug";

std::vector<uint8_t> stripped(const char* build_id = id) {
  TinyElf elf;
  if (build_id != nullptr) elf.add_build_id(build_id);
  elf.add_symbols({"exported"}, SHT_DYNSYM);
  return elf.bytes();
}

std::vector<uint8_t> with_symbols(const char* build_id = id) {
  TinyElf elf;
  if (build_id != nullptr) elf.add_build_id(build_id);
  elf.add_symbols({"main", "run"});
  elf.add(".debug_info", "x");
  return elf.bytes();
}

std::vector<uint8_t> linked(const char* build_id, std::string_view name,
                            const std::vector<uint8_t>& to) {
  TinyElf elf;
  if (build_id != nullptr) elf.add_build_id(build_id);
  elf.add_debug_link(name, static_cast<uint32_t>(crc32_z(0, to.data(), to.size())));
  return elf.bytes();
}

DebugFileSearch search(const std::vector<uint8_t>& elf, MemoryFiles& files,
                       const DebugFilePlaces& places = {},
                       const std::string& path = "/opt/server/bin/server",
                       DebugPart part = DebugPart::Symbols) {
  return find_debug_file(elf, path, part, places, files);
}

std::string found_path(const DebugFileSearch& result) {
  return result.found ? result.found->path : "none";
}

}  // namespace

TEST_CASE("a debug file is found by build id, in the roots in their order") {
  MemoryFiles files;
  DebugFilePlaces places{.roots = {"/proc/7/root", ""}};
  CHECK(found_path(search(stripped(), files, places)) == "none");
  files.add(in_packages, with_symbols());
  DebugFileSearch found = search(stripped(), files, places);
  CHECK(found_path(found) == in_packages);
  CHECK(found.build_id == id);
  const auto functions = Functions::read(found.found->contents.bytes(), found.found->path);
  REQUIRE(functions);
  CHECK(functions->is_complete());
  CHECK(functions->find(0x1001)->name == "run");
  files.add(std::string("/proc/7/root") + in_packages, with_symbols());
  CHECK(found_path(search(stripped(), files, places)) == std::string("/proc/7/root") + in_packages);
  found = search(stripped(), files, places, "/opt/server", DebugPart::Information);
  CHECK(found.found);
}

TEST_CASE("a debug file is found by its link") {
  const std::vector<uint8_t> debug = with_symbols();
  const std::vector<uint8_t> program = linked(id, "server.debug", debug);
  for (const char* path : {"/opt/server/bin/server.debug", "/opt/server/bin/.debug/server.debug",
                           "/usr/lib/debug/opt/server/bin/server.debug"}) {
    MemoryFiles files;
    files.add(path, debug);
    CHECK(found_path(search(program, files)) == path);
  }
  // A link to the program itself, or out of the folder, is none.
  for (const char* name : {"server", "../../../etc/passwd", "/etc/passwd", ""}) {
    MemoryFiles files;
    files.add("/opt/server/bin/server", debug);
    files.add("/etc/passwd", debug);
    CHECK(found_path(search(linked(id, name, debug), files)) == "none");
  }
}

TEST_CASE("without build ids, the checksum of the link decides") {
  const std::vector<uint8_t> debug = with_symbols(nullptr);
  MemoryFiles files;
  files.add("/opt/server/bin/server.debug", debug);
  CHECK(search(linked(nullptr, "server.debug", debug), files).found);
  CHECK(search(linked(id, "server.debug", debug), files).found);
  const auto wrong = search(linked(nullptr, "server.debug", with_symbols()), files);
  CHECK(!wrong.found);
  REQUIRE(wrong.rejected.size() == 1);
  CHECK(wrong.rejected[0] ==
        "/opt/server/bin/server.debug: of another build (its checksum differs)");
  // By build id alone, a file without one does not belong to it.
  files.add(in_packages, debug);
  CHECK(!search(stripped(), files).found);
}

TEST_CASE("a debug file of another build is reported and not used") {
  MemoryFiles files;
  files.add(in_packages, with_symbols(other_id));
  const std::vector<uint8_t> right = with_symbols();
  const std::vector<uint8_t> program = linked(id, "server.debug", right);
  DebugFileSearch result = search(program, files);
  CHECK(!result.found);
  REQUIRE(result.rejected.size() == 1);
  CHECK(result.rejected[0].find(other_id) != std::string::npos);
  const std::string text = result.what_is_missing("/opt/server/bin/server", DebugPart::Symbols);
  for (const char* part : {"has no symbols", id, in_packages, "of another build", "-dbgsym",
                           "debuginfod-find debuginfo 0123456789abcdef", "without -s"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  files.add("/opt/server/bin/server.debug", right);
  CHECK(found_path(search(program, files)) == "/opt/server/bin/server.debug");
}

TEST_CASE("debuginfod's cache, which has empty files for what its servers lack") {
  MemoryFiles files;
  DebugFilePlaces places{.debuginfod_caches = {"/c"}};
  const std::string path = std::string("/c/") + id + "/debuginfo";
  files.add(path, std::string_view(""));
  CHECK(search(stripped(), files, places).rejected.empty());
  files.add(path, std::string_view("no ELF file"));
  CHECK(search(stripped(), files, places).rejected.size() == 1);
  files.add(path, with_symbols());
  CHECK(found_path(search(stripped(), files, places)) == path);
}

TEST_CASE("the environment names debuginfod's cache") {
  const auto set = [](const char* name, const char* value) {
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  };
  std::vector<std::pair<const char*, std::optional<std::string>>> before;
  for (const char* name : {"DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "HOME"}) {
    const char* value = std::getenv(name);
    before.emplace_back(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
    set(name, nullptr);
  }
  using Texts = std::vector<std::string>;
  CHECK(DebugFilePlaces::of_this_user().debuginfod_caches.empty());
  set("HOME", "/h");
  CHECK(DebugFilePlaces::of_this_user().debuginfod_caches ==
        Texts{"/h/.debuginfod_client_cache", "/h/.cache/debuginfod_client"});
  set("XDG_CACHE_HOME", "/x");
  CHECK(DebugFilePlaces::of_this_user("/r").debuginfod_caches ==
        Texts{"/h/.debuginfod_client_cache", "/x/debuginfod_client"});
  set("DEBUGINFOD_CACHE_PATH", "/d");
  CHECK(DebugFilePlaces::of_this_user().debuginfod_caches == Texts{"/d"});
  CHECK(DebugFilePlaces::of_this_user("/r").roots == Texts{"/r", ""});
  for (const auto& [name, value] : before) set(name, value ? value->c_str() : nullptr);
}

#ifdef SKEIN_HAS_LZMA
namespace {

std::string packed(const std::vector<uint8_t>& bytes) {
  std::vector<uint8_t> out(bytes.size() + 4096);
  size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, nullptr, bytes.data(), bytes.size(),
                                  out.data(), &size, out.size()) == LZMA_OK);
  return {out.begin(), out.begin() + static_cast<ptrdiff_t>(size)};
}

}  // namespace

TEST_CASE("symbols inside the program: .gnu_debugdata") {
  TinyElf elf;
  elf.add_build_id(id);
  elf.add(".gnu_debugdata", packed(with_symbols(nullptr)));
  MemoryFiles files;
  DebugFileSearch result = search(elf.bytes(), files);
  CHECK(found_path(result) == "/opt/server/bin/server (.gnu_debugdata)");
  // Whole debug files are better, and have lines, too.
  files.add(in_packages, with_symbols());
  CHECK(found_path(search(elf.bytes(), files)) == in_packages);
  result = search(elf.bytes(), files, {.roots = {}}, "/server", DebugPart::Information);
  CHECK(!result.found);
}

TEST_CASE("damaged and huge xz data") {
  const std::vector<uint8_t> text(100'000, 'x');
  const std::string good = packed(text);
  const auto unpack = [](std::string_view data) {
    return unpack_xz({reinterpret_cast<const uint8_t*>(data.data()), data.size()}, "x");
  };
  REQUIRE(unpack(good));
  CHECK(*unpack(good) == text);
  for (size_t i = 0; i < good.size(); i++) CHECK(!unpack(std::string_view(good).substr(0, i)));
  for (size_t i = 0; i < good.size(); i++) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    if (const auto result = unpack(bad)) CHECK(*result == text);
  }
  const auto bomb = unpack(packed(std::vector<uint8_t>(size_t{257} << 20)));
  REQUIRE(!bomb);
  CHECK(bomb.error().what == "unpacks to more than 256 MiB");
}
#endif

TEST_CASE("other files than ELF files have no debug file") {
  MemoryFiles files;
  const std::vector<uint8_t> elf = stripped();
  for (size_t i = 0; i < elf.size(); i++) {
    const std::vector<uint8_t> cut(elf.begin(), elf.begin() + static_cast<ptrdiff_t>(i));
    CHECK(!search(cut, files).found);
    CHECK(!find_common_debug_file(cut, "/x", {}, files).found);
  }
}

}  // namespace skein
