#!/usr/bin/python3
"""echo_test.py PROGRAM SOURCE: examples/030-asio, whichever Asio it was built with. Three clients
of ten rounds each and their server in one process: who was made by whom, what each await waited for
and where, who resumed it, and how all of it ended."""
import sys

from trace import equal, line_of, record

program, source = sys.argv[1:]
trace = record([program, "both"])

clients = trace.of("client")
equal("clients", len(clients), 3)
asks = trace.of("ask")
equal("asks", len(asks), 30)
for client in clients:
    equal("a client's end", client.end, "resolve")
    equal("a client's asks", sum(1 for a in asks if a.parent is client), 10)
    waits = client.waits(line_of(source, "await: ask"))
    equal("awaits of ask", [bare.kind for bare, _, _ in waits], ["coroutine"] * 10)
    for on, _, waker in waits:
        assert on in asks and on.parent is client and on.end == "resolve", on
        assert waker is on, f"{client} was resumed by {waker}, not by {on}"
    waits = client.waits(line_of(source, "await: pause"))
    equal("pauses", len(waits), 10)
    for on, _, waker in waits:
        equal("a pause", (on.kind, on.name, on.end), ("timer", "deadline_timer.async_wait", "resolve"))
        equal("its place", (on.file, on.line), (client.file, line_of(source, "await: pause")))
        assert on.parent is client and waker is on

line = line_of(source, "await: answer")
for ask in asks:
    (on, _, waker), = ask.waits(line)
    equal("what answers", (on.kind, on.name, on.end), ("io", "socket.async_receive", "resolve"))
    equal("bytes", on.io, [10])
    equal("a composed operation's place", (on.file, on.line), (ask.file, line))
    assert waker is on and on.parent is ask

server, = trace.of("serve")
sessions = trace.of("session")
equal("sessions", len(sessions), 3)
line = line_of(source, "await: request")
for session in sessions:
    assert session.parent is server, session.parent
    requests = session.waits(line)
    assert len(requests) >= 10
    for on, _, waker in requests[:10]:
        equal("a request", (on.name, on.io), ("socket.async_receive", [10]))
        assert waker is on
accepts = server.waits(line_of(source, "await: client"))
equal("accepts", [on.name for on, _, _ in accepts], ["socket.async_accept"] * 4)
equal("the last accept", (accepts[-1][0].end, accepts[-1][2]), ("cancel", None))
equal("the server's end", server.end, "cancel")  # destroyed with the loop
equal("unresolved", trace.unended(), [])
assert not any("use_awaitable" in t.file for t in trace.tasks.values()), "plumbing"
print(f"{len(trace.tasks)} tasks, {sum(trace.counts.values())} events")
