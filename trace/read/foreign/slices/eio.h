// The meaning of eio-trace's records. Eio is OCaml's fiber library; its recorder writes FXT:
//
//   wakeup CPU = domain, thread = id of the fiber   it is current there from now on
//   eio: create-fiber {id, cc}   a fiber, created by the one on whose thread this is, in a context
//   eio: cc {id, type, cpu}      a duration: a cancellation context that the fiber is in
//   eio.suspend: <operation>     a duration: the fiber waits in this operation; the wakeup implies
//                                its end as well
//   eio.span: <name>             a duration on the fiber
//   eio: log {message}, error {id, message}, exit-fiber {id}; user object: a name for id
//   eio: suspend-domain          a duration on the domain: it sleeps in its event loop
//   gc: <phase>                  durations on the domain, nested
//   eio, ocaml: domain-spawn, domain-terminate
//
// Threads represent two kinds of objects: id * 4 + 1 is a domain, id * 4 + 2 a fiber. Fibers and
// contexts share one id space, and their ids become task ids. A context is a scope, except for the
// root of a domain, which is the executor. The operation that a fiber waits in becomes the function
// of the suspend's location: eio-trace does not record the target of the wait.
#pragma once

#include "trace/read/foreign/slices/records.h"
#include "trace/read/trace.h"

namespace skein::fxt {

bool is_eio(const Records& records, const Trace& trace);

// Appends the events that the records represent to the trace.
void read_eio(const Records& records, Trace& trace);

}  // namespace skein::fxt
