// Lookups of functions and lines in an ELF file, compared with libdwfl, which perf and eu-addr2line
// use.
//
//   bench_symbols FILE [rounds]
//
// First the one-time costs, tab-separated: what, CPU ms of the first run. Then, as in rounds.h,
// lookups at 1,000 addresses of functions: ours, and those of libdwfl in the same rounds; and ours
// of all functions. The floor is a read that misses the cache, at an address that the one before
// returned.
#include <elfutils/libdwfl.h>
#include <fcntl.h>

#include <cstdio>
#include <cstdlib>

#include "base/disk_files.h"
#include "bench/rounds.h"
#include "symbol/functions.h"
#include "symbol/lines.h"

namespace {

using namespace skein;
using skein::bench::keep;

template <typename Run>
void once(const char* what, const Run& run) {
  const double begin = bench::cpu_ns();
  run();
  printf("%s\t%.2f\n", what, (bench::cpu_ns() - begin) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_symbols FILE [rounds]\n", stderr);
    return 2;
  }
  const std::string path = argv[1];
  const size_t rounds = argc > 2 ? static_cast<size_t>(atoi(argv[2])) : 31;
  DiskFiles files;
  auto contents = files.open(path);
  if (!contents) return fprintf(stderr, "%s\n", contents.error().message().c_str()), 2;

  Result<Functions> functions = Error{};
  Result<Lines> lines = Error{};
  once("ours: Functions::read", [&] { functions = Functions::read(contents->bytes(), path); });
  once("ours: Lines::read", [&] { lines = Lines::read(contents->bytes(), path, {}, files); });
  if (!functions || functions->all().empty()) return fputs("no functions\n", stderr), 2;

  static char folders[] = "";
  static char* debug_folders = folders;
  const Dwfl_Callbacks callbacks{.find_elf = dwfl_build_id_find_elf,
                                 .find_debuginfo = dwfl_standard_find_debuginfo,
                                 .section_address = dwfl_offline_section_address,
                                 .debuginfo_path = &debug_folders};
  Dwfl* dwfl = dwfl_begin(&callbacks);
  Dwfl_Module* module = dwfl_report_elf(dwfl, "", path.c_str(), -1, 0, true);
  dwfl_report_end(dwfl, nullptr, nullptr);
  if (module == nullptr) return fprintf(stderr, "%s\n", dwfl_errmsg(-1)), 2;
  once("libdwfl: table of symbols", [&] { keep(dwfl_module_getsymtab(module)); });
  Dwarf_Addr bias = 0;
  once("libdwfl: DWARF", [&] { keep(dwfl_module_getdwarf(module, &bias)); });

  std::vector<uint64_t> addresses;
  constexpr size_t count = 1000;
  constexpr size_t few = 20;        // libdwfl searches the whole table
  std::vector<uint64_t> with_code;  // not those of the linker
  for (const auto& function : functions->all())
    if (function.begin != function.end) with_code.push_back(function.begin);
  if (with_code.empty()) return fputs("no functions\n", stderr), 2;
  for (size_t i = 0; i < count; i++) addresses.push_back(with_code[i * 7919 % with_code.size()]);
  if (lines) {
    size_t found = 0;
    once("ours: 1,000 lines, the first time", [&] {
      for (const uint64_t address : addresses) found += lines->at(address).has_value();
    });
    size_t theirs = 0;
    once("libdwfl: 1,000 lines, the first time", [&] {
      for (const uint64_t address : addresses)
        theirs += dwfl_module_getsrc(module, address) != nullptr;
    });
    printf("lines found by both\t%zu\t%zu\n", found, theirs);
  }
  bench::Rounds compared(rounds);
  constexpr size_t cells = size_t{8} << 20;  // 64 MB
  std::vector<uint64_t> next(cells);
  for (size_t i = 0; i < cells; i++) next[i] = (i * 5 + 12'345) * 2'654'435'761 % cells;
  uint64_t cell = 0;
  compared.add("floor: one read that misses the cache", count, [&](size_t n) {
    for (size_t i = 0; i < n; i++) cell = next[cell];
    keep(cell);
  });
  constexpr size_t many = 20'000;  // in random order
  std::vector<uint64_t> any(size_t{1} << 20);
  for (size_t i = 0, at = 0; i < any.size(); i++, at = (at * 5 + 12'345) * 2'654'435'761 % cells)
    any[i] = with_code[at % with_code.size()];
  size_t at = 0;
  compared.add("ours: Functions::find, of all", many, [&](size_t n) {
    for (size_t i = 0; i < n; i++) keep(functions->find(any[at = (at + 1) % any.size()]));
  });
  compared.add("libdwfl: dwfl_module_addrinfo", few, [&](size_t n) {
    for (size_t i = 0; i < n; i++) {
      GElf_Off offset = 0;
      GElf_Sym symbol;
      keep(dwfl_module_addrinfo(module, addresses[i % count], &offset, &symbol, nullptr, nullptr,
                                nullptr));
    }
  });
  compared.add("ours: Functions::find, of 1,000", many, [&](size_t n) {
    for (size_t i = 0; i < n; i++) keep(functions->find(addresses[i % count]));
  });
  if (lines) {
    compared.add("libdwfl: dwfl_module_getsrc", count, [&](size_t n) {
      for (size_t i = 0; i < n; i++) keep(dwfl_module_getsrc(module, addresses[i % count]));
    });
    compared.add("ours: Lines::at, the second time", count, [&](size_t n) {
      for (size_t i = 0; i < n; i++) {
        const auto& place = lines->at(addresses[i % count]);
        keep(place ? place->line : 0);
      }
    });
  }
  compared.run();
  dwfl_end(dwfl);
}
