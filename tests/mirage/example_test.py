#!/usr/bin/env python3
"""The public example of mirage-trace-viewer gives the numbers that viewer and babeltrace2 give."""
import sys

from common import example, info, skein

path = example()
if not path:
    print("skipped: net.ctf is not here; set SKEIN_DATA to the folder it is in")
    sys.exit(77)

found = info(path)
expected = {
    "packets": 4,
    "events": 10078,
    "kinds": {"creates": 1816, "read": 2596, "fulfills": 1511, "fails": 2, "becomes": 215,
              "label": 2185, "increase": 1394, "switch": 358, "gc": 1},
    "tasks": 1817,
    "ended": 1522,
    "unresolved": 295,
    "ended_as_successor": 206,
    "counters": {"gntref": 1106, "tcp-to-ip": 105, "main-to-tcp": 100, "tcp-ackd-segs": 83},
    "duration_ns": 5898599766,
    "lost": [],
}
for key, value in expected.items():
    assert found[key] == value, (key, found[key], value)
assert skein("dump", path).stdout.count(b"\n") == 10078
