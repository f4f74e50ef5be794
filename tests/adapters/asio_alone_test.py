#!/usr/bin/python3
"""asio_alone_test.py PROGRAM: Boost.Asio's coroutines with skein/coroutine.h, but without
skein/asio.h. The coroutines inside Asio that start an operation end without a value that can be
observed; they are not recorded, and so no task fails."""
import sys

from trace import equal, record

trace = record(sys.argv[1:2])
equal("output", trace.output, "20\n")
jobs, leaves = trace.of("job"), trace.of("leaf")
equal("jobs and leaves", (len(jobs), len(leaves)), (20, 1000))
equal("ends", {t.end for t in jobs + leaves}, {"resolve"})
equal("failed", [t for t in trace.tasks.values() if t.end == "fail"], [])
equal("initiations", [t for t in trace.tasks.values() if "initiate" in (t.function or "")], [])
