#!/usr/bin/python3
"""echo_test.py PROGRAM SOURCE: examples/030-asio, built with any Asio. Three clients of ten rounds
each and their server run in one process. Checks the tasks' parents, targets and locations of waits,
wakers, and ends."""
import sys

from trace import equal, line_of, record

program, source = sys.argv[1:]
trace = record([program, "both"])

clients = trace.of("client")
equal("clients", len(clients), 3)
requests = trace.of("request")
equal("requests", len(requests), 30)
for client in clients:
    equal("a client's end", client.end, "resolve")
    equal("a client's requests", sum(1 for r in requests if r.parent is client), 10)
    waits = client.waits(line_of(source, "await: request"))
    equal("awaits of request", [bare.kind for bare, _, _ in waits], ["coroutine"] * 10)
    for on, _, waker in waits:
        assert on in requests and on.parent is client and on.end == "resolve", on
        assert waker is on, f"{client} was resumed by {waker}, not by {on}"
    waits = client.waits(line_of(source, "await: pause"))
    equal("pauses", len(waits), 10)
    for on, _, waker in waits:
        equal("a pause", (on.kind, on.name, on.end), ("timer", "deadline_timer.async_wait", "resolve"))
        equal("its place", (on.file, on.line), (client.file, line_of(source, "await: pause")))
        assert on.parent is client and waker is on

line = line_of(source, "await: response")
for request in requests:
    (on, _, waker), = request.waits(line)
    equal("a response", (on.kind, on.name, on.end), ("io", "socket.async_receive", "resolve"))
    equal("bytes", on.io, [10])
    equal("a composed operation's place", (on.file, on.line), (request.file, line))
    assert waker is on and on.parent is request

server, = trace.of("serve")
sessions = trace.of("session")
equal("sessions", len(sessions), 3)
line = line_of(source, "await: message")
for session in sessions:
    assert session.parent is server, session.parent
    reads = session.waits(line)
    assert len(reads) >= 10
    for on, _, waker in reads[:10]:
        equal("a message", (on.name, on.io), ("socket.async_receive", [10]))
        assert waker is on
accepts = server.waits(line_of(source, "await: client"))
equal("accepts", [on.name for on, _, _ in accepts], ["socket.async_accept"] * 4)
equal("the last accept", (accepts[-1][0].end, accepts[-1][2]), ("cancel", None))
equal("the server's end", server.end, "cancel")  # destroyed with the event loop
equal("unresolved", trace.unended(), [])
assert not any("use_awaitable" in t.file for t in trace.tasks.values()), "plumbing"
print(f"{len(trace.tasks)} tasks, {sum(trace.counts.values())} events")
