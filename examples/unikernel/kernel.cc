#include "kernel.h"

#include <skein/record.h>
#include <skein/unikernel.h>

#include <initializer_list>

// ---- what the compiler needs ----

extern "C" {

void* memset(void* to, int byte, size_t size) {
  auto* at = static_cast<volatile unsigned char*>(to);
  while (size-- != 0) *at++ = static_cast<unsigned char>(byte);
  return to;
}
void* memcpy(void* to, const void* from, size_t size) {
  auto* at = static_cast<volatile unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  while (size-- != 0) *at++ = *source++;
  return to;
}
int strncmp(const char* a, const char* b, size_t size) {
  for (; size != 0; ++a, ++b, --size) {
    const int difference = static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
    if (difference != 0 || *a == 0) return difference;
  }
  return 0;
}
int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }  // the program does not end
void __cxa_pure_virtual() { kernel::panic("pure virtual function"); }
int* __errno_location() {
  static int error;
  return &error;
}
void* __dso_handle = nullptr;

}  // extern "C"

// Freed memory is reused for objects of the same size.
namespace {

constexpr size_t kGranule = 16, kClasses = 64;
alignas(kGranule) unsigned char heap[256 << 10];
size_t heap_used;
struct Free {
  Free* next;
};
Free* free_lists[kClasses];
size_t class_of(size_t size) { return (size + kGranule - 1) / kGranule; }

}  // namespace

void* operator new(size_t size) {
  const size_t wanted = class_of(size);
  if (wanted < kClasses && free_lists[wanted] != nullptr) {
    Free* found = free_lists[wanted];
    free_lists[wanted] = found->next;
    return found;
  }
  if (wanted * kGranule > sizeof heap - heap_used) kernel::panic("out of memory");
  void* memory = heap + heap_used;
  heap_used += wanted * kGranule;
  return memory;
}
void operator delete(void*) noexcept {}
void operator delete(void* memory, size_t size) noexcept {
  const size_t freed = class_of(size);
  if (memory == nullptr || freed == 0 || freed >= kClasses) return;
  auto* entry = static_cast<Free*>(memory);
  entry->next = free_lists[freed];
  free_lists[freed] = entry;
}

namespace kernel {
namespace {

constexpr uint64_t kBase = 0xffffffff80000000;  // as in unikernel.ld

void out(uint16_t port, unsigned value) {
  asm volatile("outb %0, %1" : : "a"(static_cast<uint8_t>(value)), "Nd"(port));
}
uint8_t in(uint16_t port) {
  uint8_t value;
  asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
  return value;
}

// ---- console ----

constexpr uint16_t kSerial = 0x3f8;
void start_console() {
  out(kSerial + 1, 0);
  out(kSerial + 3, 0x80);
  out(kSerial, 1);  // 115,200 baud
  out(kSerial + 1, 0);
  out(kSerial + 3, 3);
  out(kSerial + 2, 0xc7);
}

// ---- command line ----

struct StartInfo {  // PVH's hvm_start_info
  uint32_t magic, version, flags, modules;
  uint64_t module_list, command_line;
};
const char* command_line = "";

bool starts_with(const char* text, const char* begin) {
  for (; *begin != 0; ++text, ++begin)
    if (*text != *begin) return false;
  return true;
}
// The text after `name=`, or null.
const char* value_of(const char* name) {
  for (const char* at = command_line; *at != 0; ++at) {
    if (at != command_line && at[-1] != ' ') continue;
    const char* word = at;
    const char* wanted = name;
    while (*wanted != 0 && *word == *wanted) ++word, ++wanted;
    if (*wanted == 0 && *word == '=') return word + 1;
  }
  return nullptr;
}

// ---- time ----

constexpr uint16_t kTimer = 0x40, kTimerMode = 0x43;
constexpr uint64_t kTimerRate = 1193182;
void set_timer(unsigned divisor) {
  out(kTimerMode, 0x34);  // channel 0, both bytes, periodic
  out(kTimer, divisor & 0xff);
  out(kTimer, divisor >> 8);
}
unsigned read_timer() {
  out(kTimerMode, 0);
  const unsigned low = in(kTimer);
  return low | static_cast<unsigned>(in(kTimer)) << 8;
}
// QEMU's microvm has only this channel of the timer, and its CPUID has no frequency.
uint64_t measure_counter() {
  constexpr unsigned kWhole = 0xffff;
  set_timer(kWhole);
  unsigned last = read_timer();
  uint64_t passed = 0;
  const uint64_t begin = __builtin_ia32_rdtsc();
  while (passed < kTimerRate / 20) {
    const unsigned next = read_timer();
    passed += (last - next) & kWhole;
    last = next;
  }
  return (__builtin_ia32_rdtsc() - begin) * kTimerRate / passed;
}
bool has_constant_counter() {
  uint32_t a = 0x80000007, b, c, d;
  asm volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
  return (d & 0x100) != 0;
}

// Of the clock with the battery: UTC in seconds since 1970, or 0 if the machine has none.
uint64_t read_date() {
  const auto read = [](unsigned at) -> uint64_t {
    out(0x70, at);
    const uint8_t value = in(0x71);
    return (value >> 4) * 10u + (value & 15u);
  };
  uint64_t year = 2000 + read(9), month = read(8);
  const uint64_t day = read(7);
  if (month < 1 || month > 12 || day < 1 || day > 31) return 0;
  if (month <= 2) --year, month += 12;
  const uint64_t days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month - 457) / 5 +
                        day - 306 - 719163;
  return days * 86400 + read(4) * 3600 + read(2) * 60 + read(0);
}

// ---- interrupts ----

struct Gate {
  uint16_t low, selector;
  uint8_t stack, type;
  uint16_t middle;
  uint32_t high, reserved;
};
static_assert(sizeof(Gate) == 16);
alignas(16) Gate gates[256];
struct [[gnu::packed]] Descriptor {
  uint16_t limit;
  uint64_t base;
};
void load_gates(uint16_t limit) {
  const Descriptor table = {limit, reinterpret_cast<uint64_t>(gates)};
  asm volatile("lidt %0" : : "m"(table));
}
void set_gate(unsigned vector, void (*handler)()) {
  const auto at = reinterpret_cast<uint64_t>(handler);
  gates[vector] = {static_cast<uint16_t>(at),       8, 0, 0x8e, static_cast<uint16_t>(at >> 16),
                   static_cast<uint32_t>(at >> 32), 0};
}
void start_interrupts() {
  constexpr unsigned kFirst = 32;
  for (const bool is_first : {true, false}) {
    const uint16_t port = is_first ? 0x20 : 0xa0;
    out(port, 0x11);
    out(static_cast<uint16_t>(port + 1), is_first ? kFirst : kFirst + 8);
    out(static_cast<uint16_t>(port + 1), is_first ? 4 : 2);
    out(static_cast<uint16_t>(port + 1), 1);
    out(static_cast<uint16_t>(port + 1), is_first ? 0xfe : 0xff);  // only the timer
  }
  *reinterpret_cast<volatile uint32_t*>(0xfee000f0) = 0x1ff;  // the local APIC passes them on
  *reinterpret_cast<volatile uint32_t*>(0xfee00350) = 0x700;
  asm volatile("sti");
}

volatile uint64_t ticks;
uint32_t interrupts_name;

alignas(4096) unsigned char arena_memory[1 << 20];

void start_recorder() {
  const uint64_t rate = measure_counter();
  skein_arena arena = {};
  arena.memory = arena_memory;
  arena.size = sizeof arena_memory;
  arena.physical = reinterpret_cast<uint64_t>(arena_memory) - kBase;
  arena.counts_per_second = rate;
  arena.realtime_ns = read_date() * 1'000'000'000;
  arena.name = "unikernel";
  arena.rate_may_vary = has_constant_counter() ? 0 : 1;
  if (skein_arena_start(&arena) != 0) panic("no arena");
  interrupts_name = skein_string("interrupts");
  print("arena at ");
  print(arena.physical);
  print(", ");
  print(arena.size);
  print(" bytes; counter ");
  print(rate / 1'000'000);
  print(" MHz\n");
}

}  // namespace

void print(const char* text) {
  while (*text != 0) out(kSerial, static_cast<unsigned char>(*text++));
}
void print(uint64_t number) {
  char digits[21];
  unsigned at = sizeof digits - 1;
  digits[at] = 0;
  do digits[--at] = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  print(digits + at);
}

uint64_t now() { return ticks; }
void wait_for_interrupt() { asm volatile("sti\n\thlt"); }

uint64_t option(const char* name, uint64_t fallback) {
  const char* value = value_of(name);
  if (value == nullptr || *value < '0' || *value > '9') return fallback;
  uint64_t number = 0;
  for (; *value >= '0' && *value <= '9'; ++value)
    number = number * 10 + static_cast<uint64_t>(*value - '0');
  return number;
}
bool is_option(const char* name, const char* value) {
  const char* found = value_of(name);
  return found != nullptr && starts_with(found, value);
}

void panic(const char* reason) {
  asm volatile("cli");
  skein_arena_note(reason);
  print("panic: ");
  print(reason);
  print("\n");
  for (;;) asm volatile("hlt");
}
void triple_fault() {
  load_gates(0);
  for (;;) asm volatile("ud2");
}
void spin() {
  asm volatile("cli");
  for (;;) asm volatile("pause");
}

}  // namespace kernel

using namespace kernel;

extern "C" {

void exception_0();
void exception_6();
void exception_8();
void exception_13();
void exception_14();
void timer_interrupt();
extern void (*constructors[])();
extern void (*constructors_end[])();

void on_exception(uint64_t vector, uint64_t at) {
  char note[64] = "exception ";
  size_t size = 10;
  if (vector >= 10) note[size++] = static_cast<char>('0' + vector / 10);
  note[size++] = static_cast<char>('0' + vector % 10);
  for (const char* text = " at 0x"; *text != 0; ++text) note[size++] = *text;
  for (int shift = 60; shift >= 0; shift -= 4) note[size++] = "0123456789abcdef"[at >> shift & 15];
  note[size] = 0;
  panic(note);
}

// An interrupt may come in the middle of an event of the program.
void on_timer() {
  ticks = ticks + 1;
  if (skein_enabled()) skein_counter_add(interrupts_name, 1);
  out(0x20, 0x20);
}

void kernel_main(const StartInfo* info) {
  start_console();
  if (info != nullptr && info->command_line != 0)
    command_line = reinterpret_cast<const char*>(info->command_line);
  start_recorder();
  for (void (**constructor)() = constructors; constructor != constructors_end; ++constructor)
    (*constructor)();
  set_gate(0, exception_0);
  set_gate(6, exception_6);
  set_gate(8, exception_8);
  set_gate(13, exception_13);
  set_gate(14, exception_14);
  set_gate(32, timer_interrupt);
  load_gates(sizeof gates - 1);
  set_timer(static_cast<unsigned>(kTimerRate / ticks_per_second));
  start_interrupts();
  run_program();
}

}  // extern "C"
