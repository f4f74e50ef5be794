/* The recorder's C interface: events of asynchronous tasks, written to a crash-proof trace.
 *
 *   skein_task request = {0};
 *   if (skein_enabled()) skein_create(&request, SKEIN_KIND_handler, "request", &where);
 *   ...
 *   if (skein_enabled()) {
 *     uint64_t previous = skein_resume(&request);
 *     run();
 *     skein_resolve(&request, previous);
 *   }
 *
 * Recording starts from the environment (SKEIN_TRACE=dir[,size=1M][,mode=ring|log]), by
 * skein_start(), or through the control socket. The following holds for every function, unless its
 * comment differs:
 *
 *   - Threads: any thread may call it, and so may a signal handler.
 *   - While the recorder is off, it does nothing and returns 0.
 *   - It never fails, never sets errno and never allocates from the program's heap. An event that
 *     cannot be recorded is dropped and counted. Exception: if another process truncates a file of
 *     the trace, the next event of a thread that blocks SIGBUS ends the program.
 *   - Cost: about one time stamp read (docs/performance.md). The first event of a thread takes 1 to
 *     50 us, and so does an event that finds its chunk full.
 *
 * Tasks and resources are identified by skein_task::id. Strings that are passed as uint32_t
 * (`label`, `counter`, `name`, `reason`) are identified by the result of skein_string.
 *
 * C++ programs include skein/record.h instead. To trace coroutines and Asio handlers without a
 * change to the source, use the targets skein::coroutine and skein::asio. docs/glossary.md defines
 * the terms, docs/format.md the meaning of each event.
 *
 * Parameters have reserved names, so that no macro of the program breaks them; comments leave the
 * underscores out.
 */
#ifndef SKEIN_SKEIN_H
#define SKEIN_SKEIN_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif
/* Exported by libskein.so. In a static link, the first module that defines them is used by all. */
#pragma GCC visibility push(default)

/* So that callers need no code for an exception: g++ 12 warns about such code in coroutines with
 * their own operator new. Not noexcept, which is part of the type; clang takes this for it. */
#if defined(__clang__)
#define SKEIN_NOTHROW
#else
#define SKEIN_NOTHROW __attribute__((__nothrow__))
#endif

/* A relaxed atomic load. clang emits one more instruction for the builtin than for the volatile
 * read, but the thread sanitizer reports the volatile read as a race. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKEIN_LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SKEIN_LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#elif !defined(SKEIN_LOAD) && defined(__cplusplus)
#define SKEIN_LOAD(x) (*static_cast<volatile unsigned char*>(&(x)))
#elif !defined(SKEIN_LOAD)
#define SKEIN_LOAD(x) (*(volatile unsigned char*)&(x))
#endif

/* First byte: 1 while recording. Second byte: 1 since the first skein_handle_keep. The kernel
 * clears the page on fork, so a child process records only if it starts its own trace. */
extern unsigned char skein_page[4096];

/* True while recording. One load and one branch: a call guarded by it has no other cost in a
 * program that is not traced. */
static inline int skein_enabled(void) {
#if defined(SKEIN_DISABLE)
  return 0;
#else
  return __builtin_expect(SKEIN_LOAD(*skein_page), 0) != 0;
#endif
}

/* The program's handle of a task or resource. Zero-initialise it; keep it from create until the
 * task ends (resolve, fail, cancel) or the resource is destroyed; pass it to one call at a time. A
 * task created while the recorder was off joins the trace at its first event. A copy of a handle
 * refers to the same task. */
typedef struct skein_task {
  uint64_t id;         /* 0: not in a trace yet; never reused within a process */
  uint32_t row;        /* row of the live task table */
  uint32_t generation; /* generation of the trace that contains it */
} skein_task;

/* A source location. The object and its strings must live as long as their module; the recorder
 * copies the strings when it first sees the location. Same layout as the object that C++'s
 * std::source_location points to. */
typedef struct skein_source {
  const char* file;
  const char* function;
  uint32_t line;
  uint32_t column;
} skein_source;
/* As a column: `function` is a text of a compiler, __PRETTY_FUNCTION__, that contains the type of
 * an operation. The recorder finds the callback in it and writes its function (g++) or its file and
 * line (clang); file and line are used if there is none. */
#define SKEIN_COLUMN_CALLBACK UINT32_MAX

/* Kinds of tasks and resources: the numbers of SKEIN_FORMAT_KINDS in skein/format.h. */
enum {
  SKEIN_KIND_unknown = 0,
  SKEIN_KIND_coroutine = 1,
  SKEIN_KIND_generator = 2,
  SKEIN_KIND_promise = 3,
  SKEIN_KIND_handler = 4,
  SKEIN_KIND_timer = 5,
  SKEIN_KIND_io = 6,
  SKEIN_KIND_fiber = 7,
  SKEIN_KIND_sender = 8,
  SKEIN_KIND_scope = 9,
  SKEIN_KIND_thread = 10,
  SKEIN_KIND_work = 11,
  SKEIN_KIND_callback = 12,
  SKEIN_KIND_process = 13,
  SKEIN_KIND_task = 14,
  SKEIN_KIND_mutex = 32,
  SKEIN_KIND_semaphore = 33,
  SKEIN_KIND_condition = 34,
  SKEIN_KIND_channel = 35,
  SKEIN_KIND_queue = 36,
  SKEIN_KIND_alarm = 37,
  SKEIN_KIND_socket = 38,
  SKEIN_KIND_descriptor = 39,
  SKEIN_KIND_signals = 40,
  SKEIN_KIND_resolver = 41,
  SKEIN_KIND_strand = 42,
  SKEIN_KIND_async_channel = 43 /* of a library: it has no notifications */
};

/* ---- tasks ----
 * Parameters:
 *   - task: not NULL unless the comment allows it.
 *   - kind: one of SKEIN_KIND_*.
 *   - name: a string that lives as long as its module (a literal), or NULL. The recorder identifies
 *     it by its address.
 *   - where: a location that lives as long as its module, or NULL.
 *   - on, waker, parent: the id of a task or resource; 0: unknown.
 *   - previous: the id of the task that was current before skein_resume, as returned by it. That
 *     task is current again after the call. */

/* Creates a task, a child of the current task. It does not run yet. */
void skein_create(skein_task* __task, uint32_t __kind, const char* __name,
                  const skein_source* __where) SKEIN_NOTHROW;
/* Creates a task, a child of `parent` (0: of no task). */
void skein_create_child(skein_task* __task, uint64_t __parent, uint32_t __kind, const char* __name,
                        const skein_source* __where) SKEIN_NOTHROW;
/* Creates a task with a label (from skein_string); one time stamp for both. */
void skein_create_labelled(skein_task* __task, uint32_t __kind, const char* __name,
                           const skein_source* __where, uint32_t __label) SKEIN_NOTHROW;
/* Creates a task that runs immediately. Returns `previous`. */
uint64_t skein_create_running(skein_task* __task, uint32_t __kind, const char* __name,
                              const skein_source* __where) SKEIN_NOTHROW;
/* Creates an operation. If a task was suspended on this OS thread and no task was resumed since,
 * that task is its parent and waits for it; otherwise the current task is its parent. If `where` is
 * NULL, the location of that wait is used; if there is none, `fallback`. */
void skein_operation(skein_task* __task, uint32_t __kind, const char* __name,
                     const skein_source* __where, const skein_source* __fallback) SKEIN_NOTHROW;

/* What an operation uses: the id of an object (below; 0: unknown), and when the operation completes
 * by itself: CLOCK_MONOTONIC in ns, SKEIN_NEVER, or 0: unknown. */
typedef struct skein_use {
  uint64_t object;
  uint64_t expires;
  uint32_t counts; /* from skein_connection; 0: its bytes are not counted */
} skein_use;
#define SKEIN_NEVER UINT64_MAX
/* skein_operation of an operation that uses an object. Adds 5 to 8 bytes to the trace, with
 * `expires` 12 more. */
void skein_operation_on(skein_task* __task, uint32_t __kind, const char* __name,
                        const skein_source* __where, const skein_source* __fallback,
                        skein_use __use) SKEIN_NOTHROW;

/* Makes the task current on this OS thread. Its waker is the task it waited for, if that task has
 * just ended on this thread; else the task that has just been suspended here to wait for it; else
 * the current task. Returns the id of the task that was current (0: none), for `previous`. */
uint64_t skein_resume(skein_task* __task) SKEIN_NOTHROW;
/* skein_resume with an explicit waker. Returns `previous`. */
uint64_t skein_resume_by(skein_task* __task, uint64_t __waker) SKEIN_NOTHROW;
/* skein_resume of an operation, with its result (see skein_io); one time stamp for both. Returns
 * `previous`. */
uint64_t skein_resume_io(skein_task* __task, uint64_t __result) SKEIN_NOTHROW;
/* Suspends the task: it waits for `on`, at `where`. Then `previous` is current. */
void skein_suspend(skein_task* __task, uint64_t __on, const skein_source* __where,
                   uint64_t __previous) SKEIN_NOTHROW;
/* skein_suspend of a task that waits for something that is no task or resource of the trace, and
 * that the program knows by the address `object`: a library's mutex, event or thread pool. `type`:
 * the type of the awaiter, as __PRETTY_FUNCTION__ of skein::__detail::__type_name, or another text;
 * it lives as long as its module. Adds 7 bytes to the trace. */
void skein_suspend_on(skein_task* __task, const void* __object, const char* __type,
                      const skein_source* __where, uint64_t __previous) SKEIN_NOTHROW;
/* Records the target of a suspended task's wait after the suspension. */
void skein_await(skein_task* __task, uint64_t __on) SKEIN_NOTHROW;
/* The result of `on` was available: the task does not suspend. */
void skein_ready(skein_task* __task, uint64_t __on, const skein_source* __where) SKEIN_NOTHROW;
/* skein_ready of such an object (see skein_suspend_on). */
void skein_ready_on(skein_task* __task, const void* __object, const char* __type,
                    const skein_source* __where) SKEIN_NOTHROW;

/* Ends the task with a value, which the current task set. If the task was current, `previous` is
 * current afterwards. After this call, and after fail, cancel and become, the handle may only be
 * passed to a function that creates a task. */
void skein_resolve(skein_task* __task, uint64_t __previous) SKEIN_NOTHROW;
/* skein_resolve of `task`, then skein_resume_by of `next`, which waited for it; one time stamp for
 * both. Returns the `previous` of `next`. */
uint64_t skein_resolve_resume(skein_task* __task, uint64_t __previous,
                              skein_task* __next) SKEIN_NOTHROW;
/* Ends the task with an error. The first 512 bytes of `reason` are copied; it may be NULL. */
void skein_fail(skein_task* __task, const char* __reason, uint64_t __previous) SKEIN_NOTHROW;
/* If the task fails, no code reads the failure: what awaits the task drops it. Recorded only if it
 * fails. */
void skein_discard(skein_task* __task) SKEIN_NOTHROW;
/* Ends the task before its completion: it was cancelled or destroyed. */
void skein_cancel(skein_task* __task) SKEIN_NOTHROW;
/* Ends the task by becoming its successor `other` (a tail await). The successor is current if the
 * task was, is marked should_resolve if the task was, and, if it never ran, waits for what the task
 * waited for. */
void skein_become(skein_task* __task, skein_task* __other) SKEIN_NOTHROW;
/* Records the result of an operation: the bytes moved, or a negative errno value as
 * (uint64_t)-errno. task NULL: the current task. */
void skein_io(skein_task* __task, uint64_t __result) SKEIN_NOTHROW;

/* ---- handles of objects that have no room for one ----
 * The recorder keeps the handle of such an object (an Asio operation) under the object's address.
 * `type` is an address that identifies the object's type. Both calls of an object pass the same
 * one, so that the entry of an object whose end was not seen is not taken for that of the next
 * object at its address; the recorder ends such a task with a value. One thread at a time may use
 * an object. */
/* Keeps an empty handle. Returns it, or NULL while off or without room (counted). It is valid until
 * it is taken. The first call maps 8 MiB, which are used as far as objects need them. */
skein_task* skein_handle_keep(const void* __object, const void* __type) SKEIN_NOTHROW;
/* Removes the object's handle and returns it; id 0: there is none. Works while off, too. Before it
 * frees an object, the program calls it if skein_handles_kept(). */
skein_task skein_handle_take(const void* __object, const void* __type) SKEIN_NOTHROW;
static inline int skein_handles_kept(void) {
#if defined(SKEIN_DISABLE)
  return 0;
#else
  return __builtin_expect(SKEIN_LOAD(skein_page[1]), 0) != 0;
#endif
}

/* Marks the task as one that should end: analyses report it if it does not. NULL: the current
 * task. */
void skein_should_resolve(skein_task* __task) SKEIN_NOTHROW;
/* Attaches a label (from skein_string). task NULL: the current task, here and in skein_label_text.
 */
void skein_label(skein_task* __task, uint32_t __label) SKEIN_NOTHROW;
/* Attaches a label that is not interned: `size` bytes, or fewer if there is a zero byte among them.
 * They are copied; a label longer than 512 bytes is truncated and ends in an ellipsis. Each call
 * costs the label's length in the trace. */
void skein_label_text(skein_task* __task, const char* __text, size_t __size) SKEIN_NOTHROW;

/* ---- resources: mutex, semaphore, condition, channel, queue ---- */
/* Creates a resource. The handle follows the rules of a task's. `kind` is SKEIN_KIND_mutex or a
 * later one; `capacity` is the number of holders or items it admits (0: unknown). */
void skein_resource(skein_task* __resource, uint32_t __kind, const char* __name,
                    uint64_t __capacity, const skein_source* __where) SKEIN_NOTHROW;
/* The task with the id `task` (0: the current task) acquires the resource. */
void skein_acquire(skein_task* __resource, uint64_t __task) SKEIN_NOTHROW;
/* skein_acquire with its location (NULL: unknown). Adds about 5 bytes to the trace. */
void skein_acquire_at(skein_task* __resource, uint64_t __task,
                      const skein_source* __where) SKEIN_NOTHROW;
/* The task with the id `task` (0: the current task) releases the resource. */
void skein_release(skein_task* __resource, uint64_t __task) SKEIN_NOTHROW;
/* The current task notifies the task or resource `target`; `woken` is the number of waiters it
 * wakes. 0 is a possible lost wake-up. */
void skein_notify(uint64_t __target, uint64_t __woken) SKEIN_NOTHROW;
/* skein_notify with its location (NULL: unknown), so that a lost wake-up has both its locations.
 * Adds about 5 bytes to the trace. */
void skein_notify_at(uint64_t __target, uint64_t __woken,
                     const skein_source* __where) SKEIN_NOTHROW;
/* Destroys the resource. Does nothing if it never was in a trace. */
void skein_resource_destroy(skein_task* __resource) SKEIN_NOTHROW;

/* ---- objects that operations use: timers, sockets, signal sets, resolvers ----
 * The recorder knows an object by its key: its address, or a file descriptor + 1. Two operations on
 * one object are known as such, and so is a task that cancels them. One thread at a time may pass a
 * key. `kind` is SKEIN_KIND_alarm or a later one. */
/* Returns the id of the object, which is new if the recorder does not know the key; 0 while off or
 * without room (counted). */
uint64_t skein_object(uintptr_t __key, uint32_t __kind, const char* __name) SKEIN_NOTHROW;
/* What an operation does with its socket. */
enum {
  SKEIN_SOCKET_waits = 'w',
  SKEIN_SOCKET_sends = 's',
  SKEIN_SOCKET_receives = 'r',
  SKEIN_SOCKET_connects = 'c',
  SKEIN_SOCKET_accepts = 'a',
  SKEIN_SOCKET_closes = 'x' /* not an operation: the descriptor is about to be closed */
};
/* skein_object of a socket, with the key descriptor + 1, for an operation that begins. As soon as
 * the socket has a peer, or accepts connections, its addresses are recorded, once; that takes 3 to
 * 4 us. skein_resume_io then counts the bytes of the operation for the socket. What the kernel has
 * counted is recorded now and then, and before the socket is closed: 1 us. */
skein_use skein_connection(int __descriptor, const char* __name,
                           uint32_t __operation) SKEIN_NOTHROW;
/* The current task cancels the operations that use the object, even if there is none. Records
 * nothing if the object expired before now (skein_use::expires; 0: unknown). */
void skein_object_cancel(uintptr_t __key, uint32_t __kind, const char* __name,
                         uint64_t __expires) SKEIN_NOTHROW;
/* The current task closes or destroys the object; the key is free. Does nothing if the recorder
 * does not know it. */
void skein_object_end(uintptr_t __key) SKEIN_NOTHROW;

/* ---- scopes (nursery, when_all, stop source) ----
 * The handle of a scope follows the rules of a task's. */
/* Opens a scope, a child of the current task. */
void skein_scope_enter(skein_task* __scope, const char* __name,
                       const skein_source* __where) SKEIN_NOTHROW;
/* The task with the id `task` becomes a member of the scope. */
void skein_scope_member(skein_task* __scope, uint64_t __task) SKEIN_NOTHROW;
/* The scope requests cancellation of its members. */
void skein_scope_cancel(skein_task* __scope) SKEIN_NOTHROW;
/* Closes the scope. */
void skein_scope_exit(skein_task* __scope) SKEIN_NOTHROW;

/* ---- everything else ---- */
/* Adds `amount` to a counter, or sets it to `value`. `counter` is its name (from skein_string);
 * there is one counter per name and process. Not with 0, which skein_string returns for every name
 * that found no room. */
void skein_counter_add(uint32_t __counter, int64_t __amount) SKEIN_NOTHROW;
void skein_counter_set(uint32_t __counter, int64_t __value) SKEIN_NOTHROW;
/* Begins a span on the current task (`name` from skein_string). It may cross suspensions and
 * threads. Returns its id, or 0 while off. */
uint64_t skein_span_begin(uint32_t __name) SKEIN_NOTHROW;
/* Ends a span. 0: does nothing. */
void skein_span_end(uint64_t __span) SKEIN_NOTHROW;
/* This OS thread begins to sleep in its event loop, and wakes up. `reason` is any string (from
 * skein_string; 0: none), for example "epoll_wait" or "no work". */
void skein_idle(uint32_t __reason) SKEIN_NOTHROW;
void skein_wake(uint32_t __reason) SKEIN_NOTHROW;
/* No code of the program ran for `nanoseconds`, until now: a garbage collection, a stolen
 * processor. `kind` is one of SKEIN_FORMAT_PAUSES in skein/format.h. */
void skein_pause(uint32_t __kind, uint64_t __nanoseconds) SKEIN_NOTHROW;
/* The current task sends a message to another machine, or receives one. `correlation` is the same
 * number on both sides and unique among the messages between the two; `peer` is a number of the
 * program's choice for the other side. */
void skein_send(uint64_t __correlation, uint64_t __peer) SKEIN_NOTHROW;
void skein_receive(uint64_t __correlation, uint64_t __peer) SKEIN_NOTHROW;
/* A profiler's sample of this OS thread; `stack` is the profiler's id of the call stack. */
void skein_sample(uint64_t __stack) SKEIN_NOTHROW;
/* Clock `domain` (a number of the program's choice) is ahead of this trace's clock by `offset` ns,
 * known to within `bracket` ns. */
void skein_clock(uint32_t __domain, int64_t __offset, uint64_t __bracket) SKEIN_NOTHROW;

/* Returns the id of the current task on this OS thread (0: none). */
uint64_t skein_current(void) SKEIN_NOTHROW;
/* Interns a string and returns its id in this trace. Returns 0 while off, for an empty string, and
 * if the string table is full (32,768 strings). The string is copied. The id is valid until
 * skein_generation() changes. Cost: a hash of the string, two system calls and a lock, so keep the
 * id. */
uint32_t skein_string(const char* __text) SKEIN_NOTHROW;
/* Returns the number of the running trace within this process: 1, 2 and so on; 0 while off. */
uint32_t skein_generation(void) SKEIN_NOTHROW;
/* Sets the calling thread's name in the trace. The name is copied. Default: the thread's name in
 * the kernel at its first event; none with all-files-at-start. */
void skein_thread_name(const char* __name) SKEIN_NOTHROW;
/* Call before a module is unloaded (dlclose): the recorder looks up every source location again,
 * because the module's addresses may be reused. skein/coroutine.h does this in each module that
 * includes it. */
void skein_module_unloaded(void) SKEIN_NOTHROW;
/* Returns 1 if the program may read the 8 bytes at the address, else 0. It makes a system call
 * (rt_sigprocmask, which has no effect): 70 ns. */
int skein_can_read(const void* __word) SKEIN_NOTHROW;
/* Writes the text of an error code, truncated to `size` bytes with its zero: that of std's, Asio's
 * and Beast's categories, else "category error value". `category` is error_category::name(). */
void skein_error_text(const char* __category, int __value, char* __text,
                      size_t __size) SKEIN_NOTHROW;
/* Labels a task with the names of the signals of a mask (bit n: signal n + 1). */
void skein_label_signals(skein_task* __task, uint64_t __signals) SKEIN_NOTHROW;
/* In a function: calls skein_module_unloaded when the module that contains the function is unloaded
 * or the program exits, after the module's destructors. (A static C++ object would take 6 ms to
 * compile in a source that does not use it, and as a member of a template g++ would omit it with
 * -fno-implicit-templates.) */
#define SKEIN_DETAIL_REPORT_UNLOAD()              \
  __asm__ volatile(                               \
      ".pushsection .fini_array.00101,\"aw\"\n\t" \
      ".balign %c0\n\t"                           \
      ".dc.a skein_module_unloaded\n\t"           \
      ".popsection"                               \
      :                                           \
      : "i"(sizeof(void*)))

/* ---- the recorder ---- */
typedef struct skein_options {
  const char* directory; /* created by the call; NULL: ./skein-PID. If it exists: directory.PID.
                            "%p" in it expands to the process id. Copied. */
  uint64_t size;         /* bytes per thread in ring mode, at least 64 KiB; 0: 1 MiB */
  uint32_t log;          /* 1: log mode, everything is kept; 0: ring mode */
  uint32_t tasks;        /* rows of the live task table; 0: 262,144 */
  uint64_t keep_ns;      /* a ring grows while it reaches back less; 0: 5 s, or if size is set and
                            most is not, it has that size */
  uint64_t most;         /* bytes of all rings, beyond which none grows; 0: 256 MiB, or less on a
                            small machine. If keep_ns and most are 0, 16 MiB per thread as well. */
  uint32_t sample_rate;  /* samples of each thread per second of its CPU time, at most 10,000; 0:
                            none. Without a signal that is free, or if the kernel refuses, none. */
} skein_options;

typedef struct skein_status {
  uint32_t on;           /* 1 while recording */
  uint32_t generation;   /* 0: never started */
  uint32_t streams;      /* in use, used before, or prepared */
  uint32_t clock_is_tsc; /* 0: clock_gettime, or no trace yet */
  uint64_t bytes;        /* size of all files of the trace */
  uint64_t lost;         /* number of lost events */
  char directory[1024];  /* absolute, also after a move; empty: no trace yet */
} skein_status;

/* Starts a trace; options NULL: resumes the stopped one. The directory gets its name when readers
 * can open it. Not for signal handlers. Cost: 2 to 5 ms of wall time, with the calling thread's
 * signals blocked. Returns 0 or an errno value:
 *   EALREADY  a trace is running
 *   EBUSY     another thread is starting one
 *   EINVAL    there is no stopped trace to resume */
int skein_start(const skein_options* __options) SKEIN_NOTHROW;
/* Stops recording. The files stay valid and mapped. Events that other threads have begun may still
 * be written. Not for signal handlers. */
void skein_stop(void) SKEIN_NOTHROW;
/* Fills in *status. In a forked child it is all zero until the child starts its own trace. */
void skein_get_status(skein_status* __status) SKEIN_NOTHROW;

#undef SKEIN_NOTHROW
#pragma GCC visibility pop
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
#ifdef __cplusplus
}
#endif
#endif
