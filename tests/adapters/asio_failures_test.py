#!/usr/bin/python3
"""asio_failures_test.py PROGRAM: failures of coroutines that co_spawn() drops."""
import sys

from trace import equal, record

trace = record(sys.argv[1:2])
equal("output", sorted(trace.output.splitlines()), ["failed: 1", "no such shard"])
equal("failures", [len([t for t in trace.of(name) if t.end == "fail"])
                   for name in ("dropped", "dropped_result", "inner", "read", "good")], [2, 1, 5, 2, 0])
equal("dropped", sorted(task.name for task in trace.discarded), ["dropped", "dropped", "dropped_result"])
