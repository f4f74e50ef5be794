// Compares the unwind tables of files with libdw's rules, at every address where one of them
// changes.
//
//   tables FILE...
//
// Registers have made up values, and memory has what its address makes up. Rules with expressions
// are compared as far as libdw's rule has no operations but an offset from the CFA.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/disk_files.h"
#include "symbol/call_frame_info.h"
#include "symbol/elf_sections.h"
#include "symbol/unwind_table.h"

using namespace skein;

namespace {

std::optional<uint64_t> word_at(uint64_t address) { return address * 0x9E3779B97F4A7C15 + 1; }

struct Totals {
  size_t addresses = 0;
  size_t compared = 0;
  size_t expressions = 0;
  size_t different = 0;
};

// False: the rule has an expression.
bool is_equal(Dwarf_Frame* frame, const UnwindRegisters& callee, const UnwindTable::Caller& ours,
              bool& has_expression) {
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  has_expression = true;
  if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1) return true;
  const bool is_based = ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg16;
  if (!is_based && ops[0].atom != DW_OP_bregx) return true;
  const uint64_t cfa = is_based ? *callee.get(ops[0].atom - DW_OP_breg0) + ops[0].number
                                : *callee.get(ops[0].number) + ops[0].number2;
  UnwindRegisters theirs;
  bool is_none = false;
  for (size_t number = 0; number < unwind_registers; number++) {
    Dwarf_Op space[3];
    if (dwarf_frame_register(frame, static_cast<int>(number), space, &ops, &count) != 0)
      return false;
    if (count == 0) {
      // To libdw, registers that a function does not mention are the same. Those that it need not
      // keep are not.
      const bool is_kept =
          std::find(kept_registers.begin(), kept_registers.end(), number) != kept_registers.end();
      if (is_kept) theirs.set(number, *callee.get(number));
      if (ops != nullptr && number == return_address_register) is_none = true;
      continue;
    }
    if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg16) {
      theirs.set(number, *callee.get(ops[0].atom - DW_OP_reg0));
      continue;
    }
    uint64_t offset = 0;
    size_t at = 0;
    if (ops[at++].atom != DW_OP_call_frame_cfa) return true;
    if (at < count && ops[at].atom == DW_OP_plus_uconst) offset = ops[at++].number;
    const bool is_value = at < count && ops[at].atom == DW_OP_stack_value;
    if (at + is_value != count) return true;
    theirs.set(number, is_value ? cfa + offset : *word_at(cfa + offset));
  }
  has_expression = false;
  if (is_none || ours.is_none) return is_none == ours.is_none;
  for (size_t number = 0; number < unwind_registers; number++)
    if (theirs.get(number) != ours.registers.get(number)) {
      printf("  register %zu: %" PRIx64 ", libdw %" PRIx64 "\n", number,
             ours.registers.get(number).value_or(0), theirs.get(number).value_or(0));
      return false;
    }
  return true;
}

void compare(const UnwindTable& table, Dwarf_CFI* cfi, uint64_t address, Totals& totals) {
  UnwindRegisters callee;
  for (size_t number = 0; number < unwind_registers; number++)
    callee.set(number, number * 0x100000 + 0x10000);
  totals.addresses++;
  const auto ours = table.caller(callee, address, word_at);
  Dwarf_Frame* frame = nullptr;
  const bool is_found = dwarf_cfi_addrframe(cfi, address, &frame) == 0;
  bool has_expression = false;
  bool is_same = is_found == ours.has_value();
  if (is_found && ours) is_same = is_equal(frame, callee, *ours, has_expression);
  if (has_expression)
    totals.expressions++;
  else
    totals.compared++;
  if (is_found) free(frame);
  if (is_same) return;
  if (totals.different++ < 5) printf("  differs at %" PRIx64 "\n", address);
}

bool compare_file(const char* path) {
  DiskFiles files;
  const auto contents = files.open(path);
  if (!contents) return fprintf(stderr, "%s\n", contents.error().message().c_str()), false;
  const auto table = UnwindTable::read(contents->bytes(), path);
  if (!table) return fprintf(stderr, "%s\n", table.error().message().c_str()), false;
  const ElfHandle elf = open_elf(contents->bytes());
  Dwarf_CFI* cfi = dwarf_getcfi_elf(elf.get());
  const LoadedSection section = loaded_section(elf.get(), ".eh_frame");
  if (cfi == nullptr || section.data == nullptr)
    return fprintf(stderr, "%s: no .eh_frame\n", path), false;
  const CallFrameInfo info = CallFrameInfo::read(
      {.bytes = {static_cast<const uint8_t*>(section.data->d_buf), section.data->d_size},
       .address = section.address});
  Totals totals;
  for (const CallFrameInfo::Function& function : info.functions())
    info.for_each_row(function, [&](uint64_t begin, uint64_t end, const CallFrameRow&) {
      compare(*table, cfi, begin, totals);
      if (end - 1 != begin) compare(*table, cfi, end - 1, totals);
    });
  printf("%s: %zu addresses: %zu compared, %zu with expressions, %zu different\n", path,
         totals.addresses, totals.compared, totals.expressions, totals.different);
  dwarf_cfi_end(cfi);
  return totals.different == 0 && totals.compared != 0;
}

}  // namespace

int main(int count, char** arguments) {
  bool is_equal = count > 1;
  for (int i = 1; i < count; i++) is_equal &= compare_file(arguments[i]);
  return is_equal ? 0 : 1;
}
