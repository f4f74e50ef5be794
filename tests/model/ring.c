/* The memory orders of a ring's chunk, in C11, for checkers of C programs (GenMC): the same writer,
 * reader and weakenings (-DNAME) as ring.pml, without the kill. For usage see docs/testing.md.
 *
 *   writer  record/core/emission.cc write_packet_header(), emission.h commit()
 *   reader  record/host/posix/snapshot.cc copy_packet()
 *
 * A header field or an event is one atomic word. The chunk holds two events; an event of
 * generation g is the value g. lock == 2 g, seq == g. Compiled as a program, it is a small stress
 * test: -DROUNDS=20000.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef ROUNDS
#define ROUNDS 1 /* for a checker */
#endif

static atomic_int lock, content, seq, event0, event1;

static void store(atomic_int *word, int value) {
  atomic_store_explicit(word, value, memory_order_relaxed);
}

static int load(atomic_int *word) { return atomic_load_explicit(word, memory_order_relaxed); }

static void commit(int events) {
#ifdef COMMIT_RELAXED
  store(&content, events);
#else
  atomic_store_explicit(&content, events, memory_order_release);
#endif
}

static void *writer(void *generation) {
  const int g = *(int *)generation;
#ifndef NO_ODD
  store(&lock, 2 * g - 1);
#endif
#ifndef NO_FENCE_AFTER_ODD
  atomic_thread_fence(memory_order_release);
#endif
#ifdef NUMBER_BEFORE_EMPTY
  store(&seq, g);
#endif
#ifndef NOT_EMPTIED
  store(&content, 0);
#endif
#ifndef NO_FENCE_AFTER_EMPTY
  atomic_thread_fence(memory_order_release);
#endif
#ifndef NUMBER_BEFORE_EMPTY
  store(&seq, g);
#endif
#ifdef EVEN_RELAXED
  store(&lock, 2 * g);
#else
  atomic_store_explicit(&lock, 2 * g, memory_order_release);
#endif
#ifdef SIZE_BEFORE_EVENT
  commit(1);
  store(&event0, g);
#else
  store(&event0, g);
  commit(1);
#endif
  store(&event1, g);
  commit(2);
  return NULL;
}

static void *reader(void *unused) {
  (void)unused;
#ifdef FIRST_LOCK_RELAXED
  const int before = load(&lock);
#else
  const int before = atomic_load_explicit(&lock, memory_order_acquire);
#endif
#if defined(CONTENT_RELAXED)
  const int size = load(&content);
#elif !defined(CONTENT_FROM_THE_COPY)
  const int size = atomic_load_explicit(&content, memory_order_acquire);
#endif
  const int number = load(&seq);
  const int first = load(&event0);
  const int second = load(&event1);
#ifdef CONTENT_FROM_THE_COPY
  const int size = load(&content);
#endif
#ifndef NO_FENCE_BEFORE_AGAIN
  atomic_thread_fence(memory_order_acquire);
#endif
  const int again = load(&lock);
#ifndef ODD_IS_GOOD
  if (before % 2 == 1) return NULL;
#endif
#ifndef NO_SECOND_LOOK
  if (before != again) return NULL;
#endif
  (void)again;
  assert(2 * number == before);
  assert(size < 1 || first == number);
  assert(size < 2 || second == number);
  assert(before != 2 || size == 2); /* no event of the first generation is missing */
  return NULL;
}

int main(void) {
  for (int round = 0; round < ROUNDS; round++) {
    int generation = 2;
    pthread_t writing, reading;
    store(&lock, 2);
    store(&content, 2);
    store(&seq, 1);
    store(&event0, 1);
    store(&event1, 1);
    if (pthread_create(&writing, NULL, writer, &generation) != 0) return 1;
    if (pthread_create(&reading, NULL, reader, NULL) != 0) return 1;
    pthread_join(writing, NULL);
    pthread_join(reading, NULL);
  }
  return 0;
}
