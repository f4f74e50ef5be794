// Names of addresses from text that other tools print: for stacks of programs whose files are
// elsewhere, such as a kernel's or a unikernel's.
//
//   AddressMap map;
//   map.add(text, demangled);
//   std::string named = with_names(folded, map);   // "0x401136;0x401200 3" -> "main;serve 3"
//
// Known lines, with hexadecimal numbers, with or without 0x:
//   0000000000401136 T main                     nm, System.map, /proc/kallsyms
//   0000000000401136 000000000000001b T main    nm -S
//   0000000000401136 g     F .text  000000000000001b  main    objdump -t, objdump -x
//   0000000000401136 <main>:                    objdump -d
//   401136 1b main                              /tmp/perf-PID.map
//   0x401136 main
// A symbol without a size ends where the next one begins, also one of data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

class AddressMap {
 public:
  using Demangle = std::string (*)(std::string_view);

  // Returns the number of functions that the text names. Call finish() after the last one.
  size_t add(std::string_view text, Demangle demangle = nullptr);
  void finish();

  // The name of the function that contains the address; empty: unknown. O(log symbols).
  std::string_view find(uint64_t address) const;
  // The address of a function or label; 0: unknown. O(symbols).
  uint64_t address_of(std::string_view name) const;
  bool empty() const { return symbols_.empty(); }

 private:
  struct Symbol {
    uint64_t begin = 0;
    uint64_t size = 0;      // 0: to the next one
    std::string name = {};  // empty: of data
  };
  // How far the last symbol reaches, if it has no size.
  static constexpr uint64_t last_size = uint64_t{1} << 20;

  std::vector<Symbol> symbols_;
};

struct NamedAddresses {
  std::string folded = {};
  uint64_t named = 0;  // frames
  uint64_t unknown = 0;
  std::string first_unknown = {};
};
// Replaces functions of folded text that are addresses: "0x401136", or "00401136" with a digit and
// at least six characters.
NamedAddresses with_names(std::string_view folded, const AddressMap& map);

}  // namespace skein
