// The trace format, version 2: the contract between writers and readers. docs/format.md explains
// it; format/metadata.tsdl is its text form for other CTF readers.
//
// A trace is a directory:
//
//    metadata             CTF 1.8 TSDL text: clock, environment, event classes
//    names-0, names-1 ..  the definitions stream: strings, places, modules; never overwritten
//    s00000-0 .. -N       chunk files of stream 0 (one executor); one packet each
//    sched-0 ..           the kernel's account of all threads, by `skein record --sched`
//    .tasks               status page and live task table (other readers ignore dot files)
//
// A chunk file is one CTF packet of one stream:
//
//    +--------------+---------+---------+-- .. --+-------------------------+
//    | PacketHeader | event 0 | event 1 |        | zeros up to packet_size |
//    +--------------+---------+---------+-- .. --+-------------------------+
//                                                ^ content_size: the commit word
//
// Ring mode recycles a stream's chunks oldest first; log mode adds chunks. Everything is
// little-endian. skein and babeltrace2 read the directory without conversion.
//
// This header is freestanding: no dependency, and only constexpr code.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace skein::format {

// Version 2 renames the event `also` to `extra` and its field `what` to `field`. The bytes are
// those of version 1, so a reader of version 2 also reads version 1.
inline constexpr uint32_t kVersion = 2;
inline constexpr uint32_t kOldestVersion = 1;  // the oldest that readers accept
constexpr bool is_readable(uint32_t version) {
  return version >= kOldestVersion && version <= kVersion;
}

inline constexpr uint32_t kPacketMagic = 0xC1FC1FC1;
// One tick is 16 counts of the time stamp counter (or 16 ns of CLOCK_MONOTONIC). An event holds the
// low 24 bits of the tick count, which wrap after 107 ms at 2.5 GHz.
inline constexpr unsigned kTickShift = 4;
inline constexpr unsigned kTimeBits = 24;

// The start of every chunk file. Written by the host when it creates the file, then only by the
// stream's executor.
struct PacketHeader {
  uint32_t magic;             // kPacketMagic
  uint8_t uuid[16];           // of the trace, as in metadata; random
  uint32_t stream_class;      // always 0
  uint64_t stream_instance;   // the stream's number; the definitions stream is kNamesStream
  uint64_t content_size;      // bits, header included; THE COMMIT: stored last, with release
  uint64_t packet_size;       // bits; the chunk file's size
  uint64_t timestamp_begin;   // ticks
  uint64_t packet_seq_num;    // counts the stream's packets
  uint64_t events_discarded;  // in this stream since the trace began
  uint64_t lock;              // odd: being recycled. A copy is valid if this was even and is
                              // unchanged after it.
  uint64_t current_task;      // the executor's current task at timestamp_begin (0: none)
  uint64_t monotonic_ns;      // CLOCK_MONOTONIC at timestamp_begin (0: unknown)
  uint32_t vtid;              // OS thread (or vCPU) at timestamp_begin
  uint32_t flags;             // PacketFlags
  uint32_t format_version;    // kVersion
  uint32_t reserved[5];       // zero
};
static_assert(sizeof(PacketHeader) == 128);
static_assert(offsetof(PacketHeader, content_size) == 32);
static_assert(offsetof(PacketHeader, lock) == 72);

enum PacketFlags : uint32_t {
  kFlagNested = 1,  // events of signal handlers that interrupted the recorder on this thread
  kFlagNames = 2,   // the definitions stream
  kFlagLog = 4,     // log mode: chunks are not recycled
};
inline constexpr uint64_t kNamesStream = 0xFFFFFFFF;
// The stream of `thread_state` events of all threads. No thread of the program writes it, but
// `skein record --sched`.
inline constexpr uint64_t kSchedStream = 0xFFFFFFFE;
// A thread_name of kStreamThread + a stream's number: all of that stream is one thread of this
// name, whatever its tid. For copies of traces whose threads have no tids.
inline constexpr uint64_t kStreamThread = uint64_t{1} << 32;

// The layout of an event's arguments after its header. Widths 1, 2, 4, 8 bytes are classes 0 to 3
// and part of the event id, so that every id is an event class of fixed layout in plain CTF.
enum class Shape : uint8_t {
  kOne,     // a;    id = first + class(a)
  kSame,    // a, b  of one width; id = first + max(class(a), class(b))
  kTwo,     // a, b  of two widths; id = first + class(a) + 4 * class(b)
  kSigned,  // as kTwo, b signed
};

// X(name, first id, shape, first argument, second argument). The subject is the executor's current
// task, unless an argument names another. docs/format.md explains each event.
//
// To add an event, begin with trace/read/event_schema.h. An event of shape kTwo or kSigned takes 16
// ids, of kSame or kOne 4, a fixed one (below) 1. No id is free; 255 is k_extended. A new event
// needs a new version, or the ids of an event that is not written any more.
#define SKEIN_FORMAT_EVENTS(X)                                                      \
  X(create, 0, kTwo, task, place)             /* child of the current task */       \
  X(suspend, 16, kTwo, on, place)             /* current := none */                 \
  X(ready, 32, kTwo, on, place)               /* result available: no wait   */     \
  X(label, 48, kTwo, task, string)            /*                              */    \
  X(counter_add, 64, kSigned, counter, value) /* counter: a string */               \
  X(counter_set, 80, kSigned, counter, value) /*                              */    \
  X(notify, 96, kTwo, target, woken)          /*                              */    \
  X(resume_by, 112, kSame, task, waker)       /* current := task */                 \
  X(fail, 116, kSame, task, string)           /*                              */    \
  X(become, 120, kSame, task, other)          /*                              */    \
  X(acquire, 124, kSame, resource, task)      /* task 0: the current task */        \
  X(release, 128, kSame, resource, task)      /*                              */    \
  X(span_begin, 132, kSame, span, string)     /*                              */    \
  X(pause, 136, kSame, pause_kind, duration)  /* in ticks; it ends now      */      \
  X(executor, 140, kSame, tid, string)        /* takes this stream */               \
  X(lost, 144, kSame, count, reason)          /* events not recorded before this */ \
  X(resource, 148, kSame, resource, place)    /*                              */    \
  X(scope_enter, 152, kSame, scope, place)    /*                              */    \
  X(scope_member, 156, kSame, scope, task)    /*                              */    \
  X(await, 160, kSame, task, on)              /* after its suspend event    */      \
  X(io, 164, kSame, task, result)             /*                              */    \
  X(capacity, 168, kSame, resource, capacity) /*                              */    \
  X(resume, 172, kOne, task, none)            /* by current; current := task */     \
  X(switch_to, 176, kOne, task, none)         /* current := task, no wake-up */     \
  X(resolve, 180, kOne, task, none)           /* current := none if it was task */  \
  X(cancel, 184, kOne, task, none)            /* as resolve; so fail, become */     \
  X(should_resolve, 188, kOne, task, none)    /*                              */    \
  X(span_end, 192, kOne, span, none)          /*                              */    \
  X(idle, 196, kOne, reason, none)            /*                              */    \
  X(wake, 200, kOne, reason, none)            /*                              */    \
  X(sample, 204, kOne, stack, none)           /* 0: no stack                  */    \
  X(scope_exit, 208, kOne, scope, none)       /*                              */    \
  X(scope_cancel, 212, kOne, scope, none)     /*                              */    \
  X(executor_end, 216, kOne, tid, none)       /*                              */    \
  X(at, 220, kOne, place, none)               /* of the next event            */    \
  X(extra, 230, kSame, field, number)         /* of the next: see ExtraField  */    \
  X(try_read, 234, kSame, task, on)           /* the result is pending        */    \
  X(about, 245, kOne, resource, none)         /* of the next create           */

// Events of one id and a fixed layout: X(name, id, fields as TSDL).
#define SKEIN_FORMAT_FIXED_EVENTS(X)                                                       \
  X(label_text, 224, "uint64_t task; string text;")                                        \
  X(create_under, 225, "uint64_t parent; uint64_t task; uint32_t place;")                  \
  X(send, 226, "uint64_t correlation; uint64_t peer;")                                     \
  X(receive, 227, "uint64_t correlation; uint64_t peer;")                                  \
  X(clock, 228, "uint32_t domain; int64_t offset; uint64_t bracket;")                      \
  X(fail_text, 229, "uint64_t task; string text;")                                         \
  X(cancel_uses, 238, "uint64_t resource;")                                                \
  X(discard, 252, "uint64_t task;")     /* no code reads its failure, which follows */     \
  X(expires, 239, "uint64_t duration;") /* in ticks; of the next create */                 \
  X(string, 240, "uint32_t id; string text;")                                              \
  X(place, 241,                                                                            \
    "uint32_t id; enum task_kind kind; uint32_t name; uint32_t file; uint32_t function; "  \
    "uint32_t line; uint32_t column;")                                                     \
  X(thread_name, 242, "uint64_t tid; string name;")                                        \
  X(module, 243, "uint64_t base; uint64_t size; string build_id; string path;")            \
  X(clock_pair, 244,                                                                       \
    "uint64_t ticks; uint64_t monotonic_ns; uint64_t realtime_ns; uint64_t bracket_ns;")   \
  X(create_awaited, 250, /* create_under, and await by the parent */                       \
    "uint32_t parent; uint32_t task; uint32_t place;")                                     \
  X(socket_bytes, 253, /* of a TCP connection, by the kernel; see SocketBytes */           \
    "uint64_t resource; uint64_t sent; uint64_t received; uint32_t unseen_sent; "          \
    "uint32_t unseen_received; uint32_t state;")                                           \
  X(cpu_time, 251, /* of this thread so far; see CpuTime */                                \
    "uint64_t ns; uint32_t blocked; uint32_t preempted;")                                  \
  X(connection, 249, /* the addresses of a socket; see Connection */                       \
    "uint64_t resource; uint64_t net_namespace; uint64_t local_high; uint64_t local_low; " \
    "uint64_t peer_high; uint64_t peer_low; uint32_t local_port; uint32_t peer_port; "     \
    "uint32_t protocol; uint32_t descriptor; uint32_t path;")                              \
  X(thread_state, 254, /* of a thread, by the kernel's scheduler; see ThreadState */       \
    "uint32_t tid; uint32_t state; uint32_t other; uint32_t cpu; string text;")

enum EventId : uint8_t {
#define SKEIN_X(name, first, shape, a, b) k_##name = first,
  SKEIN_FORMAT_EVENTS(SKEIN_X)
#undef SKEIN_X
#define SKEIN_X(name, id, fields) k_##name = id,
      SKEIN_FORMAT_FIXED_EVENTS(SKEIN_X)
#undef SKEIN_X
  // The first byte of the header of an event 2^24 ticks or more after the previous event: 255, id,
  // u64 ticks. Any other header: id, u24 low bits of the ticks.
  k_extended = 255,
};

// The addresses of a socket, as in the event `connection`. All zero: none.
struct SocketAddress {
  uint64_t high = 0;  // of the IPv6 address, as numbers: ::1 is 0, 1; 127.0.0.1 is ::ffff:7f00:1
  uint64_t low = 0;
  uint32_t port = 0;
};
struct Connection {
  SocketAddress local;
  SocketAddress peer;
  uint32_t protocol = 0;       // IPPROTO_TCP is 6, IPPROTO_UDP 17
  uint32_t descriptor = 0;     // of the process
  uint64_t net_namespace = 0;  // SO_NETNS_COOKIE; 0: unknown
  uint32_t path = 0;           // a string, of a UNIX socket: its peer's, or its own; else 0
  constexpr bool has_path() const { return protocol == 0 || protocol == kWholeText; }
  // As the protocol: `path` is a text that describes the connection, in copies of traces.
  static constexpr uint32_t kWholeText = 0xFFFF;
};

// How many bytes the program has written to a TCP connection and read from it, by the kernel's
// count, as in the event `socket_bytes`. The recorder reads it before the 1st, 2nd, 4th, 8th ..
// 512th and each 1,024th operation that sends or receives, and before the socket is closed.
struct SocketBytes {
  uint64_t sent = 0;  // since the connection began
  uint64_t received = 0;
  // Of these, since the first reading, by calls that are no operations of the trace. The
  // largest value: at least as many.
  uint32_t unseen_sent = 0;
  uint32_t unseen_received = 0;
  uint32_t state = 0;  // of the connection: TCP_ESTABLISHED is 1
};
constexpr bool reads_kernel_bytes(uint16_t operations) {
  return (operations & 1023) == 0 || (operations < 1024 && (operations & (operations - 1)) == 0);
}

// What a thread has used since it began, as in the event `cpu_time`. It is recorded with the first
// event of a packet, and with the first event after a pause of kQuietTicks or more.
struct CpuTime {
  uint64_t ns = 0;         // on a CPU
  uint32_t blocked = 0;    // how often it gave up the CPU: for a lock, in a system call
  uint32_t preempted = 0;  // how often it lost the CPU to another thread
};
inline constexpr uint64_t kQuietTicks = uint64_t{1} << 20;  // 6 ms with a counter of 2.8 GHz

inline constexpr size_t kHeaderSize = 4;
inline constexpr size_t kExtendedHeaderSize = 10;
// The size limit of events, and of strings. A longer string is truncated and ends in kCutMark.
inline constexpr size_t kMaxEventSize = 640;
inline constexpr size_t kMaxText = 512;
inline constexpr const char kCutMark[] = "\xE2\x80\xA6";  // U+2026

// X(name, number): kinds of the tasks and resources created at a place (u8 in `place`).
#define SKEIN_FORMAT_KINDS(X)                                                                     \
  X(unknown, 0)                                                                                   \
  X(coroutine, 1)                                                                                 \
  X(generator, 2)                                                                                 \
  X(promise, 3)                                                                                   \
  X(handler, 4)                                                                                   \
  X(timer, 5) X(io, 6) X(fiber, 7) X(sender, 8) X(scope, 9) X(thread, 10) X(work, 11)             \
      X(callback, 12) X(process, 13) X(task, 14) X(mutex, 32) X(semaphore, 33) X(condition, 34)   \
          X(channel, 35) X(queue, 36) X(alarm, 37) X(socket, 38) X(descriptor, 39) X(signals, 40) \
              X(resolver, 41) X(strand, 42) X(async_channel, 43)
// In a copy of another tracer's trace, the kinds of that tracer: string 1 is the name of the first,
// string 2 of the next and so on.
inline constexpr uint8_t kFirstOwnKind = 64;
// Whether it is the kind of an object, a resource that operations use (event `about`) and no task
// waits for. X(alarm, 37) is the first.
constexpr bool is_object_kind(uint64_t kind) { return kind >= 37 && kind < kFirstOwnKind; }

// The target of a wait (events `suspend` and `ready`, and `on` of a row) that is an object which
// the trace knows only by its address: its id, or 0. Tasks and resources have no such ids.
inline constexpr uint64_t kAddressId = uint64_t{1} << 63;
constexpr bool is_address_id(uint64_t id) { return id >> 48 == kAddressId >> 48; }
constexpr uint64_t address_in(uint64_t id) { return id & ~kAddressId; }
inline uint64_t address_id(const void* object) {
  const uint64_t address = reinterpret_cast<uintptr_t>(object);
  return address >> 48 == 0 ? kAddressId | address : 0;
}

// X(name, number): causes of a pause.
#define SKEIN_FORMAT_PAUSES(X) \
  X(unknown, 0) X(gc, 1) X(interrupt, 2) X(page_fault, 3) X(stopped, 4) X(profiler, 5)

// X(name, number): what the kernel does with a thread from a `thread_state` event on, until the
// next one of the thread. `other` is a thread, `cpu` a number plus 1 (0: unknown), `text` is "-" if
// there is none.
//   unknown    switches were lost: of all threads if tid is 0
//   running    on a CPU
//   preempted  it could go on, but its CPU runs `other`, whose name is `text` (0: not known)
//   blocked    it gave up the CPU to wait in the kernel
//   runnable   `other` (0: not known) woke it; it waits for a CPU
//   ended      it has ended
//   wchan      no new state: it is blocked in the kernel's function `text`
//   stack      no new state: it is blocked or preempted with the stack `other`, a number as of
//              samples
#define SKEIN_FORMAT_THREAD_STATES(X) \
  X(unknown, 0)                       \
  X(running, 1) X(preempted, 2) X(blocked, 3) X(runnable, 4) X(ended, 5) X(wchan, 6) X(stack, 7)

// X(name, number): reasons for lost events, of a stream or of the whole trace. `untracked` counts
// tasks without a row, `ring_shortened` streams with fewer chunks than configured.
#define SKEIN_FORMAT_LOSSES(X) \
  X(unknown, 0)                \
  X(nested, 1)                 \
  X(no_memory, 2)              \
  X(disk_full, 3)              \
  X(no_stream, 4) X(names_full, 5) X(bus_error, 6) X(untracked, 7) X(ring_shortened, 8)

enum Kind : uint8_t {
#define SKEIN_X(name, number) kKind_##name = number,
  SKEIN_FORMAT_KINDS(SKEIN_X)
#undef SKEIN_X
};
enum ThreadState : uint8_t {
#define SKEIN_X(name, number) kThread_##name = number,
  SKEIN_FORMAT_THREAD_STATES(SKEIN_X)
#undef SKEIN_X
};
enum Pause : uint8_t {
#define SKEIN_X(name, number) kPause_##name = number,
  SKEIN_FORMAT_PAUSES(SKEIN_X)
#undef SKEIN_X
};
// The field that an event `extra` adds to the next event, which has no argument for it. kCurrent
// refers to no event.
enum class ExtraField : uint8_t {
  kPlace = 0,  // as `at`
  kText = 1,   // a string
  kFlags = 2,  // skein::flag
  kValue = 3,
  kCurrent = 4,  // the task is current from here on, although no event switched to it
  // Of a `sample` in the definitions stream, which defines the stack of its number:
  kAddress = 5,  // of the innermost frame: the instruction; of a caller, a byte of its call
  kCaller = 6,   // the stack without that frame, defined before; none: it is outermost
  kFunction = 7,  // of the innermost frame, a string: in copies of what has no modules
};
enum Loss : uint8_t {
#define SKEIN_X(name, number) kLoss_##name = number,
  SKEIN_FORMAT_LOSSES(SKEIN_X)
#undef SKEIN_X
      kLossCount
};

// ---- .tasks: one status page, then rows ----
//
// The live tasks, including those whose events the ring has overwritten. The executor that runs or
// last ran a task writes its row. A reader copies the row; the copy is valid if `seq` was even
// before and is unchanged after. id 0: free.
// A socket has three rows with its id: that of the resource, kConnection and kTraffic.
enum class TaskState : uint8_t {
  kFree,
  kCreated,
  kRunning,
  kSuspended,
  kResource,
  kConnection,
  kTraffic,
};

struct TaskRow {
  uint32_t seq;    // odd: being written
  uint32_t place;  // its creation: location and kind
  uint64_t id;
  uint64_t parent;
  uint64_t on;     // target of its wait (task or resource; 0: unknown); while created: the
                   // resource that it uses
  uint64_t since;  // ticks: the beginning of this state
  uint64_t waker;  // the waker of its last resume; while created: when it expires (ticks; 0:
                   // unknown, ~0: never); of a used resource: who last cancelled its uses
  uint32_t at;     // place of the wait, while suspended
  uint32_t label;  // string (0: none)
  uint32_t tid;    // OS thread it runs or last ran on
  TaskState state;
  uint8_t flags;  // TaskFlags
  uint16_t reserved;
};
static_assert(sizeof(TaskRow) == 64);

// The fields of a row kConnection: `place` is the descriptor, `parent` the network namespace, `on`
// and `since` the local address, `waker` and `at` and `label` (its low and high half) the peer's,
// `tid` the ports (local: the low half), `reserved` the protocol. If it has a path, `on` is that.
constexpr void put_connection(TaskRow& row, const Connection& c) {
  row.place = c.descriptor;
  row.parent = c.net_namespace;
  row.on = c.has_path() ? c.path : c.local.high;
  row.since = c.local.low;
  row.waker = c.peer.high;
  row.at = static_cast<uint32_t>(c.peer.low);
  row.label = static_cast<uint32_t>(c.peer.low >> 32);
  row.tid = c.local.port | c.peer.port << 16;
  row.reserved = static_cast<uint16_t>(c.protocol);
}
constexpr Connection connection_in(const TaskRow& row) {
  Connection c = {.local = {row.on, row.since, row.tid & 0xFFFF},
                  .peer = {row.waker, row.at | uint64_t{row.label} << 32, row.tid >> 16},
                  .protocol = row.reserved,
                  .descriptor = row.place,
                  .net_namespace = row.parent,
                  .path = 0};
  if (c.has_path()) c.path = static_cast<uint32_t>(row.on);
  return c;
}
// The fields of a row kTraffic: the operations of the socket in the trace have sent `parent` bytes,
// the last ones at `waker` (ticks; 0: none), and received `on` bytes, the last at `since`. If
// `flags` is kKernelCounts: before the first of them, `place` bytes were sent and `at` received;
// since then calls that are no operations sent `label` bytes and received `tid`, as far as known
// (SocketBytes). `reserved` counts operations, for reads_kernel_bytes. Each field is written alone,
// without `seq`.
inline constexpr uint8_t kKernelCounts = 1;
enum TaskFlags : uint8_t {
  kTaskShouldResolve = 1,
  kTaskDiscarded = 2,  // if it fails, the event `discard` precedes `fail`
};

inline constexpr uint64_t kTableMagic = 0x0031736b736174ull;  // "tasks1" and two zeros
struct TaskTableHeader {
  uint64_t magic;      // kTableMagic
  uint32_t version;    // kVersion
  uint32_t row_size;   // sizeof(TaskRow)
  uint64_t rows;       // capacity; rows begin at byte kTableHeaderSize
  uint64_t rows_used;  // later rows were never used
  uint64_t pid;
  uint64_t start_ticks;
  uint64_t enabled;     // 1: recording
  uint64_t ring_bytes;  // per stream; 0: log mode
  uint64_t ended_utc;   // when the process ended or was copied: ns since 1970; 0: unknown
  uint64_t late_ns;     // age of the process when the trace began; 0: it began with the process
  // The last time at which `skein record` saw that one thread of the process waited
  // in its event loop, while others waited for it: ns since 1970; 0: never.
  uint64_t alone_utc;
  uint64_t asleep_utc;  // the last time at which none of its threads could run again; 0: never
  uint64_t sample_rate;  // by which threads were last sampled, per second of CPU time; 0: never
  uint64_t missed_samples;  // periods without a sample: in the kernel, or its signal was blocked
  uint64_t current_tasks;   // address of CurrentTasks in the process; 0: unknown
  uint64_t reserved[1];
  uint64_t lost[16];  // events lost before they reached a stream, by Loss
};
static_assert(sizeof(TaskTableHeader) == 256);
inline constexpr size_t kTableHeaderSize = 4096;

// Where a recorded process keeps the task that is current on each of its threads, for a profiler
// that reads its memory. Each of `*streams` records is that of a stream: record i is number
// i % per_block of block i / per_block. The stream of a thread has its number, and no flag
// kFlagNested. All of it may change at any time, and becomes zero in a forked child.
struct CurrentTasks {
  uint64_t magic;     // kCurrentTasksMagic
  uint64_t streams;   // address of a uint32_t: how many there are
  uint64_t blocks;    // address of an array of addresses
  uint32_t per_block;
  uint32_t size;      // of a record
  uint32_t task;      // where in a record: a uint64_t, the current task; 0: none
  uint32_t thread;    // a uint32_t; 0: none
  uint32_t flags;     // a uint32_t, PacketFlags
  uint32_t reserved;
};
inline constexpr uint64_t kCurrentTasksMagic = 0x31736b7361747263ull;  // "crtasks1"

}  // namespace skein::format
