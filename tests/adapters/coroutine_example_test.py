#!/usr/bin/python3
"""coroutine_example_test.py PROGRAM SOURCE: examples/020-coroutine: the program's own task type, a
generator, when_all, and an exception that propagates."""
import sys

from trace import equal, line_of, record

program, source = sys.argv[1:]
trace = record([program])

main, = trace.of("program")
equal("the program's end", (main.parent, main.end), (None, "resolve"))
both, = trace.of("when_all")
(on, _, waker), = main.waits(line_of(source, "await: when_all"))
assert on is both and waker is both
slow = trace.of("slow_sum")
equal("slow sums", [(t.parent, t.end) for t in slow], [(main, "resolve")] * 2)
for task in slow:
    (on, _, waker), = task.waits(line_of(source, "await: door"))
    equal("the waker is unknown", (on, waker), (None, None))
sums = trace.of("sum_to")
equal("sums", [t.parent for t in sums], list(reversed(slow)))  # the second door rings first
generators = trace.of("count_to")
equal("generators", [(t.kind, t.end) for t in generators], [("generator", "resolve")] * 2)
equal("yields", [len(t.waits()) for t in generators], [100, 10])
equal("the consumer of a generator", {w[2] for w in generators[0].waits()}, {sums[0]})
failed, = trace.of("fails")
equal("a failure", (failed.end, failed.reason, failed.parent),
      ("fail", "the door is locked", main))
equal("unresolved", trace.unended(), [])
