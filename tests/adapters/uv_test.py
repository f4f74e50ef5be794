#!/usr/bin/python3
"""uv_test.py PROGRAM PRELOAD: an unmodified libuv program, under LD_PRELOAD."""
import sys

from trace import equal, record

trace = record([sys.argv[1]], LD_PRELOAD=sys.argv[2])
equal("output", trace.output, "worked 1 0\nquestion\n")


def the(name, function):
    found = [t for t in trace.named(name) if t.function == function]
    assert len(found) == 1, (name, function, trace.tasks)
    return found[0]


work = the("uv_queue_work", "after_work")
equal("work", (work.kind, work.end, work.parent), ("work", "resolve", None))
connect = the("uv_tcp_connect", "on_connected")
equal("connect", (connect.end, connect.parent), ("resolve", work))
listen = the("uv_listen", "on_client")
equal("listen", listen.end, "cancel")
question, answer = the("uv_write", "on_asked"), the("uv_write", "on_answered")
asked = the("uv_read", "on_question")
equal("the server reads", (asked.parent, asked.io, asked.end), (listen, [8], "resolve"))
equal("writes", (question.parent, answer.parent), (connect, asked))
equal("writes end", (question.end, answer.end), ("resolve", "resolve"))
answered = the("uv_read", "on_answer")
equal("the client reads", (answered.parent, answered.io), (connect, [8]))
timer = the("uv_timer", "on_tick")
equal("ticks", sum(1 for s in timer.steps if s[0] == "resume"), 3)
equal("unresolved", trace.unended(), [])
