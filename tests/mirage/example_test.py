#!/usr/bin/env python3
"""mirage-trace-viewer's public example: skein, that viewer and babeltrace2 report equal numbers."""
import json
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
    "ended": 1728,
    "live": 89,
    "counters": {"gntref": 1106, "tcp-to-ip": 105, "main-to-tcp": 100, "tcp-ackd-segs": 83},
    "duration_ns": 5898599766,
    "lost": [],
}
for key, value in expected.items():
    assert found[key] == value, (key, found[key], value)
assert skein("dump", path).stdout.count(b"\n") == 10078
# The viewer and babeltrace2 count ids in events. 206 of the ended tasks have no such event, because
# they are successors of a task, and the event contains their predecessor's id.
ending = {"resolve", "fail", "cancel", "become"}
lines = skein("dump", "--json", path).stdout.splitlines()
named = {event["task"] for event in map(json.loads, lines) if event["event"] in ending}
assert len(named) == 1522, len(named)
