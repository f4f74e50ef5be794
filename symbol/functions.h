// The functions of an ELF file and their names, from its table of symbols.
//
//   Result<Functions> functions = Functions::read(file.bytes(), path);
//   if (!functions) return functions.error();
//   const Functions::Function* function = functions->find(address);
//
// Addresses are those in the file, as linked: an address of a process minus the distance by which
// the file was moved. Nothing in the file is trusted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace skein {

class Functions {
 public:
  struct Function {
    uint64_t begin = 0;
    uint64_t end = 0;            // of the last byte, plus 1; begin: unknown
    std::string_view name = {};  // as the linker knows it: mangled
  };

  // `elf` must stay valid as long as the result: the names refer to it. Reads .symtab, or .dynsym
  // if the file has no other. Fails if the file is no ELF file. O(symbols * log symbols): 0.3 s for
  // a million.
  static Result<Functions> read(std::span<const uint8_t> elf, const std::string& path);

  // By `begin`.
  std::span<const Function> all() const { return functions_; }
  // The function that contains the address, or null. O(1) unless functions are distributed
  // unevenly, else O(log functions).
  const Function* find(uint64_t address) const;
  // False: only the functions that other files may call have names. The file was stripped.
  bool is_complete() const { return is_complete_; }

 private:
  void divide();

  std::vector<Function> functions_;
  // Of equal parts of the addresses, about as many as functions: the number of the first function
  // that begins there or behind. Twice as fast as a binary search among 4,000, four times among a
  // million, as branches are predicted; the layout of Eytzinger still has a miss for each level.
  std::vector<uint32_t> parts_;
  unsigned part_bits_ = 0;
  bool is_complete_ = false;
};

// The name of a C++ or Rust function in the source's notation, or the name itself:
// "_ZN6Server4tickEi" -> "Server::tick(int)". Rust: rust_name.h.
std::string demangled(std::string_view name);

}  // namespace skein
