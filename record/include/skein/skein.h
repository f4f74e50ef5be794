/* The recorder's C interface: events of asynchronous tasks into a crash-proof trace.
 *
 *   skein_task request = {0};
 *   if (skein_enabled()) skein_create(&request, SKEIN_KIND_handler, "request", &where);
 *   ...
 *   if (skein_enabled()) {
 *     uint64_t back = skein_resume(&request);
 *     run();
 *     skein_resolve(&request, back);
 *   }
 *
 * Recording is started by the environment (SKEIN_TRACE=dir[,size=1M][,mode=ring|log]), by
 * skein_start(), or by the control socket. Unless it is said otherwise below, a function may be
 * called from any thread, from signal handlers, and while the recorder is off (it does nothing
 * then, and returns 0); none fails, allocates from the program's heap or sets errno: what cannot be
 * recorded is dropped and counted. Cost: about one time stamp read each (docs/performance.md); a
 * thread's first event 1 to 50 us, one that finds its chunk full about 5 to 50 us. Numbers of tasks
 * and resources are skein_task::id; those of texts (`label`, `counter`, `name` and `reason` as
 * uint32_t) are from skein_string. C++ programs rather include skein/record.h, or change nothing
 * and use the skein_coroutine and skein_asio targets.
 *
 * Terms (task, resource, place ...): docs/glossary.md. Meaning of each event: docs/format.md.
 */
#ifndef SKEIN_SKEIN_H
#define SKEIN_SKEIN_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Exported by libskein.so; in a static link, found by whoever comes first. */
#pragma GCC visibility push(default)

/* A relaxed atomic load. Written so, clang spends an instruction more on it than on this one, which
 * the thread sanitizer, however, takes for a race. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKEIN_LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SKEIN_LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#elif !defined(SKEIN_LOAD)
#define SKEIN_LOAD(x) (*(volatile unsigned char*)&(x))
#endif

/* First byte: 1 while recording. The page is wiped on fork: a child records only if it starts a
 * trace of its own. */
extern unsigned char skein_page[4096];

/* True while recording. One load and one branch: guard calls with it, so that a program that is
 * not being traced pays nothing else. */
static inline int skein_enabled(void) {
#if defined(SKEIN_DISABLE)
  return 0;
#else
  return (int)__builtin_expect(SKEIN_LOAD(*skein_page), 0);
#endif
}

/* A task or resource as the program holds it. Zero-initialise; the owner keeps it from create to
 * its end (resolve, fail, cancel) and gives it to one call at a time. One that was created while
 * the recorder was off joins the trace at its first event. A copy is a second name for the same
 * task, not a second task. */
typedef struct skein_task {
  uint64_t id;         /* 0: not in a trace yet; never reused within a process */
  uint32_t row;        /* in the task table */
  uint32_t generation; /* which trace */
} skein_task;

/* A place in the source. The strings must live as long as the module they are in; they are copied
 * when first seen. Laid out like the object behind C++'s std::source_location. */
typedef struct skein_source {
  const char* file;
  const char* function;
  uint32_t line;
  uint32_t column;
} skein_source;

/* Kinds of tasks and resources; the numbers are those of skein/format.h (SKEIN_FORMAT_KINDS). */
enum {
  SKEIN_KIND_unknown = 0, SKEIN_KIND_coroutine = 1, SKEIN_KIND_generator = 2,
  SKEIN_KIND_promise = 3, SKEIN_KIND_handler = 4, SKEIN_KIND_timer = 5, SKEIN_KIND_io = 6,
  SKEIN_KIND_fiber = 7, SKEIN_KIND_sender = 8, SKEIN_KIND_scope = 9, SKEIN_KIND_thread = 10,
  SKEIN_KIND_work = 11, SKEIN_KIND_callback = 12, SKEIN_KIND_process = 13, SKEIN_KIND_task = 14,
  SKEIN_KIND_mutex = 32, SKEIN_KIND_semaphore = 33, SKEIN_KIND_condition = 34,
  SKEIN_KIND_channel = 35, SKEIN_KIND_queue = 36
};

/* ---- tasks ----
 * `name` is a string that stays as long as the module it is in (a literal) or NULL; it is known by
 * its address. `where` may be NULL; it and what it points to are likewise.
 * `kind` is one of SKEIN_KIND_*. A task that is given is never NULL, unless it is said.
 * `previous` is what was current before the task was resumed, as skein_resume returned it: it is
 * current again after the call. */

/* A task exists, child of the current task; it does not run yet. */
void skein_create(skein_task* task, uint32_t kind, const char* name, const skein_source* where);
/* ... child of the task with the id `parent` (0: of the root). */
void skein_create_child(skein_task* task, uint64_t parent, uint32_t kind, const char* name,
                        const skein_source* where);
/* ... with a label (see skein_string), one time stamp for both. */
void skein_create_labelled(skein_task* task, uint32_t kind, const char* name,
                           const skein_source* where, uint32_t label);
/* ... and runs at once. Returns `previous`. */
uint64_t skein_create_running(skein_task* task, uint32_t kind, const char* name,
                              const skein_source* where);
/* An operation exists: child of the task last suspended on this OS thread, if nothing was resumed
 * since, else of the current task; in the first case that task is said to await it. `where` NULL:
 * where that task awaits it; if there is none, `otherwise`. */
void skein_operation(skein_task* task, uint32_t kind, const char* name, const skein_source* where,
                     const skein_source* otherwise);

/* The task is current on this OS thread from now on; made ready by the task it waited for if that
 * just ended on this thread, by the task that was just suspended here to wait for it, else by
 * whatever was current. Returns the id of what was current (0: nothing), for `previous`. */
uint64_t skein_resume(skein_task* task);
/* ... `waker` made it ready (a task's or resource's id; 0: not known). Returns `previous`. */
uint64_t skein_resume_by(skein_task* task, uint64_t waker);
/* ... as skein_resume, with the result of the operation that it is (skein_io), one time stamp for
 * both. Returns `previous`. */
uint64_t skein_resume_io(skein_task* task, uint64_t result);
/* The task waits, at `where`, for `on` (a task's or resource's id; 0: not known); then
 * current := previous. */
void skein_suspend(skein_task* task, uint64_t on, const skein_source* where, uint64_t previous);
/* Says afterwards what a suspended task waits for (a task's or resource's id). */
void skein_await(skein_task* task, uint64_t on);
/* The task asked `on` (an id; 0: not known) for a result that was there already; it goes on. */
void skein_ready(skein_task* task, uint64_t on, const skein_source* where);

/* The task ended with a value; current := previous if it was current. The resolver is what was
 * current. After this, as after fail, cancel and become, the handle is of no use but to be created
 * anew. */
void skein_resolve(skein_task* task, uint64_t previous);
/* skein_resolve, and skein_resume_by of `next`, which was waiting for it: one time stamp for both.
 * Returns the `previous` of next. */
uint64_t skein_resolve_resume(skein_task* task, uint64_t previous, skein_task* next);
/* The task ended with an error. `reason` is copied, at most 512 bytes of it; it may be NULL. */
void skein_fail(skein_task* task, const char* reason, uint64_t previous);
/* The task was destroyed or cancelled before its end. */
void skein_cancel(skein_task* task);
/* The task ended by becoming the other (tail await): the other is current if it was, is expected to
 * end if it was, and, if it never ran, waits for what it waited for. */
void skein_become(skein_task* task, skein_task* other);
/* The result of an operation, e.g. bytes moved, or an errno value negated, as (uint64_t)-errno.
 * task NULL: of the current one. */
void skein_io(skein_task* task, uint64_t result);

/* The programmer expects this task to end; one that does not is shown as stuck. NULL: the current
 * one. */
void skein_should_resolve(skein_task* task);
/* A name or remark; `label` from skein_string. task NULL: the current one; likewise below. */
void skein_label(skein_task* task, uint32_t label);
/* ... made up on the spot: `size` bytes, or up to a zero among them; copied; beyond 512 they are
 * cut, with a mark. Costs as many bytes of the trace. */
void skein_label_text(skein_task* task, const char* text, size_t size);

/* ---- resources: mutex, semaphore, condition, channel, queue ---- */
/* A resource exists. Owned and zero-initialised as a task is; `kind` from SKEIN_KIND_mutex on;
 * `capacity`: how many it admits (0: not said). */
void skein_resource(skein_task* resource, uint32_t kind, const char* name, uint64_t capacity,
                    const skein_source* where);
/* The task with the id `task` (0: the current one) holds the resource, holds it no more. */
void skein_acquire(skein_task* resource, uint64_t task);
/* ... taken at `where` (NULL: not said). Costs about 5 bytes more of the trace. */
void skein_acquire_at(skein_task* resource, uint64_t task, const skein_source* where);
void skein_release(skein_task* resource, uint64_t task);
/* A signal on a resource or task (the id `target`), by the current task; `woken` is how many
 * waiters it woke: 0 is a possible lost wake-up. */
void skein_notify(uint64_t target, uint64_t woken);
/* ... made at `where` (NULL: not said), so that a lost wake-up has both its places. Costs about 5
 * bytes more of the trace. */
void skein_notify_at(uint64_t target, uint64_t woken, const skein_source* where);
/* The resource is gone. If it never was in a trace: nothing. */
void skein_resource_destroy(skein_task* resource);

/* ---- scopes (nursery, when_all, stop source) ---- */
/* A scope opens, child of the current task; the task with the id `task` belongs to it; it asks its
 * members to stop; it is over. Owned and zero-initialised as a task is. */
void skein_scope_enter(skein_task* scope, const char* name, const skein_source* where);
void skein_scope_member(skein_task* scope, uint64_t task);
void skein_scope_cancel(skein_task* scope);
void skein_scope_exit(skein_task* scope);

/* ---- everything else ---- */
/* The counter with this name (skein_string) changes by `amount`, is `value`. One for the process.
 */
void skein_counter_add(uint32_t counter, int64_t amount);
void skein_counter_set(uint32_t counter, int64_t value);
/* A named interval on the current task (`name` from skein_string); spans may cross suspensions and
 * threads. Returns its id, 0 while off; the end of 0 is nothing. */
uint64_t skein_span_begin(uint32_t name);
void skein_span_end(uint64_t span);
/* The executor (this OS thread) goes to sleep in its event loop, and comes back; `reason` is a
 * text's number (skein_string; 0: none), not one of a list: "epoll_wait", "no work". */
void skein_idle(uint32_t reason);
void skein_wake(uint32_t reason);
/* Nothing of the program ran for `nanoseconds`, until now (a collector, a stolen processor). Kinds:
 * SKEIN_FORMAT_PAUSES in skein/format.h. */
void skein_pause(uint32_t kind, uint64_t nanoseconds);
/* A message between machines, by the current task. `correlation` is the same number on both sides
 * and of no other message between them; `peer` names the other side, as the program likes. */
void skein_send(uint64_t correlation, uint64_t peer);
void skein_receive(uint64_t correlation, uint64_t peer);
/* A stack of this executor (OS thread), by the number a profiler gave it. */
void skein_sample(uint64_t stack);
/* Clock `domain` (a number of the program's choice) is ahead of this trace's by `offset` ns, known
 * to within `bracket` ns. */
void skein_clock(uint32_t domain, int64_t offset, uint64_t bracket);

/* What is current on this OS thread (0: nothing). */
uint64_t skein_current(void);
/* A text's number in this trace, for label, counter, name and reason; 0 while off, for an empty
 * text, and when there is no room (32,768 texts). The text is copied. Ask again when
 * skein_generation() has changed. Cost: a hash of the text, two system calls and a lock; keep the
 * number. */
uint32_t skein_string(const char* text);
/* Number of the running trace within this process: 1, 2 ...; 0 while off. */
uint32_t skein_generation(void);
/* The calling thread's name in the trace (a copy is kept). Without it: what the kernel calls it at
 * its first event. */
void skein_thread_name(const char* name);
/* A module is about to go (dlclose): source places are looked up afresh from now on. Called by
 * what skein/coroutine.h puts into every module. */
void skein_module_unloaded(void);

/* ---- the recorder ---- */
typedef struct skein_options {
  const char* directory; /* made by the call; NULL: ./skein-PID. If it exists: directory.PID ...
                            "%p" in it becomes the process id. Copied. */
  uint64_t size;         /* bytes per executor in mode ring, at least 64 KiB; 0: 1 MiB */
  uint32_t log;          /* 1: mode log, everything is kept; 0: mode ring */
  uint32_t tasks;        /* rows of the task table; 0: 262,144 */
} skein_options;

typedef struct skein_status {
  uint32_t on;           /* recording now */
  uint32_t generation;   /* 0: never started */
  uint32_t streams;      /* in use, used before, or prepared */
  uint32_t clock_is_tsc; /* 0: clock_gettime, or no trace yet */
  uint64_t bytes;        /* of files made */
  uint64_t lost;         /* events */
  char directory[1024];  /* absolute; empty: no trace yet */
} skein_status;

/* Starts a trace; with NULL goes on with the one that was stopped. Returns 0 or an errno value;
 * EALREADY: one is running; EBUSY: another thread is starting one; EINVAL: there is none to go on
 * with. The directory appears under its name when it can be read. Not from a signal handler. Cost:
 * 2 to 5 ms of wall time, with the calling thread's signals held. */
int skein_start(const skein_options* options);
/* Stops; the files stay valid, nothing is unmapped. Events that other threads have begun may still
 * be written. Not from a signal handler. */
void skein_stop(void);
/* Fills in *status. In a forked child: all zero until it starts a trace of its own. */
void skein_get_status(skein_status* status);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
