// What the records of eio-trace mean. Eio is OCaml's library of fibers; its recorder writes FXT:
//
//   wakeup CPU = domain, thread = id of the fiber   it is current there from now on
//   eio: create-fiber {id, cc}   a fiber, created by the one on whose thread this is, in a context
//   eio: cc {id, type, cpu}      a duration: a cancellation context that the fiber is in
//   eio.suspend: <operation>     a duration: the fiber waits in this operation; its end is implied
//                                by the wakeup, too
//   eio.span: <name>             a duration on the fiber
//   eio: log {message}, error {id, message}, exit-fiber {id}; user object: a name for id
//   eio: suspend-domain          a duration on the domain: it sleeps in its event loop
//   gc: <phase>                  durations on the domain, nested
//   eio, ocaml: domain-spawn, domain-terminate
//
// Threads stand for two things: id * 4 + 1 is a domain, id * 4 + 2 a fiber. Fibers and contexts
// have one space of ids, which become those of the tasks; a context is a scope, but for the root of
// a domain, which is the executor. The operation that a fiber waits in is the function of its
// suspend's place: eio-trace does not say what it waits for.
#pragma once

#include "trace/read/slices/records.h"
#include "trace/read/trace.h"

namespace skein::fxt {

bool is_eio(const Records& records, const Trace& trace);

// Appends what they mean to the trace.
void read_eio(const Records& records, Trace& trace);

}  // namespace skein::fxt
