#!/usr/bin/python3
"""asio_threads_test.py PROGRAM SOURCE: coroutines created on one thread and resumed on others.
Every job waits for its own leaf, which resumes it, and all of them end."""
import sys

from trace import equal, line_of, record

trace = record(sys.argv[1:2])
equal("output", trace.output, "20\n")
jobs, leaves = trace.of("job"), trace.of("leaf")
equal("jobs and leaves", (len(jobs), len(leaves)), (20, 1000))
line = line_of(sys.argv[2], "await: leaf")
for job in jobs:
    waits = job.waits(line)
    equal("awaits", len(waits), 50)
    for on, _, waker in waits:
        assert on in leaves and on.parent is job and on.end == "resolve" and waker is on, (on, waker)
equal("ends", {t.end for t in jobs}, {"resolve"})
equal("unresolved", trace.unended(), [])
