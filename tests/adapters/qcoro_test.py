#!/usr/bin/python3
"""qcoro_test.py PROGRAM SOURCE: nested QCoro tasks; final promises; an exception."""
import sys

from trace import equal, line_of, record

trace = record(sys.argv[1:2], QT_LOGGING_RULES="*=false")
main, = trace.of("program")
children = trace.of("doubled_later")
equal("children", [(t.parent, t.end) for t in children], [(main, "resolve")] * 3)
waits = main.waits(line_of(sys.argv[2], "await: doubled"))
equal("awaited", [w[0] for w in waits], children)
equal("resumed by", [w[2] for w in waits], children)
for child in children:
    equal("a timer's await", len(child.waits(line_of(sys.argv[2], "await: timer"))), 1)
failed, = trace.of("fails")
equal("a failure", (failed.end, failed.reason, failed.parent), ("fail", "no Qt today", main))
equal("the program's end", main.end, "resolve")
equal("unresolved", trace.unended(), [])
