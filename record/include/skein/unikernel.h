/* Recording in a unikernel: the trace is in an arena of its memory, which `skein grab` reads from
 * outside. C and C++; docs/arena.md.
 *
 *   alignas(4096) static unsigned char memory[1 << 20];
 *   skein_arena arena = {memory, sizeof memory, physical_address(memory), ...};
 *   skein_arena_start(&arena);
 *
 * Threads: one vCPU, and its interrupt handlers. An event in an interrupt handler that interrupted
 * another event goes to a separate stream. */
#ifndef SKEIN_UNIKERNEL_H
#define SKEIN_UNIKERNEL_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skein_arena {
  void* memory;               /* zeroed; aligned to 4096 bytes; never freed */
  size_t size;                /* a multiple of 4096; at least 64 KiB */
  uint64_t physical;          /* address of the memory, for readers outside; it is contiguous */
  uint64_t counts_per_second; /* of the time stamp counter (arm64: CNTFRQ_EL0) */
  uint64_t realtime_ns;       /* now, since 1970; 0: unknown */
  const char* name;           /* of the program; at most 63 bytes */
  uint32_t tasks;             /* rows of the live task table; 0: as fit an eighth of the memory */
  int rate_may_vary; /* the processor does not promise that the counter's rate is constant */
} skein_arena;

/* Starts recording. Returns 0, or an error: 22 (EINVAL) if the arena is misaligned or too small,
 * 114 (EALREADY) if one was started. */
int skein_arena_start(const skein_arena* arena);

/* Leaves a text of at most 127 bytes in the arena, for a guest that is about to stop: `skein grab`
 * prints it. May be called in any state of the program, by an exception handler. */
void skein_arena_note(const char* text);

#ifdef __cplusplus
}
#endif
#endif
