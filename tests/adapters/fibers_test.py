#!/usr/bin/python3
"""fibers_test.py PROGRAM: a producer and a consumer on Boost.Fiber wake each other."""
import sys

from trace import equal, record

trace = record([sys.argv[1]])
fibers = [t for t in trace.tasks.values() if t.kind == "fiber"]
main, = [t for t in fibers if t.name == "main"]
consumer, producer = [t for t in fibers if t is not main]
equal("ends", (consumer.end, producer.end), ("resolve", "resolve"))
wakers = [w for _, _, w in consumer.waits()]
assert wakers.count(producer) >= 3, wakers
assert consumer in [w for _, _, w in producer.waits()]
assert producer in [w for _, _, w in main.waits()], main.waits()
assert trace.counts["idle"] >= 1 and trace.counts["idle"] == trace.counts["wake"], trace.counts
equal("unresolved", trace.unended(), [main] if main.end is None else [])
