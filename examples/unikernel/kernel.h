// The machine below the program: console, time, interrupts, command line. x86-64, one vCPU.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace kernel {

constexpr uint64_t ticks_per_second = 100;

void print(const char* text);
void print(uint64_t number);

// Ticks since the timer started.
uint64_t now();
// Stops the vCPU until the next interrupt.
void wait_for_interrupt();

// The value of `name=` on the command line, or `fallback`.
uint64_t option(const char* name, uint64_t fallback);
// True if the command line has `name=value`.
bool is_option(const char* name, const char* value);

// Leaves a note in the arena and stops for good.
[[noreturn]] void panic(const char* reason);
[[noreturn]] void triple_fault();
[[noreturn]] void spin();

}  // namespace kernel

// The program, with interrupts enabled.
void run_program();
