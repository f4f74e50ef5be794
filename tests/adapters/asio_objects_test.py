#!/usr/bin/python3
"""asio_objects_test.py PROGRAM: the objects that Asio's operations use, when timers expire, and who
cancels and closes them."""
import sys

from trace import equal, record

trace = record(sys.argv[1:2])
equal("output", trace.output, "1\n")
never = 2**64 - 1


def used_by(name):
    """Returns the operation that the coroutine with this name waited for, itself or in wait_for."""
    task, = trace.of(name)
    while task.kind == "coroutine":
        task = task.waits()[0][0]
    return task


def who(canceller):
    return canceller.function.split("(")[0].split("::")[-1].split(" ")[-1] if canceller else None


# The signature begins with an awaitable<void, ...> of 600 bytes, more than a string may have.
waiter, = trace.of("waiter")
equal("the function of a coroutine", who(waiter), "waiter")

victim = used_by("waiter")
equal("its object", trace.objects[victim.uses], "alarm")
assert 1000 * 10**6 < victim.expires < never, victim.expires
cancels = [(object, who(by)) for object, by in trace.cancels]
equal("who cancelled it", [by for object, by in cancels if object == victim.uses], ["killer"])

# No operation waited: two calls of cancel, one new expiry, and the destruction.
unused = {object for object, by in trace.cancels if by and who(by) == "early"}
equal("one timer that no operation used", len(unused), 1)
equal("its cancels", [by for object, by in cancels if object in unused][:3], ["early"] * 3)

parent, = trace.of("reuse")
pauses = [on.waits()[0][0] for on, _, _ in parent.waits()]
equal("three timers at one address", len({p.uses for p in pauses}), 3)
assert all(p.expires < never for p in pauses)

read = used_by("reader")
equal("a socket", (trace.objects[read.uses], read.expires), ("socket", None))
assert read.uses in trace.closed, (read.uses, trace.closed)

waits = used_by("signals")
equal("a signal set", trace.objects[waits.uses], "signals")
assert waits.uses in [object for object, _ in trace.cancels]
equal("its signals", waits.labels, ["signal_set: SIGINT or SIGUSR1"])

host = used_by("lookup")
equal("a resolver", (trace.objects[host.uses], host.labels), ("resolver", ["resolver: localhost:http"]))
strands = [t.uses for t in trace.tasks.values() if t.name.startswith("strand_executor.execute")]
equal("a strand", (len(strands), len(set(strands)), trace.objects[strands[0]]), (2, 1, "strand"))
equal("pending operations of an object are not its tasks", trace.unended(), [])
