#include "target/core_notes.h"

#include <elf.h>

#include <algorithm>

#include "base/cursor.h"
#include "target/elf.h"
#include "target/waiting_calls.h"

namespace skein {

namespace {

// user_regs_struct of x86-64: the DWARF number of each register, in the order of the structure.
constexpr uint8_t kNone = 0xFF;
constexpr uint8_t kX86Order[] = {
    15, 14, 13, 12, 6,     3,  11,    10,    9, 8,    0,
    2,  1,  4,  5,  kNone, 16, kNone, kNone, 7, kNone};  // orig_rax, cs, eflags, ss are not general
                                                         // ones

std::string text_of(std::span<const uint8_t> bytes) {
  return {bytes.begin(), std::find(bytes.begin(), bytes.end(), 0)};
}

void read_registers(Cursor& cursor, Architecture architecture, Registers& registers) {
  if (architecture == Architecture::Aarch64) {  // user_regs_struct: x0 .. x30, sp, pc
    for (size_t i = 0; i < Registers::kCount; i++)
      if (const uint64_t value = cursor.u64(); !cursor.failed()) registers.set(i, value);
    return;
  }
  for (const uint8_t number : kX86Order)
    if (const uint64_t value = cursor.u64(); !cursor.failed() && number != kNone)
      registers.set(number, value);
}

// elf_prstatus: signal at 12, thread at 32, registers at 112, orig_rax the 16th of them.
void read_thread(std::span<const uint8_t> data, Architecture architecture, CoreNotes& to) {
  Cursor cursor(data);
  cursor.skip(12);
  const uint16_t signal = cursor.u16();
  cursor.skip(32 - 14);
  TargetThread thread{.id = cursor.u32()};
  cursor.skip(112 - 36);
  if (cursor.failed()) {
    to.cut_short = true;
    return;
  }
  if (architecture == Architecture::X86_64) {
    // The kernel's core has the number in orig_rax, as gdb's does, unless the thread was interrupted.
    Cursor call = cursor;
    call.skip(15 * sizeof(uint64_t));
    const uint64_t number = call.u64();
    if (!call.failed()) thread.wait_channel = name_of_waiting_call(number);
    if (!thread.wait_channel.empty()) {
      thread.state = TargetThread::State::Sleeping;
      thread.call = KernelCall{.number = number};
    }
  }
  read_registers(cursor, architecture, thread.registers);
  if (thread.call) thread.call->arguments = call_arguments(thread.registers);
  if (cursor.failed()) to.cut_short = true;
  if (to.threads.empty()) to.signal = signal;
  to.threads.push_back(std::move(thread));
}

// elf_prpsinfo: process at 24, name at 40, arguments at 56.
void read_program(std::span<const uint8_t> data, CoreNotes& to) {
  Cursor cursor(data);
  cursor.skip(24);
  to.pid = cursor.u32();
  cursor.skip(40 - 28);
  to.name = text_of(cursor.bytes(16));
  to.command_line = text_of(cursor.bytes(80));
  while (to.command_line.ends_with(' ')) to.command_line.pop_back();
  if (cursor.failed()) to.cut_short = true;
}

// Count, page size, {begin, end, offset in pages} each, then as many texts.
void read_files(std::span<const uint8_t> data, CoreNotes& to) {
  Cursor cursor(data);
  const uint64_t count = cursor.u64();
  const uint64_t page = cursor.u64();
  constexpr size_t entry = 24;
  if (cursor.failed() || count > cursor.remaining() / entry) {
    to.cut_short = true;
    return;
  }
  Cursor paths(data.subspan(16 + count * entry));
  for (uint64_t i = 0; i < count; i++) {
    CoreNotes::MappedFile file;
    file.begin = cursor.u64();
    file.end = cursor.u64();
    file.offset = cursor.u64() * page;
    file.path = paths.text();
    if (paths.failed()) {
      to.cut_short = true;
      return;
    }
    if (file.begin < file.end) to.files.push_back(std::move(file));
  }
}

}  // namespace

void read_core_notes(std::span<const uint8_t> notes, uint64_t alignment, Architecture architecture,
                     CoreNotes& to) {
  const bool complete = for_each_note(notes, alignment, [&](const ElfNote& note) {
    if (note.name == "skein" && note.type == 1) to.skein = note.data;
    if (note.name != "CORE") return true;
    if (note.type == NT_PRSTATUS) read_thread(note.data, architecture, to);
    if (note.type == NT_PRPSINFO) read_program(note.data, to);
    if (note.type == NT_FILE) read_files(note.data, to);
    return true;
  });
  if (!complete) to.cut_short = true;
}

}  // namespace skein
